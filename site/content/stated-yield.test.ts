import { glob, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { splitFrontMatter } from './front-matter.ts';

function splitSections(source: string): readonly string[] {
  const { yaml, body } = splitFrontMatter(source);
  return [yaml, ...body.split(/^#+ /m)];
}

it('every section with the stated yield also states the lock’s days and restart, and that there is no early withdrawal', async () => {
  const yieldSections: string[] = [];
  const incompleteSectionFiles: string[] = [];
  for await (const file of glob('content/**/*.{mdx,yaml}')) {
    for (const section of splitSections(await readFile(file, 'utf8'))) {
      if (!/\bstatedYield\b/.test(section)) continue;
      yieldSections.push(file);
      const isComplete = [
        /\blockDays\b/,
        /early\s+withdrawal|سحب\s+مبكر/,
        /restart|إعادة\s+التخزين|من\s+جديد/,
      ].every((part) => part.test(section));
      if (!isComplete) incompleteSectionFiles.push(file);
    }
  }
  expect(yieldSections.length).toBeGreaterThan(10);
  expect(incompleteSectionFiles).toEqual([]);
});
