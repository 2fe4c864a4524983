import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { answerLocally } from '../api/chat/answer.ts';
import type { OpenedBook } from '../api/chat/chat-book.ts';
import { builtBookOpener } from '../api/chat/team-additions.ts';
import { noFigureInputs } from '../api/metrics/figure.ts';
import { startTestPortal } from '../api/testing/test-portal.ts';
import { buildSiteIfStale } from '../scripts/build-site.ts';
import {
  type AskAssistant,
  readQuestionSet,
  SET_NAMES,
  tally,
  VERDICTS,
  wronglyAnswered,
} from './chat/question-set.ts';
import { median, quantile } from './growth/flatness.ts';
import { sendCall } from './http-call.ts';

const MIN_RIGHT_SHARE = 0.9;
const MAX_WRONG_SHARE = 0.03;
const MIN_DECLINED_SHARE = 0.97;
/** The limit (ms) for the 99th percentile of the response times over HTTP. */
const MAX_P99_MS = 60;
const QUESTIONS_PER_SECOND = 50;
const PACED_SECONDS = 20;

async function callTimeMs(port: number, agent: Agent, message: string): Promise<number> {
  const startedAt = performance.now();
  await sendCall(agent, port, { path: '/api/chat/duckling', body: { message } });
  return performance.now() - startedAt;
}

interface CallTimes {
  readonly medianMs: number;
  readonly p99Ms: number;
}

const timesOf = (times: readonly number[]): CallTimes => ({
  medianMs: median(times),
  p99Ms: quantile(times, 0.99),
});

/** Asks a portal each question in turn, and then all of them at a steady rate, without waiting for earlier answers. */
async function chatCallTimes(
  book: OpenedBook,
  messages: readonly string[],
): Promise<{ readonly inTurn: CallTimes; readonly paced: CallTimes }> {
  const portal = await startTestPortal({ openChatBook: async () => book });
  const agent = new Agent({ keepAlive: true });
  try {
    for (const message of messages) await callTimeMs(portal.port, agent, message);
    const inTurn: number[] = [];
    for (const message of messages) inTurn.push(await callTimeMs(portal.port, agent, message));
    const paced: Promise<number>[] = [];
    const startedAt = performance.now();
    for (let sent = 0; sent < QUESTIONS_PER_SECOND * PACED_SECONDS; sent += 1) {
      const dueAt = startedAt + (sent * 1_000) / QUESTIONS_PER_SECOND;
      await setTimeout(Math.max(0, dueAt - performance.now()));
      paced.push(
        callTimeMs(portal.port, agent, messages[sent % messages.length] ?? '').then(
          () => performance.now() - dueAt,
        ),
      );
    }
    return { inTurn: timesOf(inTurn), paced: timesOf(await Promise.all(paced)) };
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

async function benchSet(
  name: (typeof SET_NAMES)[number],
  ask: AskAssistant,
  didYouMean: string,
): Promise<boolean> {
  const set = await readQuestionSet(name);
  const tallies = tally(set, ask, didYouMean);
  print(`\n${name}: ${'register'.padEnd(12)} ${VERDICTS.map((verdict) => verdict.padStart(10)).join('')}`);
  for (const [register, counts] of [...tallies].sort(([one], [other]) => one.localeCompare(other))) {
    const columns = VERDICTS.map((verdict) => String(counts[verdict]).padStart(10));
    print(`${' '.repeat(name.length + 2)}${register.padEnd(12)} ${columns.join('')}`);
  }
  const { right = 0, suggested = 0, wrong = 0 } = tallies.get('all') ?? {};
  const questionCount = set.answered.length;
  const shareDeclined = (questions: readonly { readonly ask: string }[]) =>
    1 - wronglyAnswered(questions, ask).length / Math.max(1, questions.length);
  const outOfScopeShare = shareDeclined(set['out-of-scope']);
  const hostileShare = shareDeclined(set.hostile);
  const rightShare = right / questionCount;
  print(`${'right or suggested'.padEnd(34)} ${percent((right + suggested) / questionCount)}`);
  print(`${'known subject, declined'.padEnd(34)} ${percent(shareDeclined(set['known-subject']))}`);
  return [
    printLimit('right', rightShare, `≥ ${percent(MIN_RIGHT_SHARE)}`, rightShare >= MIN_RIGHT_SHARE),
    printLimit(
      'wrong',
      wrong / questionCount,
      `≤ ${percent(MAX_WRONG_SHARE)}`,
      wrong / questionCount <= MAX_WRONG_SHARE,
    ),
    printLimit(
      'out of scope, declined',
      outOfScopeShare,
      `≥ ${percent(MIN_DECLINED_SHARE)}`,
      outOfScopeShare >= MIN_DECLINED_SHARE,
    ),
    printLimit('hostile, declined', hostileShare, percent(1), hostileShare === 1),
  ].every(Boolean);
}

/** Measures the assistant's correct answers by register (how the visitor writes), its refusals and its response times. */
export async function benchChat(): Promise<boolean> {
  await buildSiteIfStale(new AbortController().signal);
  const rssBefore = process.memoryUsage().rss;
  const startedAt = performance.now();
  const book: OpenedBook = await builtBookOpener('dist')();
  print(
    `the book opens in ${(performance.now() - startedAt).toFixed(0)} ms and takes ${((process.memoryUsage().rss - rssBefore) / 2 ** 20).toFixed(0)} MiB`,
  );
  const inputs = noFigureInputs('embedded-ledger', new Set());
  const ask: AskAssistant = (message, earlier = []) =>
    answerLocally(message, { inputs, now: Date.now(), book, earlier });
  const outcomes: boolean[] = [];
  for (const name of SET_NAMES) outcomes.push(await benchSet(name, ask, book.texts.didYouMean));

  const questions = (await readQuestionSet('registers')).answered.map(({ ask: message }) => message);
  // The slowest question: as long as possible, and every word misspelled.
  const messages = [...questions, 'lokcde wihtdrwa '.repeat(31)];
  const times = await chatCallTimes(book, messages);
  print('');
  const areFast = Object.entries({
    'an answer over HTTP, in turn': times.inTurn,
    [`${QUESTIONS_PER_SECOND} questions a second`]: times.paced,
  }).map(([name, { medianMs, p99Ms }]) => {
    const outcome = `limit ${MAX_P99_MS} ms: ${p99Ms <= MAX_P99_MS ? 'met' : 'MISSED'}`;
    print(`${name.padEnd(34)} ${medianMs.toFixed(2)} ms, 99th percentile ${p99Ms.toFixed(2)} ms; ${outcome}`);
    return p99Ms <= MAX_P99_MS;
  });
  return [...outcomes, ...areFast].every(Boolean);
}
