import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EndpointHealth } from '../../data/store/ports.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { RetryableRpcError } from '../rpc/rpc-errors.ts';
import { getMultipleAccounts } from '../rpc/solana-calls.ts';
import { speedUpTime } from '../testing/fast-time.ts';
import { agreement, contradictors, createSecondOpinion, type EndpointReport } from './second-opinion.ts';
import type { FollowedAccounts } from './snapshot.ts';

const state = (endpoint: string, slot: number, digest: string) => ({ endpoint, slot, digest });

describe('endpoints that contradict each other', () => {
  it.each([
    ['none, where all agree', [state('a', 5, 'x'), state('b', 5, 'x')], []],
    ['none, where their slots differ', [state('a', 5, 'x'), state('b', 6, 'y')], []],
    ['none, where only one answers', [state('b', 5, 'y')], []],
    [
      'the minority, even where its answer is stored',
      [state('a', 5, 'x'), state('b', 5, 'y'), state('c', 5, 'y')],
      ['a'],
    ],
    ['the one of two that contradicts the stored state', [state('a', 5, 'x'), state('b', 5, 'y')], ['b']],
    [
      'none, where the endpoint of the stored state is on neither side',
      [state('b', 5, 'x'), state('c', 5, 'y')],
      [],
    ],
  ])('are %s', (_rule, answers, expected) => {
    expect(contradictors(answers, 'a')).toEqual(expected);
  });
});

describe('the state that endpoints agree on', () => {
  it.each([
    [
      'none, where only one endpoint repeats a state',
      [state('a', 5, 'x'), state('a', 6, 'x'), state('b', 7, 'y')],
      [],
    ],
    [
      'the state of two endpoints at different slots, ordered by slot',
      [state('a', 7, 'x'), state('b', 5, 'x'), state('c', 9, 'y')],
      [5, 7],
    ],
    [
      'the state of most endpoints',
      [state('a', 5, 'x'), state('b', 5, 'x'), state('c', 5, 'x'), state('d', 9, 'y'), state('e', 9, 'y')],
      [5, 5, 5],
    ],
    [
      'between equal sides, the later one',
      [state('a', 5, 'x'), state('b', 6, 'y'), state('c', 7, 'y'), state('d', 6, 'x')],
      [6, 7],
    ],
  ])('is %s', (_rule, answers, expected) => {
    expect(agreement(answers).map(({ slot }) => slot)).toEqual(expected);
  });
});

const never = new AbortController().signal;
const FAILS = 'fails';
/** The endpoint answers with an error. */
const REFUSES = 'refuses';
/** The endpoint is active, and has no capacity for the call now. */
const BUSY = 'busy';

/** Each endpoint's answers (slot and lamports) by request number, from 0. */
type Script = Record<
  string,
  (query: number) => readonly [number, bigint] | typeof FAILS | typeof REFUSES | typeof BUSY
>;

let script: Script;
let querys: number;
let distrusted: string[];
let contradicting: string[];
let reports: (readonly string[])[];
/** Endpoints that are not active. */
let standing: Map<string, 'backoff' | 'distrusted'>;
let inactive: Set<string>;
let opinion: ReturnType<typeof createSecondOpinion>;
let time: ReturnType<typeof speedUpTime>;
beforeAll(() => {
  time = speedUpTime(50);
});
afterAll(() => time.restore());
beforeEach(() => {
  querys = 0;
  distrusted = [];
  contradicting = [];
  reports = [];
  standing = new Map();
  inactive = new Set();
  // As in the pool, an endpoint that fails or times out backs off, and nothing waits for it.
  const answerOf = (endpoint: string, query: number) => {
    const isBackingOff = standing.get(endpoint) === 'backoff';
    const answer = script[endpoint]?.(query) ?? FAILS;
    if (typeof answer === 'object' && !isBackingOff) {
      return { endpoint, replies: [{ ok: true, value: accounts(...answer), by: endpoint }] };
    }
    const failure = isBackingOff || answer === BUSY ? 'backoff' : answer === REFUSES ? 'node' : 'timeout';
    if (failure === 'timeout') standing.set(endpoint, 'backoff');
    const error = new RetryableRpcError(failure, 'no');
    return { endpoint, replies: [{ ok: false, error, by: endpoint }] };
  };
  const pool: Pick<EndpointPool, 'requestFromEach' | 'distrust' | 'noteContradiction' | 'health'> = {
    requestFromEach: (async (_calls: unknown, _signal: AbortSignal, withinMs?: number) => {
      if (withinMs === undefined) throw new Error('the request would wait for endpoints that hang');
      const query = querys;
      querys += 1;
      return Object.keys(script).map((name) => answerOf(name, query));
    }) as never,
    distrust(endpoint) {
      distrusted.push(endpoint);
      standing.set(endpoint, 'distrusted');
    },
    noteContradiction: (endpoint) => void contradicting.push(endpoint),
    health: () =>
      Object.keys(script).map((name) => {
        const state = standing.get(name) ?? 'active';
        return { name, state, active: state !== 'distrusted' && !inactive.has(name) } as EndpointHealth;
      }),
  };
  opinion = createSecondOpinion({
    pool,
    accountsCall: { ...getMultipleAccounts(['vault']), read: () => accounts(0, 0n) },
    onContradiction: (endpoints) => void reports.push(endpoints),
  });
});

function accounts(slot: number, lamports: bigint): FollowedAccounts {
  return { slot, value: [{ owner: 'owner', lamports, data: Buffer.of(1) }], chainTime: null };
}
const report = (by: string, slot: number, lamports: bigint): EndpointReport => ({
  by,
  accounts: accounts(slot, lamports),
});
const BEFORE = report('a', 4, 1n);
/** The slot and lamports of the state to store; null for none. */
async function stores(
  change: EndpointReport,
  stored: EndpointReport | null = BEFORE,
): Promise<readonly [number, bigint] | null> {
  const accepted = await opinion.judge(change, stored, never);
  return accepted && [accepted.accounts.slot, accepted.accounts.value[0]?.lamports ?? 0n];
}
async function denies(change: EndpointReport, stored: EndpointReport | null = BEFORE): Promise<boolean> {
  return (await opinion.judge(change, stored, never)) !== change;
}

describe('a changed balance', () => {
  it.each([
    ['at the same slot', 5],
    ['at a later one', 6],
    ['at an earlier one', 4],
  ])('is accepted where another endpoint reports it too, %s', async (_when, slot) => {
    script = { a: () => [5, 9n], b: () => [slot, 9n] };
    expect(await denies(report('a', 5, 9n))).toBe(false);
    expect(querys).toBe(1);
  });

  it('is rejected if another endpoint reports a different one at the same slot', async () => {
    script = { a: () => [5, 9n], b: () => [5, 1n] };
    expect(await denies(report('a', 5, 9n))).toBe(true);
  });

  it('is rejected if another endpoint at a later slot reports the stored state', async () => {
    script = { a: () => [5, 9n], b: () => [8, 1n] };
    expect(await denies(report('a', 5, 9n))).toBe(true);
    expect(distrusted).toEqual([]);
  });

  it('waits for an endpoint that is behind', async () => {
    script = { a: () => [5, 9n], b: (query) => (query === 0 ? [4, 1n] : [6, 9n]) };
    expect(await denies(report('a', 5, 9n))).toBe(false);
    expect(querys).toBe(2);
  });

  it('is rejected if all others report the stored state, however far ahead the first endpoint is', async () => {
    script = { a: () => [1e9, 9n], b: () => [8, 1n], c: () => [8, 1n], d: () => [7, 1n] };
    expect(await denies(report('a', 1e9, 9n))).toBe(true);
    script = { a: () => [1e9, 9n], b: () => FAILS, c: () => FAILS, d: () => [7, 1n] };
    expect(await denies(report('a', 1e9, 9n))).toBe(true);
  });

  it.each<[string, Script]>([
    ['the only other endpoint is behind and reports changes too', { b: () => [8, 5n] }],
    ['the others report a third and a fourth state', { b: () => [8, 5n], c: () => [10, 6n] }],
    [
      'the others agreed before they reached its slot',
      {
        b: (at) => [[7, 5n] as const, [8, 5n] as const][at] ?? [11, 7n],
        c: (at) => [[7, 5n] as const, [10, 6n] as const][at] ?? [12, 8n],
      },
    ],
  ])('is accepted where %s', async (_where, others) => {
    script = { a: () => [9, 9n], ...others };
    expect(await denies(report('a', 9, 9n))).toBe(false);
  });

  it.each([
    ['fails', (): typeof FAILS => FAILS],
    ['returns an error', (): typeof REFUSES => REFUSES],
  ])('is judged by the others where one of them %s', async (_how, dead) => {
    script = { a: () => [5, 9n], b: () => [5, 1n], c: () => [5, 1n], dead };
    expect(await denies(report('a', 5, 9n), null)).toBe(true);
    expect(distrusted).toEqual(['a']);
  });

  it('is accepted if no other endpoint is active or can answer', async () => {
    script = { a: () => [5, 9n], b: () => FAILS };
    // One that backs off briefly may still contradict.
    expect(await denies(report('a', 5, 9n))).toBe(true);
    inactive.add('b');
    standing.set('b', 'backoff');
    querys = 0;
    expect(await denies(report('a', 5, 9n))).toBe(false);
    expect(querys).toBe(0);
    script = { a: () => [5, 9n], c: () => REFUSES };
    expect(await denies(report('a', 5, 9n))).toBe(false);
  });

  it('is not accepted before every active endpoint has answered', async () => {
    script = { a: () => [5, 9n], b: () => BUSY };
    expect(await denies(report('a', 5, 9n))).toBe(true);
  });

  it('is not judged by a distrusted endpoint', async () => {
    script = { a: () => [5, 9n], b: () => [5, 1n], c: () => [4, 7n] };
    standing.set('b', 'distrusted');
    expect(await denies(report('a', 5, 9n))).toBe(false);
    script = { a: () => [5, 9n], b: () => [5, 1n] };
    expect(await denies(report('a', 5, 9n))).toBe(false);
  });

  it('is never accepted while two endpoints disagree, which is reported once and ends once one is distrusted', async () => {
    script = { a: () => [5, 9n], b: () => [5, 1n] };
    for (let times = 0; times < 12; times += 1) expect(await denies(report('a', 5, 9n), null)).toBe(true);
    expect(distrusted).toEqual([]);
    expect(reports).toEqual([['a', 'b']]);
    expect(contradicting).toEqual(['a', 'b']);
    standing.set('b', 'distrusted');
    expect(await denies(report('a', 5, 9n), null)).toBe(false);
    expect(reports).toEqual([['a', 'b'], []]);
  });
});

describe('a change that two others deny while they agree with each other, at any slots', () => {
  const agreeing = { b: () => [20, 5n], c: () => [22, 5n] } satisfies Script;

  it.each([
    ['at the first snapshot after a start', null],
    ['where the balance has changed since', BEFORE],
  ])('is rejected in favour of their state, %s', async (_when, stored) => {
    for (const slot of [10, 20, 21, 22, 30]) {
      script = { a: () => [slot, 9n], ...agreeing };
      expect(await stores(report('a', slot, 9n), stored)).toEqual([20, 5n]);
    }
  });

  it('is rejected if they reach the same state one after the other', async () => {
    script = {
      a: () => [10, 9n],
      b: (at) => [[11, 5n] as const, [12, 6n] as const][at] ?? [13, 7n],
      c: (at) => [14 + at, 6n],
    };
    expect(await stores(report('a', 10, 9n))).toEqual([12, 6n]);
  });

  it('is accepted if another endpoint reports it too', async () => {
    script = { a: () => [21, 9n], ...agreeing, d: (at) => [20 + at, at === 0 ? 1n : 9n] };
    expect(await denies(report('a', 25, 9n), null)).toBe(false);
    script = { a: () => [21, 9n], ...agreeing, d: () => [19, 9n] };
    expect(await denies(report('a', 21, 9n), null)).toBe(false);
  });

  it('leaves the stored state unchanged if they agree on it, or on an earlier slot', async () => {
    script = { a: () => [21, 9n], ...agreeing };
    expect(await stores(report('a', 21, 9n), report('a', 19, 5n))).toBeNull();
    expect(await stores(report('a', 30, 9n), report('a', 25, 1n))).toBeNull();
  });

  it('causes no delay if the balance changes in every slot and the reporting endpoint is always behind', async () => {
    let stored: EndpointReport | null = null;
    for (let slot = 100; slot < 130; slot += 3) {
      const change = report('a', slot, BigInt(slot));
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

describe('an endpoint that reports balances which others deny', () => {
  const lie = (slot: number, stored: EndpointReport | null = null) => {
    script = { a: () => [slot, 9n], b: () => [slot - 1, 5n], c: () => [slot + 1, 5n] };
    return denies(report('a', slot, 9n), stored);
  };

  it('is distrusted if they repeatedly agree before and after its slot', async () => {
    expect([await lie(10), await lie(20)]).toEqual([true, true]);
    expect(distrusted).toEqual([]);
    expect(await lie(30)).toBe(true);
    expect(distrusted).toEqual(['a']);
  });

  it('is distrusted if it is always behind them and their balance does not change', async () => {
    for (const slot of [10, 20, 30, 40]) {
      script = { a: () => [slot, 9n], b: () => [slot + 1, 5n], c: () => [slot + 2, 5n] };
      expect(await denies(report('a', slot, 9n), null)).toBe(true);
    }
    expect(distrusted).toEqual(['a']);
  });

  it('is distrusted if they are ahead and report the stored state', async () => {
    for (const slot of [10, 20, 30]) {
      script = { a: () => [slot, 9n], b: () => [slot + 1, 1n], c: () => [slot + 2, 1n] };
      expect(await stores(report('a', slot, 9n))).toBeNull();
    }
    expect(distrusted).toEqual(['a']);
  });

  it('is not distrusted if another endpoint confirmed it in between', async () => {
    await lie(10);
    await lie(20);
    script = { a: () => [25, 9n], b: () => [25, 9n], c: () => [26, 9n] };
    expect(await denies(report('a', 25, 9n), null)).toBe(false);
    expect([await lie(30), await lie(40)]).toEqual([true, true]);
    expect(distrusted).toEqual([]);
  });

  it('is not distrusted if it then reports their state for its slot: its newest slot may have been incomplete', async () => {
    for (const slot of [10, 20, 30, 40]) {
      const lamports = BigInt(slot);
      script = { a: () => [slot, lamports], b: () => [slot, lamports], c: () => [slot + 1, lamports] };
      expect(await stores(report('a', slot, 9n), null)).toEqual([slot, lamports]);
    }
    expect(distrusted).toEqual([]);
  });

  it('is the only one noted if the others agree', async () => {
    for (let times = 0; times < 5; times += 1) {
      script = { a: () => [30, 9n], b: () => [8, 1n], c: () => [7, 1n] };
      expect(await denies(report('a', 30, 9n))).toBe(true);
    }
    expect(contradicting).toEqual(['a']);
    expect(reports).toEqual([['a', 'c', 'b']]);
  });

  it('stays trusted like the others, even if its own answer is stored', async () => {
    script = { a: () => [20, 9n], b: () => [20, 5n], c: () => [22, 5n] };
    expect(await stores(report('a', 20, 9n))).toEqual([20, 5n]);
    expect(distrusted).toEqual([]);
  });
});

describe('an endpoint that contradicts the others at the same slot', () => {
  it('is distrusted if the others are in the majority', async () => {
    script = { a: () => [5, 9n], b: () => [5, 1n], c: () => [5, 1n] };
    expect(await denies(report('a', 5, 9n), null)).toBe(true);
    expect(distrusted).toEqual(['a']);
  });

  it('is distrusted if it contradicts the endpoint of the stored state', async () => {
    script = { a: () => [5, 1n], b: () => [5, 9n] };
    expect(await denies(report('b', 5, 9n))).toBe(true);
    expect(distrusted).toEqual(['b']);
  });

  it('is not distrusted if it agrees when asked again: its newest slot may have been incomplete', async () => {
    script = { a: () => [5, 2n], b: () => [5, 2n] };
    expect(await denies(report('b', 5, 9n))).toBe(true);
    expect(distrusted).toEqual([]);
  });
});
