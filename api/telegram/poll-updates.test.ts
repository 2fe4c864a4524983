import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { BotAnswer, BotError, BotUser, RawUpdate } from './bot-client.ts';
import { pollPauseMs, pollUpdates } from './poll-updates.ts';

const ME: BotUser = { id: 1, first_name: 'BlackDuck', username: 'duck_bot' };
const failureOf = (kind: BotError['kind'], retryAfterMs?: number): BotAnswer<never> => ({
  ok: false,
  error: { kind, message: `it is ${kind}`, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
});
const updatesAnswer = (...ids: number[]): BotAnswer<RawUpdate[]> => ({
  ok: true,
  result: ids.map((update_id) => ({ update_id })),
});

/** Starts polling. After the last of these answers, a read stays open until polling stops. */
function start(
  answers: readonly BotAnswer<RawUpdate[]>[],
  { me = [] as BotAnswer<BotUser>[], handle = async (_id: number) => {} } = {},
) {
  const reads: { offset: number; wait: number }[] = [];
  const pauses: number[] = [];
  const logged: string[] = [];
  const remainingAnswers = [...answers];
  const greetings = [...me];
  let now = 0;
  const { promise: whenWaiting, resolve: markWaiting } = Promise.withResolvers<void>();
  const polling = pollUpdates({
    api: {
      getMe: async () => greetings.shift() ?? { ok: true, result: ME },
      getUpdates: async (offset, wait, signal) => {
        reads.push({ offset, wait });
        const answer = remainingAnswers.shift();
        if (answer) return answer;
        if (wait === 0) return updatesAnswer();
        markWaiting();
        await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
        return failureOf('unreadable');
      },
    },
    handle: ({ update_id: id }) => handle(id),
    log: pino({}, { write: (line: string) => void logged.push(line) }),
    // Time passes between the calls, as during long reads.
    now: () => (now += 5_000),
    pause: async (ms) => void pauses.push(ms),
  });
  return { polling, reads, pauses, logged, whenWaiting };
}

describe('polling', () => {
  it('handles each update once, and confirms it with the next read or at the end', async () => {
    const handledIds: number[] = [];
    const handle = async (id: number) => void handledIds.push(id);
    const { polling, reads, whenWaiting } = start([updatesAnswer(5, 6), updatesAnswer(), updatesAnswer(7)], {
      handle,
    });
    await whenWaiting;
    expect(polling.state().kind).toBe('listening');
    await polling.stop();
    expect(handledIds).toEqual([5, 6, 7]);
    expect(reads.map(({ offset }) => offset)).toEqual([0, 7, 7, 8, 8]);
    expect(reads.at(-1)?.wait).toBe(0);
    expect(polling.state().kind).toBe('stopped');
  });

  it('accepts lower ids, which Telegram may choose after a week without updates', async () => {
    const { polling, reads, whenWaiting } = start([updatesAnswer(900), updatesAnswer(100), updatesAnswer()]);
    await whenWaiting;
    await polling.stop();
    expect(reads.map(({ offset }) => offset)).toEqual([0, 901, 101, 101, 101]);
  });

  it.each(['token', 'conflict', 'busy', 'failed', 'unreachable', 'silent', 'unreadable'] as const)(
    'continues after errors of kind %s with pauses, and logs them once',
    async (kind) => {
      const answers = [failureOf(kind), failureOf(kind), failureOf(kind), updatesAnswer(1)];
      const { polling, pauses, logged, whenWaiting } = start(answers);
      await whenWaiting;
      expect(pauses).toHaveLength(3);
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
      expect(logged.filter((line) => line.includes('cannot read'))).toHaveLength(1);
      expect(logged.filter((line) => line.includes('can read its updates again'))).toHaveLength(1);
      expect(polling.state().kind).toBe('listening');
      await polling.stop();
    },
  );

  it('pauses for a minute if the token is invalid at the start', async () => {
    const { polling, pauses, whenWaiting } = start([], { me: [failureOf('token')] });
    await whenWaiting;
    expect(pauses).toEqual([60_000]);
    await polling.stop();
  });

  it('is not blocked by a slow update, but waits for it when stopping', async () => {
    const { promise: slowWork, resolve: finish } = Promise.withResolvers<void>();
    const handledIds: number[] = [];
    const handle = async (id: number) => {
      if (id === 1) await slowWork;
      handledIds.push(id);
    };
    const { polling, whenWaiting } = start([updatesAnswer(1, 2), updatesAnswer(3)], { handle });
    await whenWaiting;
    expect(handledIds).toEqual([2, 3]);
    const stopping = polling.stop();
    finish();
    await stopping;
    expect(handledIds).toEqual([2, 3, 1]);
  });

  it('leaves updates to the next start if it has not begun to handle them', async () => {
    const { promise: slowWork, resolve: finish } = Promise.withResolvers<void>();
    const { promise: whenFull, resolve: markFull } = Promise.withResolvers<void>();
    const handledIds: number[] = [];
    const handle = async (id: number) => {
      if (id === 8) markFull();
      await slowWork;
      handledIds.push(id);
    };
    const { polling, reads } = start([updatesAnswer(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)], { handle });
    await whenFull;
    const stopping = polling.stop();
    finish();
    await stopping;
    expect(handledIds).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(reads.at(-1)).toEqual({ offset: 9, wait: 0 });
  });
});

describe('the pause after a failure', () => {
  const errorOf = (kind: BotError['kind']): BotError => ({ kind, message: '' });

  it('grows up to a limit, and is longer for errors that an operator must fix', () => {
    const pausesFor = (kind: BotError['kind']) =>
      [1, 2, 60].map((failures) => pollPauseMs(errorOf(kind), failures));
    expect(pausesFor('failed')).toEqual([1_000, 2_000, 30_000]);
    expect(pausesFor('conflict')).toEqual([5_000, 10_000, 60_000]);
    expect(pausesFor('token')).toEqual([60_000, 120_000, 600_000]);
  });

  it('follows Telegram’s retry_after, up to a limit', () => {
    expect(pollPauseMs({ ...errorOf('busy'), retryAfterMs: 7_000 }, 9)).toBe(7_000);
    expect(pollPauseMs({ ...errorOf('busy'), retryAfterMs: 86_400_000 }, 1)).toBe(600_000);
  });
});
