import { afterEach, describe, expect, it } from 'vitest';
import { cardEligibility } from '../../data/contract/eligibility.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { manyStakes, openedStake, walletOf } from '../testing/sample-stakes.ts';
import { readersOf, startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { createHeldTokensReader, type HeldTokensReader } from './held-tokens.ts';
import { createStakedTokensReader } from './staked-tokens.ts';

const portals: TestPortal[] = [];
afterEach(async () => {
  for (const portal of portals.splice(0)) await portal.close();
});

/** A chain on which every wallet holds 2,000,000 BD. */
const heldTokens: HeldTokensReader = {
  underWay: 0,
  read: async () => ({ amount: 2_000_000_000_000n, slot: 4_300, readAt: TEST_START }),
};

async function start(
  index = new FakeIndex(),
  changes: Parameters<typeof startTestPortal>[0] = {},
): Promise<TestPortal> {
  const walletReaders = { ...readersOf(index, () => TEST_START), held: heldTokens };
  const portal = await startTestPortal({ index, walletReaders, ...changes });
  portals.push(portal);
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
  return { status: answer.status, body, told: answer.status === 200 && cardEligibility.response.parse(body) };
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

  it('tells the balance as a number and its value at the price of the day', async () => {
    const { told } = await eligibility(await start(staking(2_000_000_500_000n)));
    expect(told).toEqual({
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

  it('is not earned by tokens that are held and not staked', async () => {
    const { told } = await eligibility(await start(), walletOf(9));
    expect(told).toMatchObject({
      eligible: false,
      bdBalance: 2_000_000,
      usdValue: '227.40',
      tier: 'None',
      missing: '1500000',
      detectionMethod: 'token_account_analysis',
    });
  });

  it('is told as a card is made: a wallet that the team admitted has the higher of both tiers', async () => {
    const told = async (amount: bigint) => {
      const portal = await start(staking(amount), { whitelistedTier: async () => 'Banker' });
      const { body } = await eligibility(portal);
      return [body.eligible, body.tier, body.missing, body.bdBalance];
    };
    expect(await told(1_000_000n)).toEqual([true, 'Banker', '0', 1]);
    expect(await told(7_500_000_000_000n)).toEqual([true, 'Raven', '0', 7_500_000]);
  });

  it.each([
    ['unknown', null],
    ['stale', SAMPLE_INDEX.quote && { ...SAMPLE_INDEX.quote, readAt: TEST_START - 180_001 }],
  ])('tells no value while the price is %s', async (_case, quote) => {
    const index = staking(1_500_000_000_000n);
    index.commit({ quote });
    const { told } = await eligibility(await start(index));
    expect(told).toMatchObject({ eligible: true, usdValue: null, price: null });
  });

  it('without an address, or with none, is refused; with the chain out of reach it says nothing of the wallet', async () => {
    const walletReaders = { staked: createStakedTokensReader([]), held: createHeldTokensReader([]) };
    const portal = await start(new FakeIndex(), { walletReaders });
    expect((await ask(portal.port, cardEligibility.path)).status).toBe(400);
    expect((await eligibility(portal, 'nonsense')).status).toBe(400);
    expect((await eligibility(portal, walletOf(9))).body).not.toHaveProperty('eligible');
  });

  it('counts with verifications: both ask the chain', async () => {
    const portal = await start(new FakeIndex(), { verificationsPerMinute: 2 });
    await ask(portal.port, `/api/verify-bd-tokens?walletAddress=${walletOf(9)}`);
    expect((await eligibility(portal)).status).toBe(200);
    expect((await eligibility(portal)).status).toBe(429);
  });
});
