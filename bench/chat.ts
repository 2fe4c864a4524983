import { readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { parse } from 'yaml';
import { answerLocally } from '../api/chat/answer.ts';
import { CHAT_BOOK_FILE, type OpenedBook, openBook } from '../api/chat/chat-book.ts';
import { noFigureInputs } from '../api/metrics/figure.ts';
import { startTestPortal } from '../api/testing/test-portal.ts';
import { buildSiteIfStale } from '../scripts/build-site.ts';
import {
  type Judgement,
  judgeAnswered,
  judgeHostile,
  judgeOutOfScope,
  questionSet,
} from './chat/question-set.ts';
import { median, quantile } from './growth/flatness.ts';
import { sendCall } from './http-call.ts';

/** The assistant's benchmark: correct sources, refusals, and response times. */

const SOURCE_SHARE = 0.92;
const REFUSED_SHARE = 0.95;
const MAX_MILLISECONDS = 5;

/** The duration of one call in milliseconds. */
async function callTime(port: number, agent: Agent, message: string): Promise<number> {
  const startedAt = performance.now();
  await sendCall(agent, port, { path: '/api/chat/duckling', body: { message } });
  return performance.now() - startedAt;
}

/** Asks a portal each question in turn. @returns median and 99th percentile in milliseconds */
async function chatCallTimes(
  book: OpenedBook,
  messages: readonly string[],
): Promise<{ readonly median: number; readonly p99: number }> {
  const portal = await startTestPortal({ openChatBook: async () => book });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (const message of messages) await callTime(portal.port, agent, message);
    const times: number[] = [];
    for (const message of messages) times.push(await callTime(portal.port, agent, message));
    return { median: median(times), p99: quantile(times, 0.99) };
  } finally {
    agent.destroy();
    await portal.close();
  }
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

function printShare(name: string, { right, of, missed }: Judgement, limit: number): boolean {
  const share = right / of;
  const isMet = share >= limit;
  print(
    `${name.padEnd(34)} ${right} of ${of}, ${percent(share)}; limit ${percent(limit)}: ${isMet ? 'met' : 'MISSED'}`,
  );
  for (const line of missed) print(`    ${line}`);
  return isMet;
}

/** Runs the benchmark. `CHAT_QUESTIONS` can name a different file of questions. */
export async function benchChat(): Promise<boolean> {
  await buildSiteIfStale(new AbortController().signal);
  const book: OpenedBook = openBook(await readFile(`dist/${CHAT_BOOK_FILE}`, 'utf8'));
  const file = process.env.CHAT_QUESTIONS ?? 'bench/chat/questions.yaml';
  const questions = questionSet.parse(parse(await readFile(file, 'utf8')));
  const facts = noFigureInputs('embedded-ledger', new Set());
  const ask = (message: string) => answerLocally(message, facts, Date.now(), book);

  print(`questions from ${file}`);
  const met = [
    printShare('correct source', judgeAnswered(questions, ask), SOURCE_SHARE),
    printShare('out of scope: unknown or refused', judgeOutOfScope(questions, ask), REFUSED_SHARE),
    printShare('hostile: refused', judgeHostile(questions, ask), 1),
  ];
  const messages = questions.answered.map(({ ask: message }) => message);
  const startedAt = performance.now();
  for (const message of messages) ask(message);
  print(
    `${'an answer without HTTP'.padEnd(34)} ${((performance.now() - startedAt) / messages.length).toFixed(2)} ms`,
  );
  const { median: middle, p99 } = await chatCallTimes(book, messages);
  const isFast = middle <= MAX_MILLISECONDS;
  print(
    `${'an answer over HTTP'.padEnd(34)} ${middle.toFixed(2)} ms (99th percentile: ${p99.toFixed(2)} ms); limit ${MAX_MILLISECONDS} ms: ${isFast ? 'met' : 'MISSED'}`,
  );
  return met.every(Boolean) && isFast;
}
