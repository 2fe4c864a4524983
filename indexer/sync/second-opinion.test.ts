import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EndpointHealth } from '../../data/store/ports.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import { RetryableRpcError } from '../rpc/rpc-errors.ts';
import { multipleAccountsCall } from '../rpc/solana-calls.ts';
import { speedUpTime } from '../testing/fast-time.ts';
import {
  createSecondOpinion,
  type EndpointReport,
  findAgreement,
  findContradictors,
} from './second-opinion.ts';
import type { FollowedAccounts } from './snapshot.ts';

/** Parses reports such as `a5x`: endpoint `a`, slot 5, digest `x`. */
const reportsOf = (text: string) =>
  text
    .split(' ')
    .map(([endpoint = '', slot = '', digest = '']) => ({ endpoint, slot: Number(slot), digest }));

describe('the endpoints that contradict the others', () => {
  it.each([
    ['none if all agree', 'a5x b5x', []],
    ['none if their slots differ', 'a5x b6y', []],
    ['none if only one answers', 'b5y', []],
    ['the minority, even if its answer is stored', 'a5x b5y c5y', ['a']],
    ['the one of two that contradicts the stored state', 'a5x b5y', ['b']],
    ['none if the endpoint of the stored state is on neither side', 'b5x c5y', []],
  ])('are %s', (_rule, answers, expected) => {
    expect(findContradictors(reportsOf(answers), 'a')).toEqual(expected);
  });
});

describe('the state that endpoints agree on', () => {
  it.each([
    ['none if only one endpoint repeats a state', 'a5x a6x b7y', []],
    ['the state of two endpoints at different slots, ordered by slot', 'a7x b5x c9y', [5, 7]],
    ['the state of most endpoints', 'a5x b5x c5x d9y e9y', [5, 5, 5]],
    ['the later of two that equally many report', 'a5x b6y c7y d6x', [6, 7]],
  ])('is %s', (_rule, answers, expected) => {
    expect(findAgreement(reportsOf(answers)).map(({ slot }) => slot)).toEqual(expected);
  });
});

const neverAborted = new AbortController().signal;
const FAILS = 'fails';
/** The endpoint answers with an error, unlike `FAILS`, which is a timeout. */
const REFUSES = 'refuses';
/** The endpoint is active but has no capacity for the call now. */
const BUSY = 'busy';

/** Slot, lamports, and how many seconds the answer is behind the host's time, if known. */
type Answer = readonly [slot: number, lamports: bigint, secondsBehind?: number | undefined];
/** Each endpoint's answers by request number, from 0. */
type Script = Record<string, (query: number) => Answer | typeof FAILS | typeof REFUSES | typeof BUSY>;

let script: Script;
let queryCount: number;
let distrusted: string[];
let contradicting: string[];
/** The endpoints in each logged line about a contradiction; empty for the line that reports the end of the contradiction. */
let logged: (readonly string[])[];
/** The state of endpoints that are not active. */
let states: Map<string, 'backoff' | 'distrusted'>;
let inactiveEndpoints: Set<string>;
let opinion: ReturnType<typeof createSecondOpinion>;
let time: ReturnType<typeof speedUpTime>;
beforeAll(() => {
  time = speedUpTime(50);
});
afterAll(() => time.restore());
beforeEach(() => {
  queryCount = 0;
  distrusted = [];
  contradicting = [];
  logged = [];
  states = new Map();
  inactiveEndpoints = new Set();
  // As in the pool, a timeout puts an endpoint in backoff, and a request to it then fails at once.
  const answerOf = (endpoint: string, query: number) => {
    const isBackingOff = states.get(endpoint) === 'backoff';
    const answer = script[endpoint]?.(query) ?? FAILS;
    if (typeof answer === 'object' && !isBackingOff) {
      return { endpoint, replies: [{ ok: true, value: accounts(...answer), endpointName: endpoint }] };
    }
    const failure = isBackingOff || answer === BUSY ? 'backoff' : answer === REFUSES ? 'node' : 'timeout';
    if (failure === 'timeout') states.set(endpoint, 'backoff');
    const error = new RetryableRpcError(failure, 'no');
    return { endpoint, replies: [{ ok: false, error, endpointName: endpoint }] };
  };
  const pool: Pick<EndpointPool, 'requestFromEach' | 'distrust' | 'noteContradiction' | 'health'> = {
    requestFromEach: (async (_calls: unknown, _signal: AbortSignal, withinMs?: number) => {
      if (withinMs === undefined) throw new Error('the request would wait for endpoints that hang');
      queryCount += 1;
      return Object.keys(script).map((name) => answerOf(name, queryCount - 1));
    }) as never,
    distrust(endpoint) {
      distrusted.push(endpoint);
      states.set(endpoint, 'distrusted');
    },
    noteContradiction: (endpoint) => void contradicting.push(endpoint),
    health: () =>
      Object.keys(script).map((name) => {
        const state = states.get(name) ?? 'active';
        return {
          name,
          state,
          active: state !== 'distrusted' && !inactiveEndpoints.has(name),
        } as EndpointHealth;
      }),
  };
  opinion = createSecondOpinion({
    pool,
    accountsCall: { ...multipleAccountsCall(['vault']), read: () => accounts(0, 0n) },
    log: {
      error: ({ endpoints }: { endpoints: readonly string[] }) => void logged.push(endpoints),
      info: () => void logged.push([]),
    } as never,
  });
});

function accounts(...[slot, lamports, secondsBehind]: Answer): FollowedAccounts {
  const chainTime = secondsBehind === undefined ? null : Date.now() - secondsBehind * 1_000;
  return { slot, value: [{ owner: 'owner', lamports, data: Buffer.of(1) }], chainTime };
}
const report = (endpoint: string, ...answer: Answer): EndpointReport => ({
  endpoint,
  accounts: accounts(...answer),
});
const BEFORE = report('a', 4, 1n);
/** The slot and lamports of the state to store; null if nothing is to be stored. */
async function stateToStore(change: EndpointReport, stored: EndpointReport | null = BEFORE) {
  const accepted = await opinion.judge(change, stored, neverAborted);
  return accepted && [accepted.accounts.slot, accepted.accounts.value[0]?.lamports ?? 0n];
}
async function isDenied(change: EndpointReport, stored: EndpointReport | null = BEFORE): Promise<boolean> {
  return (await opinion.judge(change, stored, neverAborted)) !== change;
}

describe('a changed balance', () => {
  it.each([4, 5, 6])('at slot 5 is accepted if another endpoint reports it at slot %i', async (slot) => {
    script = { a: () => [5, 9n], b: () => [slot, 9n] };
    expect(await isDenied(report('a', 5, 9n))).toBe(false);
    expect(queryCount).toBe(1);
  });

  it('is rejected if another endpoint reports a different one at the same slot', async () => {
    script = { a: () => [5, 9n], b: () => [5, 1n] };
    expect(await isDenied(report('a', 5, 9n))).toBe(true);
  });

  it('is rejected if another endpoint at a later slot reports the stored state', async () => {
    script = { a: () => [5, 9n], b: () => [8, 1n] };
    expect(await isDenied(report('a', 5, 9n))).toBe(true);
    expect(distrusted).toEqual([]);
  });

  it('waits for an endpoint that is behind', async () => {
    script = { a: () => [5, 9n], b: (query) => (query === 0 ? [4, 1n] : [6, 9n]) };
    expect(await isDenied(report('a', 5, 9n))).toBe(false);
    expect(queryCount).toBe(2);
  });

  it('is rejected if all others report the stored state, however far ahead the first endpoint is', async () => {
    script = { a: () => [1e9, 9n], b: () => [8, 1n], c: () => [8, 1n], d: () => [7, 1n] };
    expect(await isDenied(report('a', 1e9, 9n))).toBe(true);
    script = { a: () => [1e9, 9n], b: () => FAILS, c: () => FAILS, d: () => [7, 1n] };
    expect(await isDenied(report('a', 1e9, 9n))).toBe(true);
  });

  const CURRENT = report('a', 890, 1n);

  it.each<[string, Script]>([
    ['one other', { b: () => [8, 1n, 90] }],
    ['two others', { b: () => [8, 1n, 90], c: () => [7, 1n, 4_000] }],
  ])('is accepted despite %s too far behind to have seen it', async (_which, others) => {
    script = { a: () => [900, 9n, 1], ...others };
    expect(await isDenied(report('a', 900, 9n, 1), CURRENT)).toBe(false);
    script = { ...script, current: () => [900, 1n, 1] };
    expect(await isDenied(report('a', 900, 9n, 1), CURRENT)).toBe(true);
  });

  it.each([
    ['is also more than a minute behind', 90],
    ['reports a time in the future', -4_000],
    ['reports no time', undefined],
  ])('is rejected if a lagging endpoint denies it and the reporter %s', async (_which, secondsBehind) => {
    script = { a: () => [900, 9n, secondsBehind], b: () => [8, 1n, 90] };
    expect(await isDenied(report('a', 900, 9n, secondsBehind), CURRENT)).toBe(true);
  });

  it.each([
    ['all are at the same slot', 900, CURRENT],
    ['the chain has stopped at the stored slot', 890, CURRENT],
    ['they are fewer than 128 slots below the stored one', 762, CURRENT],
    ['nothing is stored yet', 8, null],
  ])('is rejected if others with an old time deny it and %s', async (_when, slot, stored) => {
    script = { a: () => [900, 9n, 1], b: () => [slot, 1n, 600], c: () => [slot, 1n, 600] };
    const agreed = stored === null ? [slot, 1n] : null;
    expect(await stateToStore(report('a', 900, 9n, 1), stored)).toEqual(agreed);
  });

  it.each<[string, Script]>([
    ['the only other endpoint is behind and reports changes too', { b: () => [8, 5n] }],
    ['the others report a third and a fourth state', { b: () => [8, 5n], c: () => [10, 6n] }],
    [
      'the others agreed before they reached its slot',
      {
        b: (query) => [[7, 5n] as const, [8, 5n] as const][query] ?? [11, 7n],
        c: (query) => [[7, 5n] as const, [10, 6n] as const][query] ?? [12, 8n],
      },
    ],
  ])('is accepted if %s', async (_when, others) => {
    script = { a: () => [9, 9n], ...others };
    expect(await isDenied(report('a', 9, 9n))).toBe(false);
  });

  it.each([FAILS, REFUSES] as const)('is judged by the others even if one of them %s', async (answer) => {
    script = { a: () => [5, 9n], b: () => [5, 1n], c: () => [5, 1n], dead: () => answer };
    expect(await isDenied(report('a', 5, 9n), null)).toBe(true);
    expect(distrusted).toEqual(['a']);
  });

  it('is accepted if no other endpoint is active or can answer', async () => {
    script = { a: () => [5, 9n], b: () => FAILS };
    // An endpoint in a short backoff may still contradict the change.
    expect(await isDenied(report('a', 5, 9n))).toBe(true);
    inactiveEndpoints.add('b');
    states.set('b', 'backoff');
    queryCount = 0;
    expect(await isDenied(report('a', 5, 9n))).toBe(false);
    expect(queryCount).toBe(0);
    script = { a: () => [5, 9n], c: () => REFUSES };
    expect(await isDenied(report('a', 5, 9n))).toBe(false);
  });

  it('is not accepted if the only other active endpoint has not answered', async () => {
    script = { a: () => [5, 9n], b: () => BUSY };
    expect(await isDenied(report('a', 5, 9n))).toBe(true);
  });

  it('is not judged by a distrusted endpoint', async () => {
    script = { a: () => [5, 9n], b: () => [5, 1n], c: () => [4, 7n] };
    states.set('b', 'distrusted');
    expect(await isDenied(report('a', 5, 9n))).toBe(false);
    script = { a: () => [5, 9n], b: () => [5, 1n] };
    expect(await isDenied(report('a', 5, 9n))).toBe(false);
  });

  it('is rejected until one of two disagreeing endpoints is distrusted, and the disagreement is logged once', async () => {
    script = { a: () => [5, 9n], b: () => [5, 1n] };
    for (let times = 0; times < 12; times += 1) expect(await isDenied(report('a', 5, 9n), null)).toBe(true);
    expect(distrusted).toEqual([]);
    expect(logged).toEqual([['a', 'b']]);
    expect(contradicting).toEqual(['a', 'b']);
    states.set('b', 'distrusted');
    expect(await isDenied(report('a', 5, 9n), null)).toBe(false);
    expect(logged).toEqual([['a', 'b'], []]);
  });
});

describe('a change denied by two other endpoints that agree on another state', () => {
  const agreeing = { b: () => [20, 5n], c: () => [22, 5n] } satisfies Script;

  it.each([
    ['at the first snapshot after a start', null],
    ['after a stored snapshot', BEFORE],
  ])('is rejected in favor of their state %s', async (_when, stored) => {
    for (const slot of [10, 20, 21, 22, 30]) {
      script = { a: () => [slot, 9n], ...agreeing };
      expect(await stateToStore(report('a', slot, 9n), stored)).toEqual([20, 5n]);
    }
  });

  it('is rejected if they reach the same state one after the other', async () => {
    script = {
      a: () => [10, 9n],
      b: (query) => [[11, 5n] as const, [12, 6n] as const][query] ?? [13, 7n],
      c: (query) => [14 + query, 6n],
    };
    expect(await stateToStore(report('a', 10, 9n))).toEqual([12, 6n]);
  });

  it('is accepted if another endpoint reports it too', async () => {
    script = { a: () => [21, 9n], ...agreeing, d: (query) => [20 + query, query === 0 ? 1n : 9n] };
    expect(await isDenied(report('a', 25, 9n), null)).toBe(false);
    script = { a: () => [21, 9n], ...agreeing, d: () => [19, 9n] };
    expect(await isDenied(report('a', 21, 9n), null)).toBe(false);
  });

  it('leaves the stored state unchanged if they agree on it, or on an older state', async () => {
    script = { a: () => [21, 9n], ...agreeing };
    expect(await stateToStore(report('a', 21, 9n), report('a', 19, 5n))).toBeNull();
    expect(await stateToStore(report('a', 30, 9n), report('a', 25, 1n))).toBeNull();
  });

  it('causes no delay if the balance changes in every slot and the endpoint that reports it is always behind', async () => {
    let stored: EndpointReport | null = null;
    for (let slot = 100; slot < 130; slot += 3) {
      const change = report('a', slot, BigInt(slot));
      const ahead = slot + 2;
      script = {
        a: () => [slot, BigInt(slot)],
        b: () => [ahead, BigInt(ahead)],
        c: () => [ahead, BigInt(ahead)],
      };
      stored = await opinion.judge(change, stored, neverAborted);
      expect(stored?.accounts.slot).toBe(ahead);
    }
    expect(distrusted).toEqual([]);
    expect(contradicting).toEqual([]);
  });
});

describe('an endpoint whose reported balances are denied by others', () => {
  const reportLie = (slot: number, stored: EndpointReport | null = null) => {
    script = { a: () => [slot, 9n], b: () => [slot - 1, 5n], c: () => [slot + 1, 5n] };
    return isDenied(report('a', slot, 9n), stored);
  };

  it('is distrusted if they repeatedly agree before and after its slot', async () => {
    expect([await reportLie(10), await reportLie(20)]).toEqual([true, true]);
    expect(distrusted).toEqual([]);
    expect(await reportLie(30)).toBe(true);
    expect(distrusted).toEqual(['a']);
  });

  it('is distrusted if it is always behind them and their balance does not change', async () => {
    for (const slot of [10, 20, 30, 40]) {
      script = { a: () => [slot, 9n], b: () => [slot + 1, 5n], c: () => [slot + 2, 5n] };
      expect(await isDenied(report('a', slot, 9n), null)).toBe(true);
    }
    expect(distrusted).toEqual(['a']);
  });

  it('is distrusted if they are ahead and report the stored state', async () => {
    for (const slot of [10, 20, 30]) {
      script = { a: () => [slot, 9n], b: () => [slot + 1, 1n], c: () => [slot + 2, 1n] };
      expect(await stateToStore(report('a', slot, 9n))).toBeNull();
    }
    expect(distrusted).toEqual(['a']);
  });

  it('is not distrusted if another endpoint confirmed it in between', async () => {
    await reportLie(10);
    await reportLie(20);
    script = { a: () => [25, 9n], b: () => [25, 9n], c: () => [26, 9n] };
    expect(await isDenied(report('a', 25, 9n), null)).toBe(false);
    expect([await reportLie(30), await reportLie(40)]).toEqual([true, true]);
    expect(distrusted).toEqual([]);
  });

  it('is not distrusted if it corrects itself for the same slot, which may have been incomplete before', async () => {
    for (const slot of [10, 20, 30, 40]) {
      const lamports = BigInt(slot);
      script = { a: () => [slot, lamports], b: () => [slot, lamports], c: () => [slot + 1, lamports] };
      expect(await stateToStore(report('a', slot, 9n), null)).toEqual([slot, lamports]);
    }
    expect(distrusted).toEqual([]);
  });

  it('is the only one noted as contradicting if the others agree', async () => {
    for (let times = 0; times < 5; times += 1) {
      script = { a: () => [30, 9n], b: () => [8, 1n], c: () => [7, 1n] };
      expect(await isDenied(report('a', 30, 9n))).toBe(true);
    }
    expect(contradicting).toEqual(['a']);
    expect(logged).toEqual([['a', 'c', 'b']]);
  });

  it('stays trusted after one such report', async () => {
    script = { a: () => [20, 9n], b: () => [20, 5n], c: () => [22, 5n] };
    expect(await stateToStore(report('a', 20, 9n))).toEqual([20, 5n]);
    expect(distrusted).toEqual([]);
  });
});

describe('an endpoint that contradicts the others at the same slot', () => {
  it('is distrusted if it contradicts the endpoint of the stored state', async () => {
    script = { a: () => [5, 1n], b: () => [5, 9n] };
    expect(await isDenied(report('b', 5, 9n))).toBe(true);
    expect(distrusted).toEqual(['b']);
  });

  it('is not distrusted if it agrees when asked again, because its newest slot may have been incomplete', async () => {
    script = { a: () => [5, 2n], b: () => [5, 2n] };
    expect(await isDenied(report('b', 5, 9n))).toBe(true);
    expect(distrusted).toEqual([]);
  });
});
