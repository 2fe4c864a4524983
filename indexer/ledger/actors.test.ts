// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  ACTOR_BOUNDS,
  type ActorState,
  actOnce,
  chooseAction,
  readActorState,
  startActors,
} from './actors.ts';
import type { LedgerChain } from './chain.ts';
import { seededRandom } from './seeded-random.ts';
import { openTestLedger } from './testing/test-ledger.ts';

const bdBetween = (low: bigint, high: bigint) => fc.bigInt(low * 1_000_000n, high * 1_000_000n);
const stake = fc.record({ nonce: fc.nat(9), amount: bdBetween(1n, 3_000_000n), isUnlocked: fc.boolean() });
const holder = fc.record({
  name: fc.constantFrom('holder-1', 'holder-2', 'holder-3', 'holder-4'),
  balance: bdBetween(0n, 100_000n),
  nextNonce: fc.nat(20),
  openStakes: fc.uniqueArray(stake, { maxLength: 3, selector: (one) => one.nonce }),
});
/** Any state within the bounds, often at their edges. */
const state: fc.Arbitrary<ActorState> = fc.record({
  vault: fc.oneof(
    bdBetween(95_000_000n, 95_040_000n),
    bdBetween(104_960_000n, 105_000_000n),
    bdBetween(95_000_000n, 105_000_000n),
  ),
  staked: fc.oneof(
    bdBetween(18_000_000n, 18_500_000n),
    bdBetween(23_999_000n, 24_000_000n),
    bdBetween(18_000_000n, 24_000_000n),
  ),
  stakerCount: fc.integer({ min: 8, max: 14 }),
  openStakeCount: fc.nat(600),
  holders: fc.uniqueArray(holder, { minLength: 2, selector: (one) => one.name }),
});

function expectWithinBounds(figures: Pick<ActorState, 'vault' | 'staked' | 'stakerCount'>): void {
  for (const name of ['vault', 'staked', 'stakerCount'] as const) {
    const { low, high } = ACTOR_BOUNDS[name];
    expect(figures[name] >= low && figures[name] <= high).toBe(true);
  }
}

describe('a demo actor', () => {
  it('never leaves the bounds and never overdraws a wallet', () => {
    fc.assert(
      fc.property(state, fc.nat(), (before, seed) => {
        const action = chooseAction(before, seededRandom(seed));
        if (action === null) return;
        let { vault, staked, stakerCount } = before;
        const wallet = before.holders.find((one) => one.name === action.wallet);
        const open = wallet?.openStakes ?? [];
        if (action.kind === 'deposit') vault += action.amount;
        if (action.kind === 'withdraw') vault -= action.amount;
        if (action.kind === 'stake') {
          staked += action.amount;
          stakerCount += open.length === 0 ? 1 : 0;
        }
        if (action.kind === 'unstake') {
          const ended = open.find((one) => one.nonce === action.nonce && one.isUnlocked);
          expect(ended).toBeDefined();
          staked -= ended?.amount ?? 0n;
          stakerCount -= open.length === 1 ? 1 : 0;
        } else if (action.kind !== 'withdraw') {
          expect(action.amount <= (wallet?.balance ?? 0n)).toBe(true);
        }
        expectWithinBounds({ vault, staked, stakerCount });
        if (action.kind === 'transfer') expect(action.to).not.toBe(action.wallet);
      }),
      { numRuns: 300 },
    );
  });

  it('rarely stakes once there are many stakes', () => {
    const countStakeActions = (openStakes: number) => {
      const many: ActorState = {
        vault: 100_000_000_000_000n,
        staked: 21_000_000_000_000n,
        stakerCount: 10,
        openStakeCount: openStakes,
        holders: [1, 2].map((number) => ({
          name: `holder-${number}`,
          balance: 10n ** 12n,
          nextNonce: 0,
          openStakes: [],
        })),
      };
      const random = seededRandom(1);
      const actions = Array.from({ length: 2_000 }, () => chooseAction(many, random));
      return actions.filter((action) => action?.kind === 'stake').length;
    };
    expect(countStakeActions(1_000)).toBeGreaterThan(0);
    expect(countStakeActions(1_000) * 5).toBeLessThan(countStakeActions(0));
  });
});

describe('the demo actors', () => {
  it('take all five actions and stay within the bounds', () => {
    const { chain, advance } = openTestLedger({ history: true });
    const random = seededRandom(7);
    const actionCounts = new Map<string, number>();
    for (let step = 0; step < 80; step += 1) {
      advance(5_500);
      const action = actOnce(chain, random);
      if (action !== null) actionCounts.set(action.kind, (actionCounts.get(action.kind) ?? 0) + 1);
    }
    expectWithinBounds(readActorState(chain));
    expect([...actionCounts.keys()].toSorted()).toEqual([
      'deposit',
      'stake',
      'transfer',
      'unstake',
      'withdraw',
    ]);
    expect((actionCounts.get('deposit') ?? 0) + (actionCounts.get('withdraw') ?? 0)).toBeGreaterThan(40);
  });

  it('continue when an action fails, until they are stopped', () => {
    vi.useFakeTimers();
    const { chain } = openTestLedger();
    const send = () => {
      throw new Error('the ledger is gone');
    };
    const broken: LedgerChain = { ...chain, send };
    const reports: string[] = [];
    const actors = startActors(broken, { seed: 1, report: (text) => reports.push(text) });
    vi.advanceTimersByTime(5 * 60_000);
    expect(reports.length).toBeGreaterThan(20);
    expect(new Set(reports)).toEqual(new Set(['a demo actor failed: the ledger is gone']));
    actors.stop();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});
