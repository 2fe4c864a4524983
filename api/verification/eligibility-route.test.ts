import { describe, expect, it, onTestFinished } from 'vitest';
import { cardEligibility } from '../../data/contract/eligibility.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { manyStakes, openedStake, walletOf } from '../testing/sample-stakes.ts';
import { readersOf, startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { whitelistWallet } from '../testing/test-wallet.ts';
import { createHeldTokensReader, type HeldTokensReader } from './held-tokens.ts';
import { createStakedTokensReader } from './staked-tokens.ts';

/** A chain on which every wallet holds 2,000,000 BD. */
const heldTokens: HeldTokensReader = {
  readsInProgress: 0,
  read: async () => ({ amount: 2_000_000_000_000n, slot: 4_300, readAt: TEST_START }),
};

async function start(
  index = new FakeIndex(),
  changes: Parameters<typeof startTestPortal>[0] = {},
): Promise<TestPortal> {
  const walletReaders = { ...readersOf(index, () => TEST_START), held: heldTokens };
  const portal = await startTestPortal({ index, walletReaders, ...changes });
  onTestFinished(() => portal.close());
  return portal;
}

function staking(amount: bigint): FakeIndex {
  const index = new FakeIndex();
  index.held = { ...manyStakes(0), entries: [openedStake(1, { amount })] };
  return index;
}

async function eligibility(portal: TestPortal, wallet = walletOf(1)) {
  const answer = await ask(portal.port, `${cardEligibility.path}?walletAddress=${wallet}`);
  const body = JSON.parse(answer.body);
  return {
    status: answer.status,
    body,
    answer: answer.status === 200 && cardEligibility.response.parse(body),
  };
}

describe('eligibility for a card', () => {
  it.each([
    [1_499_999_999_999n, false, 'None', '0.000001'],
    [1_500_000_000_000n, true, 'Duckling', '0'],
    [5_000_000_000_000n, true, 'Banker', '0'],
    [7_500_000_000_000n, true, 'Raven', '0'],
  ])('with %s base units staked is %s, with tier %s and %s BD missing', async (amount, ...expected) => {
    const { body } = await eligibility(await start(staking(amount)));
    expect([body.eligible, body.tier, body.missing]).toEqual(expected);
  });

  it('has the balance as a number and its value at the current price', async () => {
    const { answer } = await eligibility(await start(staking(2_000_000_500_000n)));
    expect(answer).toEqual({
      walletAddress: walletOf(1),
      eligible: true,
      bdBalance: 2_000_000.5,
      bdBalanceText: '2000000.5',
      usdValue: '227.40',
      tier: 'Duckling',
      missing: '0',
      detectionMethod: 'stake_entry',
      price: { usd: '0.0001137', asOf: '2026-01-01T00:00:00.000Z', source: 'demo' },
      asOf: '2026-01-01T00:00:00.000Z',
      slot: 4_242,
      source: 'solana',
      state: 'live',
    });
  });

  it('is not earned by unstaked tokens', async () => {
    const { answer } = await eligibility(await start(), walletOf(9));
    expect(answer).toMatchObject({
      eligible: false,
      bdBalance: 2_000_000,
      usdValue: '227.40',
      tier: 'None',
      missing: '1500000',
      detectionMethod: 'token_account_analysis',
    });
  });

  it('follows the rules of card creation: a whitelisted wallet has the higher of its two tiers', async () => {
    const answer = async (amount: bigint) => {
      const portal = await start(staking(amount));
      await whitelistWallet(portal.store, walletOf(1), 'Banker');
      const { body } = await eligibility(portal);
      return [body.eligible, body.tier, body.missing, body.bdBalance];
    };
    expect(await answer(1_000_000n)).toEqual([true, 'Banker', '0', 1]);
    expect(await answer(7_500_000_000_000n)).toEqual([true, 'Raven', '0', 7_500_000]);
  });

  it.each([
    ['unknown', null],
    ['stale', SAMPLE_INDEX.quote && { ...SAMPLE_INDEX.quote, readAt: TEST_START - 180_001 }],
  ])('has no value while the price is %s', async (_case, quote) => {
    const index = staking(1_500_000_000_000n);
    index.commit({ quote });
    const { answer } = await eligibility(await start(index));
    expect(answer).toMatchObject({ eligible: true, usdValue: null, price: null });
  });

  it('is refused without a valid address, and unavailable while the chain cannot be read', async () => {
    const walletReaders = { staked: createStakedTokensReader([]), held: createHeldTokensReader([]) };
    const portal = await start(new FakeIndex(), { walletReaders });
    expect((await ask(portal.port, cardEligibility.path)).status).toBe(400);
    expect((await eligibility(portal, 'nonsense')).status).toBe(400);
    expect((await eligibility(portal, walletOf(9))).body).not.toHaveProperty('eligible');
  });

  it('shares the rate limit of verifications, which read the chain too', async () => {
    const portal = await start(new FakeIndex(), { rateLimits: { verifications: 2 } });
    await ask(portal.port, `/api/verify-bd-tokens?walletAddress=${walletOf(9)}`);
    expect((await eligibility(portal)).status).toBe(200);
    expect((await eligibility(portal)).status).toBe(429);
  });
});
