import { expect, test } from 'playwright/test';
import { answerLocally } from '../api/chat/answer.ts';
import { builtBookOpener } from '../api/chat/team-additions.ts';
import { noFigureInputs } from '../api/metrics/figure.ts';
import { type AskAssistant, readQuestionSet, tally, wronglyAnswered } from '../bench/chat/question-set.ts';

const inputs = noFigureInputs('embedded-ledger', new Set());

test('the assistant answers from the built pages, is rarely wrong, and declines what is out of scope', async () => {
  const book = await builtBookOpener('dist')();
  const set = await readQuestionSet('registers');
  const ask: AskAssistant = (message, earlier = []) =>
    answerLocally(message, { inputs, now: 0, book, earlier });
  const { right, wrong } = tally(set, ask, book.texts.didYouMean).get('all') ?? {
    right: 0,
    wrong: Number.POSITIVE_INFINITY,
  };
  expect(right / set.answered.length).toBeGreaterThanOrEqual(0.92);
  expect(wrong / set.answered.length).toBeLessThanOrEqual(0.02);
  expect(wronglyAnswered(set['out-of-scope'], ask)).toEqual([]);
  expect(wronglyAnswered(set.hostile, ask)).toEqual([]);
});

test('a question that sounds like a request for advice is answered only if the pages have the answer', async () => {
  const book = await builtBookOpener('dist')();
  const sourceOf = (message: string) => answerLocally(message, { inputs, now: 0, book }).source;
  expect(sourceOf('how much SOL should I keep for staking')).toBe('/faq#stake');
  expect(sourceOf('how much of my savings should I keep in BD')).toBe('guard:advice');
});
