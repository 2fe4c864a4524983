import { describe, expect, it, onTestFinished } from 'vitest';
import { cardEligibility } from '../../data/contract/eligibility.ts';
import { verifyBdTokens } from '../../data/contract/verification.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { manyStakes, openedStake, walletOf } from '../testing/sample-stakes.ts';
import {
  readersOf,
  startTestPortal,
  type TestPortal,
  type TestPortalChanges,
} from '../testing/test-portal.ts';
import { whitelistWallet } from '../testing/test-wallet.ts';
import { createHeldTokensReader } from './held-tokens.ts';
import { createStakedTokensReader } from './staked-tokens.ts';

/** Starts a portal for a chain on which every wallet holds 2,000,000 BD. */
async function start(index = new FakeIndex(), changes: TestPortalChanges = {}): Promise<TestPortal> {
  const tokens = { amount: 2_000_000_000_000n, slot: 4_300, readAt: TEST_START };
  const held = { readsInProgress: 0, read: async () => tokens };
  const walletReaders = { ...readersOf(index, () => TEST_START), held };
  const portal = await startTestPortal({ index, walletReaders, ...changes });
  onTestFinished(() => portal.close());
  return portal;
}

function indexWithStake(amount: bigint): FakeIndex {
  const index = new FakeIndex();
  index.storedStakes = { ...manyStakes(0), entries: [openedStake(1, { amount })] };
  return index;
}

async function readEligibility(portal: TestPortal, wallet = walletOf(1)) {
  const answer = await ask(portal.port, `${cardEligibility.path}?walletAddress=${wallet}`);
  return { status: answer.status, body: JSON.parse(answer.body) };
}

describe('eligibility for a card', () => {
  it('has the balance as a number and its value at the current price', async () => {
    const { body } = await readEligibility(await start(indexWithStake(2_000_000_500_000n)));
    expect(cardEligibility.response.parse(body)).toEqual({
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
    const { body } = await readEligibility(await start(), walletOf(9));
    expect(body).toMatchObject({
      eligible: false,
      bdBalance: 2_000_000,
      usdValue: '227.40',
      tier: 'None',
      missing: '1500000',
      detectionMethod: 'token_account_analysis',
    });
  });

  it('begins, like each tier, at exactly its minimum stake, and the verification agrees', async () => {
    const boundaries = [
      [1n, 'None', '1499999.999999'],
      [1_499_999_999_999n, 'None', '0.000001'],
      [1_500_000_000_000n, 'Duckling', '0'],
      [4_999_999_999_999n, 'Duckling', '0'],
      [5_000_000_000_000n, 'Banker', '0'],
      [7_499_999_999_999n, 'Banker', '0'],
      [7_500_000_000_000n, 'Raven', '0'],
    ] as const;
    const index = new FakeIndex();
    const entries = boundaries.map(([amount], number) => openedStake(number, { amount }));
    index.storedStakes = { ...manyStakes(0), entries };
    const portal = await start(index, { chain: 'embedded-ledger' });
    for (const [number, [amount, tier, missing]] of boundaries.entries()) {
      const wallet = walletOf(number);
      const text = toDecimalText(amount, 6);
      const expected = { tier, detectionMethod: 'stake_entry', source: 'embedded-ledger' };
      const { body } = await readEligibility(portal, wallet);
      expect(body, text).toMatchObject({
        ...expected,
        eligible: tier !== 'None',
        missing,
        bdBalanceText: text,
      });
      const verified = await ask(portal.port, `${verifyBdTokens.path}?walletAddress=${wallet}`);
      expect(JSON.parse(verified.body), text).toMatchObject({
        ...expected,
        isStaking: true,
        stakedAmountText: text,
        heldAmount: null,
      });
    }
  });

  it('uses the higher of the staked and the whitelisted tier, like card creation', async () => {
    const outcomeFor = async (amount: bigint) => {
      const portal = await start(indexWithStake(amount));
      await whitelistWallet(portal.store, walletOf(1), 'Banker');
      const { body } = await readEligibility(portal);
      return [body.eligible, body.tier, body.missing, body.bdBalance];
    };
    expect(await outcomeFor(1_000_000n)).toEqual([true, 'Banker', '0', 1]);
    expect(await outcomeFor(7_500_000_000_000n)).toEqual([true, 'Raven', '0', 7_500_000]);
  });

  it.each([
    ['unknown', null],
    ['stale', SAMPLE_INDEX.quote && { ...SAMPLE_INDEX.quote, readAt: TEST_START - 180_001 }],
  ])('has no value while the price is %s', async (_case, quote) => {
    const index = indexWithStake(1_500_000_000_000n);
    index.commit({ quote });
    const { body } = await readEligibility(await start(index));
    expect(body).toMatchObject({ eligible: true, usdValue: null, price: null });
  });

  it('needs a valid address, and is unavailable while the chain cannot be read', async () => {
    const walletReaders = { staked: createStakedTokensReader([]), held: createHeldTokensReader([]) };
    const portal = await start(new FakeIndex(), { walletReaders });
    expect((await ask(portal.port, cardEligibility.path)).status).toBe(400);
    expect((await readEligibility(portal, 'nonsense')).status).toBe(400);
    expect((await readEligibility(portal, walletOf(9))).body).not.toHaveProperty('eligible');
  });

  it('shares the rate limit for verifications, which read the chain too', async () => {
    const portal = await start(new FakeIndex(), { rateLimits: { verifications: 2 } });
    await ask(portal.port, `/api/verify-bd-tokens?walletAddress=${walletOf(9)}`);
    expect((await readEligibility(portal)).status).toBe(200);
    expect((await readEligibility(portal)).status).toBe(429);
  });
});
