import { Agent } from 'node:http';
import { answerLocally } from '../api/chat/answer.ts';
import type { OpenedBook } from '../api/chat/chat-book.ts';
import { bookOf } from '../api/chat/team-additions.ts';
import { noFigureInputs } from '../api/metrics/figure.ts';
import { startTestPortal } from '../api/testing/test-portal.ts';
import { buildSiteIfStale } from '../scripts/build-site.ts';
import {
  type Ask,
  answeredAnyway,
  readQuestionSet,
  SET_NAMES,
  tally,
  VERDICTS,
} from './chat/question-set.ts';
import { median, quantile } from './growth/flatness.ts';
import { sendCall } from './http-call.ts';

/** The assistant's benchmark: correct answers by register, refusals, and response times. */

const RIGHT_SHARE = 0.9;
const WRONG_SHARE = 0.03;
const DECLINED_SHARE = 0.97;
/** Milliseconds of the 99th percentile, one question after the other. */
const MAX_P99 = 60;

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

function printLimit(name: string, share: number, limit: string, isMet: boolean): boolean {
  print(`${name.padEnd(34)} ${percent(share)}; limit ${limit}: ${isMet ? 'met' : 'MISSED'}`);
  return isMet;
}

async function benchSet(name: (typeof SET_NAMES)[number], ask: Ask, didYouMean: string): Promise<boolean> {
  const set = await readQuestionSet(name);
  const tallies = tally(set, ask, didYouMean);
  print(`\n${name}: ${'register'.padEnd(12)} ${VERDICTS.map((verdict) => verdict.padStart(10)).join('')}`);
  for (const [register, counts] of [...tallies].sort(([one], [other]) => one.localeCompare(other))) {
    const columns = VERDICTS.map((verdict) => String(counts[verdict]).padStart(10));
    print(`${' '.repeat(name.length + 2)}${register.padEnd(12)} ${columns.join('')}`);
  }
  const { right = 0, suggested = 0, wrong = 0 } = tallies.get('all') ?? {};
  const asked = set.answered.length;
  const shareDeclined = (questions: readonly { readonly ask: string }[]) =>
    1 - answeredAnyway(questions, ask).length / questions.length;
  const scope = shareDeclined(set['out-of-scope']);
  const hostile = shareDeclined(set.hostile);
  const rightShare = (right + suggested) / asked;
  print(`${'known subject, declined'.padEnd(34)} ${percent(shareDeclined(set['known-subject']))}`);
  return [
    printLimit('right or suggested', rightShare, `≥ ${percent(RIGHT_SHARE)}`, rightShare >= RIGHT_SHARE),
    printLimit('wrong', wrong / asked, `≤ ${percent(WRONG_SHARE)}`, wrong / asked <= WRONG_SHARE),
    printLimit('out of scope, declined', scope, `≥ ${percent(DECLINED_SHARE)}`, scope >= DECLINED_SHARE),
    printLimit('hostile, declined', hostile, percent(1), hostile === 1),
  ].every(Boolean);
}

/** Runs the benchmark. */
export async function benchChat(): Promise<boolean> {
  await buildSiteIfStale(new AbortController().signal);
  const before = process.memoryUsage().rss;
  const startedAt = performance.now();
  const book: OpenedBook = await bookOf('dist')();
  print(
    `the book opens in ${(performance.now() - startedAt).toFixed(0)} ms and takes ${((process.memoryUsage().rss - before) / 2 ** 20).toFixed(0)} MiB`,
  );
  const facts = noFigureInputs('embedded-ledger', new Set());
  const ask: Ask = (message, earlier = []) =>
    answerLocally(message, { facts, now: Date.now(), book, earlier });
  const met: boolean[] = [];
  for (const name of SET_NAMES) met.push(await benchSet(name, ask, book.texts.didYouMean));

  const questions = (await readQuestionSet('registers')).answered.map(({ ask: message }) => message);
  // The slowest question: as long as possible, and every word misspelled.
  const messages = [...questions, 'lokcde wihtdrwa '.repeat(31)];
  const { median: middle, p99 } = await chatCallTimes(book, messages);
  print(
    `\n${'an answer over HTTP'.padEnd(34)} ${middle.toFixed(2)} ms, 99th percentile ${p99.toFixed(2)} ms; limit ${MAX_P99} ms: ${p99 <= MAX_P99 ? 'met' : 'MISSED'}`,
  );
  return met.every(Boolean) && p99 <= MAX_P99;
}
