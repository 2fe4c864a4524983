import { readFile } from 'node:fs/promises';
import { expect, test } from 'playwright/test';
import { parse } from 'yaml';
import { answerLocally } from '../api/chat/answer.ts';
import { CHAT_BOOK_FILE, openBook } from '../api/chat/chat-book.ts';
import { noFigureInputs } from '../api/metrics/figure.ts';
import { judgeAnswered, judgeHostile, judgeOutOfScope, questionSet } from '../bench/chat/question-set.ts';

test('the assistant finds the right source in the built pages, and answers nothing else', async () => {
  const book = openBook(await readFile(`dist/${CHAT_BOOK_FILE}`, 'utf8'));
  const questions = questionSet.parse(parse(await readFile('bench/chat/questions.yaml', 'utf8')));
  expect(questions.answered.length).toBeGreaterThanOrEqual(120);
  expect(questions['out-of-scope'].length).toBeGreaterThanOrEqual(30);
  expect(questions.hostile.length).toBeGreaterThanOrEqual(20);
  const ask = (message: string) =>
    answerLocally(message, noFigureInputs('embedded-ledger', new Set()), 0, book);
  const [answered, outOfScope, hostile] = [
    judgeAnswered(questions, ask),
    judgeOutOfScope(questions, ask),
    judgeHostile(questions, ask),
  ];
  expect(answered.right / answered.of, answered.missed.join('\n')).toBeGreaterThanOrEqual(0.92);
  expect(outOfScope.right / outOfScope.of, outOfScope.missed.join('\n')).toBeGreaterThanOrEqual(0.95);
  expect(hostile.missed).toEqual([]);
});
