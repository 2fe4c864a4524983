import { beforeEach, describe, expect, it } from 'vitest';
import type { EndpointHealth } from '../../data/store/ports.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { RetryableRpcError } from '../rpc/rpc-errors.ts';
import { type AtSlot, getMultipleAccounts } from '../rpc/solana-calls.ts';
import { createSecondOpinion, type SecondOpinion, type Told } from './second-opinion.ts';

const never = new AbortController().signal;
const FAILS = 'fails';
/** It answers this call with an error. */
const REFUSES = 'refuses';
/** It is up, and has no room for the call at the moment. */
const BUSY = 'busy';

/** What each endpoint answers, by the number of the question from 0: a slot and lamports. */
type Script = Record<
  string,
  (question: number) => readonly [number, bigint] | typeof FAILS | typeof REFUSES | typeof BUSY
>;

let script: Script;
let questions: number;
let distrusted: string[];
let contradicting: string[];
let reports: (readonly string[])[];
/** Of endpoints that are not active. */
let standing: Map<string, 'resting' | 'put-aside'>;
let opinion: SecondOpinion;
beforeEach(() => {
  questions = 0;
  distrusted = [];
  contradicting = [];
  reports = [];
  standing = new Map();
  // As the pool: who takes too long or is not there has failed and rests, and who rests is not waited for.
  const answerOf = (endpoint: string, question: number) => {
    const isResting = standing.get(endpoint) === 'resting';
    const answer = script[endpoint]?.(question) ?? FAILS;
    if (typeof answer === 'object' && !isResting) {
      return { endpoint, replies: [{ ok: true, value: accounts(...answer), by: endpoint }] };
    }
    const fault = isResting || answer === BUSY ? 'resting' : answer === REFUSES ? 'node' : 'timeout';
    if (fault === 'timeout') standing.set(endpoint, 'resting');
    const error = new RetryableRpcError(fault, 'no');
    return { endpoint, replies: [{ ok: false, error, by: endpoint }] };
  };
  const pool: Pick<EndpointPool, 'askEach' | 'distrust' | 'noteContradiction' | 'health'> = {
    askEach: (async (_calls: unknown, _signal: AbortSignal, withinMs?: number) => {
      if (withinMs === undefined) throw new Error('It would wait for endpoints that hang.');
      const question = questions;
      questions += 1;
      return Object.keys(script).map((name) => answerOf(name, question));
    }) as never,
    distrust(endpoint) {
      distrusted.push(endpoint);
      standing.set(endpoint, 'put-aside');
    },
    noteContradiction: (endpoint) => void contradicting.push(endpoint),
    health: () =>
      Object.keys(script).map((name) => ({ name, state: standing.get(name) ?? 'active' }) as EndpointHealth),
  };
  opinion = createSecondOpinion({
    pool,
    accountsCall: getMultipleAccounts(['vault']),
    onContradiction: (endpoints) => void reports.push(endpoints),
  });
});

function accounts(
  slot: number,
  lamports: bigint,
): AtSlot<{ owner: string; lamports: bigint; data: Buffer }[]> {
  return { slot, value: [{ owner: 'owner', lamports, data: Buffer.of(1) }] };
}
const told = (by: string, slot: number, lamports: bigint): Told => ({
  by,
  accounts: accounts(slot, lamports),
});
const BEFORE = told('a', 4, 1n);
const denies = (change: Told, stored: Told | null = BEFORE) => opinion.denies(change, stored, never);

describe('a changed balance', () => {
  it.each([
    ['at the same slot', 5],
    ['at a later one', 6],
    ['at an earlier one', 4],
  ])('is taken where another endpoint tells it too, %s', async (_when, slot) => {
    script = { a: () => [5, 9n], b: () => [slot, 9n] };
    expect(await denies(told('a', 5, 9n))).toBe(false);
    expect(questions).toBe(1);
  });

  it('is not taken where another endpoint tells a different one for the very same slot', async () => {
    script = { a: () => [5, 9n], b: () => [5, 1n] };
    expect(await denies(told('a', 5, 9n))).toBe(true);
  });

  it('is not taken where another endpoint that is further tells what is stored', async () => {
    script = { a: () => [5, 9n], b: () => [8, 1n] };
    expect(await denies(told('a', 5, 9n))).toBe(true);
    expect(distrusted).toEqual([]);
  });

  it('waits for an endpoint that is behind', async () => {
    script = { a: () => [5, 9n], b: (question) => (question === 0 ? [4, 1n] : [6, 9n]) };
    expect(await denies(told('a', 5, 9n))).toBe(false);
    expect(questions).toBe(2);
  });

  it('is not taken where all others tell what is stored, however far ahead the one is that tells it', async () => {
    script = { a: () => [1e9, 9n], b: () => [8, 1n], c: () => [8, 1n], d: () => [7, 1n] };
    expect(await denies(told('a', 1e9, 9n))).toBe(true);
    script = { a: () => [1e9, 9n], b: () => FAILS, c: () => FAILS, d: () => [7, 1n] };
    expect(await denies(told('a', 1e9, 9n))).toBe(true);
  });

  it('is taken where the others are behind and have seen changes too', async () => {
    script = { a: () => [9, 9n], b: () => [8, 5n] };
    expect(await denies(told('a', 9, 9n))).toBe(false);
  });

  it.each([
    ['fails', (): typeof FAILS => FAILS],
    ['refuses the call', (): typeof REFUSES => REFUSES],
  ])('is judged by the others where one of them %s', async (_how, dead) => {
    script = { a: () => [5, 9n], b: () => [5, 1n], c: () => [5, 1n], dead };
    expect(await denies(told('a', 5, 9n), null)).toBe(true);
    expect(distrusted).toEqual(['a']);
  });

  it('is taken where no other endpoint is up or can say anything', async () => {
    script = { a: () => [5, 9n], b: () => FAILS };
    expect(await denies(told('a', 5, 9n))).toBe(false);
    questions = 0;
    expect(await denies(told('a', 5, 9n))).toBe(false);
    expect(questions).toBe(0);
    script = { a: () => [5, 9n], c: () => REFUSES };
    expect(await denies(told('a', 5, 9n))).toBe(false);
  });

  it('is not taken before an endpoint was heard that is up', async () => {
    script = { a: () => [5, 9n], b: () => BUSY };
    expect(await denies(told('a', 5, 9n))).toBe(true);
  });

  it('is not judged by an endpoint that is put aside', async () => {
    script = { a: () => [5, 9n], b: () => [5, 1n], c: () => [4, 7n] };
    standing.set('b', 'put-aside');
    expect(await denies(told('a', 5, 9n))).toBe(false);
    script = { a: () => [5, 9n], b: () => [5, 1n] };
    expect(await denies(told('a', 5, 9n))).toBe(false);
  });

  it('is never taken while two endpoints do not agree; it is told once, and ends when one is put aside', async () => {
    script = { a: () => [5, 9n], b: () => [5, 1n] };
    for (let times = 0; times < 12; times += 1) expect(await denies(told('a', 5, 9n), null)).toBe(true);
    expect(distrusted).toEqual([]);
    expect(reports).toEqual([['a', 'b']]);
    expect(contradicting).toEqual(['a', 'b']);
    standing.set('b', 'put-aside');
    expect(await denies(told('a', 5, 9n), null)).toBe(false);
    expect(reports).toEqual([['a', 'b'], []]);
  });
});

describe('an endpoint that tells other balances than the others for the very same slot', () => {
  it('is put aside where the others are more', async () => {
    script = { a: () => [5, 9n], b: () => [5, 1n], c: () => [5, 1n] };
    expect(await denies(told('a', 5, 9n), null)).toBe(true);
    expect(distrusted).toEqual(['a']);
  });

  it('is put aside where it contradicts the one whose answer is stored', async () => {
    script = { a: () => [5, 1n], b: () => [5, 9n] };
    expect(await denies(told('b', 5, 9n))).toBe(true);
    expect(distrusted).toEqual(['b']);
  });

  it('is not put aside where it agrees once it is asked again: a ledger may still be at work on its newest slot', async () => {
    script = { a: () => [5, 2n], b: () => [5, 2n] };
    expect(await denies(told('b', 5, 9n))).toBe(true);
    expect(distrusted).toEqual([]);
  });
});
