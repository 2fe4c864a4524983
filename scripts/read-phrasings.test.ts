import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { readPhrasings } from './read-phrasings.ts';

const folder = mkdtempSync(join(tmpdir(), 'asked-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
for (const writers of ['first', 'second']) mkdirSync(join(folder, writers));
const read = () => readPhrasings(folder, new Set(['/faq#lock', '/faq#fee']));

beforeEach(() => {
  write('first/a.yaml', '/faq#lock:\n  - how long\n  - when\n');
  write('first/b.yaml', '{}\n');
  write('second/a.yaml', '{}\n');
});

it('reads the phrasings of each target from all files, and labels each phrasing with its folder', () => {
  write('first/b.yaml', '/faq#fee:\n  - how much\n  - what does it cost\n');
  write('second/a.yaml', '/faq#lock:\n  - what is the lock\n  - any lock\n');
  const phrasingsBy = (writers: string, ...texts: string[]) => texts.map((text) => ({ text, writers }));
  expect([...read()]).toEqual([
    [
      '/faq#lock',
      [...phrasingsBy('first', 'how long', 'when'), ...phrasingsBy('second', 'what is the lock', 'any lock')],
    ],
    ['/faq#fee', phrasingsBy('first', 'how much', 'what does it cost')],
  ]);
});

it.each([
  ['for a target that another file of the folder lists', '/faq#lock:\n  - how long\n  - when\n'],
  ['for a target that does not exist', '/faq#none:\n  - how long\n  - when\n'],
  ['with fewer than two phrasings', '/faq#fee:\n  - how much\n'],
])('names the file and line of a list %s', (_, text) => {
  write('first/b.yaml', `# A comment\n${text}`);
  expect(read).toThrow(/first\/b\.yaml:2/);
});
