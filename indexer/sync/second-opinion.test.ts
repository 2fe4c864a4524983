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
/** Slot and lamports of what may be stored; null where nothing. */
async function stores(change: Told, stored: Told | null = BEFORE): Promise<readonly [number, bigint] | null> {
  const believed = await opinion.judge(change, stored, never);
  return believed && [believed.accounts.slot, believed.accounts.value[0]?.lamports ?? 0n];
}
async function denies(change: Told, stored: Told | null = BEFORE): Promise<boolean> {
  return (await opinion.judge(change, stored, never)) !== change;
}

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

  it.each<[string, Script]>([
    ['the only other one is behind and has seen changes too', { b: () => [8, 5n] }],
    ['the others tell a third and a fourth state', { b: () => [8, 5n], c: () => [10, 6n] }],
    [
      'others agreed before they came to its slot',
      {
        b: (at) => [[7, 5n] as const, [8, 5n] as const][at] ?? [11, 7n],
        c: (at) => [[7, 5n] as const, [10, 6n] as const][at] ?? [12, 8n],
      },
    ],
  ])('is taken where %s', async (_where, others) => {
    script = { a: () => [9, 9n], ...others };
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

describe('a change against which two others agree, whatever their slots', () => {
  const agreeing = { b: () => [20, 5n], c: () => [22, 5n] } satisfies Script;

  it.each([
    ['at the first snapshot after a start', null],
    ['where the balance has moved meanwhile', BEFORE],
  ])('is not taken, but what they agree on, %s', async (_when, stored) => {
    for (const slot of [10, 20, 21, 22, 30]) {
      script = { a: () => [slot, 9n], ...agreeing };
      expect(await stores(told('a', slot, 9n), stored)).toEqual([20, 5n]);
    }
  });

  it('is not taken where they come to the same state one after the other', async () => {
    script = {
      a: () => [10, 9n],
      b: (at) => [[11, 5n] as const, [12, 6n] as const][at] ?? [13, 7n],
      c: (at) => [14 + at, 6n],
    };
    expect(await stores(told('a', 10, 9n))).toEqual([12, 6n]);
  });

  it('is taken where another tells it too', async () => {
    script = { a: () => [21, 9n], ...agreeing, d: (at) => [20 + at, at === 0 ? 1n : 9n] };
    expect(await denies(told('a', 25, 9n), null)).toBe(false);
    script = { a: () => [21, 9n], ...agreeing, d: () => [19, 9n] };
    expect(await denies(told('a', 21, 9n), null)).toBe(false);
  });

  it('leaves what is stored where they agree on that, or are not so far yet', async () => {
    script = { a: () => [21, 9n], ...agreeing };
    expect(await stores(told('a', 21, 9n), told('a', 19, 5n))).toBeNull();
    expect(await stores(told('a', 30, 9n), told('a', 25, 1n))).toBeNull();
  });

  it('holds nothing up where the balance changes in every slot and the one that is asked is always behind', async () => {
    let stored: Told | null = null;
    for (let slot = 100; slot < 130; slot += 3) {
      const change = told('a', slot, BigInt(slot));
      const ahead = slot + 2;
      script = {
        a: () => [slot, BigInt(slot)],
        b: () => [ahead, BigInt(ahead)],
        c: () => [ahead, BigInt(ahead)],
      };
      stored = await opinion.judge(change, stored, never);
      expect(stored?.accounts.slot).toBe(ahead);
    }
    expect(distrusted).toEqual([]);
    expect(contradicting).toEqual([]);
  });
});

describe('an endpoint whose balances others deny', () => {
  const lie = (slot: number, stored: Told | null = null) => {
    script = { a: () => [slot, 9n], b: () => [slot - 1, 5n], c: () => [slot + 1, 5n] };
    return denies(told('a', slot, 9n), stored);
  };

  it('is put aside where they agree before and after its slot, once it repeats', async () => {
    expect([await lie(10), await lie(20)]).toEqual([true, true]);
    expect(distrusted).toEqual([]);
    expect(await lie(30)).toBe(true);
    expect(distrusted).toEqual(['a']);
  });

  it('is put aside where it is always behind them, and their balance stays', async () => {
    for (const slot of [10, 20, 30, 40]) {
      script = { a: () => [slot, 9n], b: () => [slot + 1, 5n], c: () => [slot + 2, 5n] };
      expect(await denies(told('a', slot, 9n), null)).toBe(true);
    }
    expect(distrusted).toEqual(['a']);
  });

  it('is put aside where they are further and tell what is stored', async () => {
    for (const slot of [10, 20, 30]) {
      script = { a: () => [slot, 9n], b: () => [slot + 1, 1n], c: () => [slot + 2, 1n] };
      expect(await stores(told('a', slot, 9n))).toBeNull();
    }
    expect(distrusted).toEqual(['a']);
  });

  it('is not put aside for what another endpoint told too in between', async () => {
    await lie(10);
    await lie(20);
    script = { a: () => [25, 9n], b: () => [25, 9n], c: () => [26, 9n] };
    expect(await denies(told('a', 25, 9n), null)).toBe(false);
    expect([await lie(30), await lie(40)]).toEqual([true, true]);
    expect(distrusted).toEqual([]);
  });

  it('is not put aside where it tells the same for its slot by then: a ledger may still be at work on it', async () => {
    for (const slot of [10, 20, 30, 40]) {
      const lamports = BigInt(slot);
      script = { a: () => [slot, lamports], b: () => [slot, lamports], c: () => [slot + 1, lamports] };
      expect(await stores(told('a', slot, 9n), null)).toEqual([slot, lamports]);
    }
    expect(distrusted).toEqual([]);
  });

  it('is noted alone where they agree with each other', async () => {
    for (let times = 0; times < 5; times += 1) {
      script = { a: () => [30, 9n], b: () => [8, 1n], c: () => [7, 1n] };
      expect(await denies(told('a', 30, 9n))).toBe(true);
    }
    expect(contradicting).toEqual(['a']);
    expect(reports).toEqual([['a', 'c', 'b']]);
  });

  it('puts none of them aside, though its own answer is stored', async () => {
    script = { a: () => [20, 9n], b: () => [20, 5n], c: () => [22, 5n] };
    expect(await stores(told('a', 20, 9n))).toEqual([20, 5n]);
    expect(distrusted).toEqual([]);
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
