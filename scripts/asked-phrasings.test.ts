import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { readAsked } from './asked-phrasings.ts';

const folder = mkdtempSync(join(tmpdir(), 'asked-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const read = () => readAsked(folder, new Set(['/faq#lock', '/faq#fee']));

beforeEach(() => {
  write('a.yaml', '/faq#lock:\n  - how long\n  - when\n');
  write('b.yaml', '{}\n');
});

it('reads the phrasings of each target from all files', () => {
  write('b.yaml', '/faq#fee:\n  - how much\n  - what does it cost\n');
  expect([...read()]).toEqual([
    ['/faq#lock', ['how long', 'when']],
    ['/faq#fee', ['how much', 'what does it cost']],
  ]);
});

it.each([
  ['of a target that two files list', '/faq#lock:\n  - how long\n  - when\n'],
  ['of a target that does not exist', '/faq#none:\n  - how long\n  - when\n'],
  ['with fewer than two phrasings', '/faq#fee:\n  - how much\n'],
])('names file and line of a list %s', (_, text) => {
  write('b.yaml', `# A comment\n${text}`);
  expect(read).toThrow(/b\.yaml:2/);
});
