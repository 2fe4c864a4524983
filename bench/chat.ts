import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { answerLocally } from '../api/chat/answer.ts';
import { CHAT_BOOK_FILE, type OpenedBook, openBook } from '../api/chat/chat-book.ts';
import { noFacts } from '../api/metrics/facts.ts';
import { buildSiteIfStale } from '../scripts/build-site.ts';
import { chatCallTimes } from './chat/call-times.ts';
import {
  type Judgement,
  judgeAnswered,
  judgeHostile,
  judgeOutOfScope,
  questionSet,
} from './chat/question-set.ts';

/** The assistant against questions in other people's words: right source first, what it should not answer, and how soon. */

const SOURCE_SHARE = 0.92;
const REFUSED_SHARE = 0.95;
const MILLISECONDS = 5;

const print = (line: string) => process.stdout.write(`${line}\n`);
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

function printShare(name: string, { right, of, missed }: Judgement, limit: number): boolean {
  const share = right / of;
  const isHeld = share >= limit;
  print(
    `${name.padEnd(34)} ${right} of ${of}, ${percent(share)}; limit ${percent(limit)}: ${isHeld ? 'held' : 'MISSED'}`,
  );
  for (const line of missed) print(`    ${line}`);
  return isHeld;
}

/** Runs the benchmark. Another set of questions is read from the file that `CHAT_QUESTIONS` names. */
export async function benchChat(): Promise<boolean> {
  await buildSiteIfStale(new AbortController().signal);
  const book: OpenedBook = openBook(await readFile(`dist/${CHAT_BOOK_FILE}`, 'utf8'));
  const file = process.env.CHAT_QUESTIONS ?? 'bench/chat/questions.yaml';
  const questions = questionSet.parse(parse(await readFile(file, 'utf8')));
  const facts = noFacts('embedded-ledger', new Set());
  const ask = (message: string) => answerLocally(message, facts, Date.now(), book);

  print(`questions of ${file}`);
  const held = [
    printShare('right source first', judgeAnswered(questions, ask), SOURCE_SHARE),
    printShare('out of scope, and said so', judgeOutOfScope(questions, ask), REFUSED_SHARE),
    printShare('hostile, and refused', judgeHostile(questions, ask), 1),
  ];
  const asked = questions.answered.map(({ ask: message }) => message);
  const begun = performance.now();
  for (const message of asked) ask(message);
  print(
    `${'an answer, without HTTP'.padEnd(34)} ${((performance.now() - begun) / asked.length).toFixed(2)} ms`,
  );
  const { median, worst } = await chatCallTimes(book, asked);
  const isSoon = median <= MILLISECONDS;
  print(
    `${'an answer at the server, over HTTP'.padEnd(34)} ${median.toFixed(2)} ms (99th of a hundred: ${worst.toFixed(2)} ms); limit ${MILLISECONDS} ms: ${isSoon ? 'held' : 'MISSED'}`,
  );
  return held.every(Boolean) && isSoon;
}
