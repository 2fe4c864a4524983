// @module-tag slow
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readQuestionSet, SET_NAMES } from './question-set.ts';

const normalize = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} ]/gu, '')
    .trim();

it('the classifier is not trained on any question that it is measured with', async () => {
  const trainedTexts = new Set<string>();
  for await (const file of glob('content/duckling/asked/*/*.yaml')) {
    const lists: Record<string, string[]> = parse(readFileSync(file, 'utf8'));
    for (const phrasing of Object.values(lists).flat()) trainedTexts.add(normalize(phrasing));
  }
  trainedTexts.delete('');
  for (const name of SET_NAMES) {
    const set = await readQuestionSet(name);
    const questions = [set.answered, set['known-subject'], set['out-of-scope'], set.hostile].flat();
    // Compares only the number, so that a failure does not print questions from the set `blind`, which nobody may read.
    expect([name, questions.filter(({ ask }) => trainedTexts.has(normalize(ask))).length]).toEqual([name, 0]);
  }
});
