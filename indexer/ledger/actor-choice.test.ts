import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTOR_BOUNDS, chooseAction } from './actor-choice.ts';
import type { ActorState } from './actor-state.ts';
import { seededRandom } from './seeded-random.ts';

const bd = (low: bigint, high: bigint) => fc.bigInt(low * 1_000_000n, high * 1_000_000n);
const stake = fc.record({ nonce: fc.nat(9), amount: bd(1n, 3_000_000n), isUnlocked: fc.boolean() });
const holder = fc.record({
  name: fc.constantFrom('holder-1', 'holder-2', 'holder-3', 'holder-4'),
  balance: bd(0n, 100_000n),
  lamports: fc.constant(1n),
  nextNonce: fc.nat(20),
  open: fc.uniqueArray(stake, { maxLength: 3, selector: (one) => one.nonce }),
});
/** Any state within the bounds, their edges most of all. */
const state: fc.Arbitrary<ActorState> = fc.record({
  vault: fc.oneof(
    bd(95_000_000n, 95_040_000n),
    bd(104_960_000n, 105_000_000n),
    bd(95_000_000n, 105_000_000n),
  ),
  staked: fc.oneof(bd(18_000_000n, 18_500_000n), bd(23_999_000n, 24_000_000n), bd(18_000_000n, 24_000_000n)),
  stakers: fc.integer({ min: 8, max: 14 }),
  openStakes: fc.nat(600),
  holders: fc.uniqueArray(holder, { minLength: 2, selector: (one) => one.name }),
});

describe('the choice of a demo actor', () => {
  it('never leads out of the bounds, nor spends what a wallet does not have', () => {
    fc.assert(
      fc.property(state, fc.nat(), (before, seed) => {
        const action = chooseAction(before, seededRandom(seed));
        if (action === null) return;
        let { vault, staked, stakers } = before;
        const wallet = before.holders.find((one) => one.name === action.wallet);
        const open = wallet?.open ?? [];
        if (action.kind === 'deposit') vault += action.amount;
        if (action.kind === 'withdraw') vault -= action.amount;
        if (action.kind === 'stake') {
          staked += action.amount;
          stakers += open.length === 0 ? 1 : 0;
        }
        if (action.kind === 'unstake') {
          const ended = open.find((one) => one.nonce === action.nonce && one.isUnlocked);
          expect(ended).toBeDefined();
          staked -= ended?.amount ?? 0n;
          stakers -= open.length === 1 ? 1 : 0;
        } else if (action.kind !== 'withdraw') {
          expect(action.amount <= (wallet?.balance ?? 0n)).toBe(true);
        }
        expect(vault >= ACTOR_BOUNDS.vault.low && vault <= ACTOR_BOUNDS.vault.high).toBe(true);
        expect(staked >= ACTOR_BOUNDS.staked.low && staked <= ACTOR_BOUNDS.staked.high).toBe(true);
        expect(stakers >= ACTOR_BOUNDS.stakers.low && stakers <= ACTOR_BOUNDS.stakers.high).toBe(true);
        if (action.kind === 'transfer') expect(action.to).not.toBe(action.wallet);
      }),
      { numRuns: 3_000 },
    );
  });

  it('makes new stakes rare once there are many', () => {
    const stakes = (openStakes: number) => {
      const many: ActorState = {
        vault: 100_000_000_000_000n,
        staked: 21_000_000_000_000n,
        stakers: 10,
        openStakes,
        holders: [1, 2].map((number) => ({
          name: `holder-${number}`,
          balance: 10n ** 12n,
          lamports: 1n,
          nextNonce: 0,
          open: [],
        })),
      };
      const random = seededRandom(1);
      const actions = Array.from({ length: 5_000 }, () => chooseAction(many, random));
      return actions.filter((action) => action?.kind === 'stake').length;
    };
    expect(stakes(1_000)).toBeGreaterThan(0);
    expect(stakes(1_000) * 5).toBeLessThan(stakes(0));
  });
});
