import { describe, expect, it } from 'vitest';
import { ACTOR_BOUNDS } from './actor-choice.ts';
import { readActorState } from './actor-state.ts';
import { actOnce } from './actors.ts';
import { seededRandom } from './seeded-random.ts';
import { openTestLedger } from './testing/test-ledger.ts';

describe('the demo actors', () => {
  it('do all five things, within the bounds, for as long as they run', () => {
    const { chain, advance } = openTestLedger({ history: true });
    const random = seededRandom(7);
    const done = new Map<string, number>();
    for (let step = 0; step < 400; step += 1) {
      advance(5_500);
      const action = actOnce(chain, random);
      if (action !== null) done.set(action.kind, (done.get(action.kind) ?? 0) + 1);
      if (step % 50 !== 0) continue;
      const { vault, staked, stakers } = readActorState(chain);
      expect(vault >= ACTOR_BOUNDS.vault.low && vault <= ACTOR_BOUNDS.vault.high).toBe(true);
      expect(staked >= ACTOR_BOUNDS.staked.low && staked <= ACTOR_BOUNDS.staked.high).toBe(true);
      expect(stakers >= ACTOR_BOUNDS.stakers.low && stakers <= ACTOR_BOUNDS.stakers.high).toBe(true);
    }
    expect([...done.keys()].toSorted()).toEqual(['deposit', 'stake', 'transfer', 'unstake', 'withdraw']);
    expect((done.get('deposit') ?? 0) + (done.get('withdraw') ?? 0)).toBeGreaterThan(200);
  });
});
