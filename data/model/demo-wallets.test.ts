import { expect, it } from 'vitest';
import { DEMO_WALLETS } from './demo-wallets.ts';
import { MINIMUM_STAKE_BD } from './tiers.ts';

// `demo-wallets.ts` repeats the minimum stake. If it imported `tiers.ts`, which is in the chunk of the live islands,
// pages without React would load that chunk.
it('one demo wallet stakes exactly the minimum for a card, and one stakes 1 BD less', () => {
  const stakeOf = (walletName: string) => DEMO_WALLETS.find(({ name }) => name === walletName)?.stakedBd;
  expect(stakeOf('demo-duckling')).toBe(MINIMUM_STAKE_BD);
  expect(stakeOf('demo-short')).toBe(MINIMUM_STAKE_BD - 1n);
});
