import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const MODULE_IMPORT = /import (\w+) from '([^']+\.module\.css)'/g;
const CLASS = /\.([a-z]\w*)/gi;

it('each class that a component takes from a CSS module exists there', async () => {
  const missing: string[] = [];
  let importCount = 0;
  for await (const file of glob('site/**/*.{astro,ts,tsx}')) {
    const text = await readFile(file, 'utf8');
    for (const [, name, path = ''] of text.matchAll(MODULE_IMPORT)) {
      importCount += 1;
      const css = await readFile(join(dirname(file), path), 'utf8');
      const classes = new Set([...css.matchAll(CLASS)].map(([, one]) => one));
      for (const [, used = ''] of text.matchAll(new RegExp(`(?<![-./\\w])${name}\\.(\\w+)`, 'g'))) {
        if (!classes.has(used)) missing.push(`${file}: ${name}.${used}`);
      }
    }
  }
  expect(importCount).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});
