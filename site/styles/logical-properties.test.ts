import { glob, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

/** Matches a declaration that names the left or right side. */
const PHYSICAL_DECLARATION =
  /^\s*(?:(?:scroll-)?(?:margin|padding)-(?:left|right)|border-(?:left|right)\b|border-(?:top|bottom)-(?:left|right)-radius|left|right|(?:text-align|float|clear):\s*(?:left|right)\b)[^;]*;/gm;
/** Matches four values for top, right, bottom and left, of which right and left must be equal. */
const FOUR_VALUES =
  /^\s*(?:margin|padding): *([^\s,(]+) ([^\s;,(]+|\w*\([^()]*\)) ([^\s,(]+) ([^\s;,(]+|\w*\([^()]*\));/gm;

it('the site’s styles use logical properties, which right-to-left pages mirror', async () => {
  const violations: string[] = [];
  let fileCount = 0;
  for await (const file of glob('site/**/*.{css,astro}')) {
    // The admin area exists only in English.
    if (/\badmin/.test(file)) continue;
    const text = await readFile(file, 'utf8');
    const css = file.endsWith('.css')
      ? text
      : [...text.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)].map(([, one]) => one).join('\n');
    fileCount += 1;
    for (const [declaration] of css.matchAll(PHYSICAL_DECLARATION))
      violations.push(`${file}: ${declaration.trim()}`);
    for (const [declaration, , right, , left] of css.matchAll(FOUR_VALUES))
      if (right !== left) violations.push(`${file}: ${declaration.trim()}`);
  }
  expect(fileCount).toBeGreaterThan(50);
  expect(violations).toEqual([]);
});
