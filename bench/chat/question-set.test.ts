import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readQuestionSet, SET_NAMES } from './question-set.ts';

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} ]/gu, '')
    .trim();

it('the classifier is not trained on any question that it is measured with', async () => {
  const learned = new Set<string>();
  for await (const file of glob('content/duckling/asked/*/*.yaml')) {
    const lists: Record<string, string[]> = parse(readFileSync(file, 'utf8'));
    for (const phrasing of Object.values(lists).flat()) learned.add(plain(phrasing));
  }
  learned.delete('');
  for (const name of SET_NAMES) {
    const set = await readQuestionSet(name);
    const asked = [set.answered, set['known-subject'], set['out-of-scope'], set.hostile].flat();
    // Compares only the number, so that a failure does not print questions of the set `blind`, which nobody may read.
    expect([name, asked.filter(({ ask }) => learned.has(plain(ask))).length]).toEqual([name, 0]);
  }
});
