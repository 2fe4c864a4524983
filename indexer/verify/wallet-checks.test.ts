import { describe, expect, it } from 'vitest';
import { walletCall } from './read-api.ts';
import { poolEvent, sampleChain, verdictOn } from './testing/sample-portal.ts';
import { WALLET_CHECKS } from './wallet-checks.ts';

const MILLION = 1_000_000n;
const NOON = '2026-01-01T12:00:00.000Z';
const EVENING = '2026-01-01T18:00:00.000Z';
const UNLOCK = '2026-07-01T00:00:00.000Z';
const seconds = (at: string) => BigInt(Date.parse(at) / 1_000);
const entry = (address: string, nonce: number, amount: bigint, startsAt: string) => ({
  address,
  wallet: 'alice',
  nonce,
  amount,
  startsAt: seconds(startsAt),
  unlocksAt: seconds(UNLOCK),
});
const chain = sampleChain({
  accounts: { openEntries: [entry('one', 0, 4n * MILLION, NOON), entry('two', 1, 2n * MILLION, EVENING)] },
  holdings: new Map([
    ['alice', 77n],
    ['bob', 500n],
  ]),
  poolEvents: [
    poolEvent({ signature: 'last', part: 1, wallet: 'bob', type: 'other', change: 3n, slot: 9 }),
    poolEvent({ signature: 'last', wallet: 'alice', change: 2n * MILLION, stakeEntry: 'two', slot: 9 }),
    poolEvent({ signature: 'first', wallet: 'alice', change: 4n * MILLION, stakeEntry: 'one', slot: 8 }),
  ],
});
const history = { '/api/transactions': [], '/api/staking/program-summary': { quarantined: 0 } };

const VERIFY = '/api/verify-bd-tokens';
const ELIGIBLE = '/api/virtual-card/eligibility';
const POSITION = '/api/wallet/position';
const stakerBodies = {
  [VERIFY]: {
    walletAddress: 'alice',
    isStaking: true,
    stakedAmount: 6_000_000,
    stakedAmountText: '6000000',
    heldAmount: null,
    tier: 'Banker',
    detectionMethod: 'stake_entry',
  },
  [ELIGIBLE]: {
    walletAddress: 'alice',
    eligible: true,
    bdBalance: 6_000_000,
    bdBalanceText: '6000000',
    usdValue: '750.00',
    tier: 'Banker',
    missing: '0',
    detectionMethod: 'stake_entry',
    price: { usd: '0.000125' },
  },
  [POSITION]: {
    walletAddress: 'alice',
    isStaking: true,
    staked: '6000000',
    lock: { startDate: EVENING, unlockDate: UNLOCK },
    stakes: [
      { entry: 'two', amount: '2000000', startDate: EVENING, unlockDate: UNLOCK, openedBy: 'last' },
      { entry: 'one', amount: '4000000', startDate: NOON, unlockDate: UNLOCK, openedBy: 'first' },
    ],
    tier: 'Banker',
    badge: 'Gold',
    nextTier: { tier: 'Raven', minimumStake: '7500000', missing: '1500000' },
    statedReward: '2624547',
    transactions: {
      rows: [
        row({ signature: 'last', amount: '2000000', slot: 9 }),
        row({ signature: 'first', amount: '4000000', slot: 8 }),
      ],
      next: null,
    },
  },
};
const nonStakerBodies = {
  [VERIFY]: {
    walletAddress: 'bob',
    isStaking: false,
    stakedAmount: 0,
    stakedAmountText: '0',
    heldAmount: '500',
    tier: 'None',
    detectionMethod: 'token_account_analysis',
  },
  [ELIGIBLE]: {
    walletAddress: 'bob',
    eligible: false,
    bdBalance: 500,
    bdBalanceText: '500',
    usdValue: '0.06',
    tier: 'None',
    missing: '1500000',
    detectionMethod: 'token_account_analysis',
    price: { usd: '0.000125' },
  },
  [POSITION]: {
    walletAddress: 'bob',
    isStaking: false,
    staked: '0',
    lock: null,
    stakes: [],
    tier: 'None',
    badge: null,
    nextTier: { tier: 'Duckling', minimumStake: '1500000', missing: '1500000' },
    statedReward: '0',
    transactions: {
      rows: [row({ signature: 'last', part: 1, type: 'other', amount: '3', slot: 9, wallet: 'bob' })],
      next: null,
    },
  },
};

function row(fields: object) {
  return { type: 'stake', account: 'stake-pool', part: 0, blockTime: 1_000, wallet: 'alice', ...fields };
}

type Bodies = Readonly<Record<string, object>>;

async function findDisagreements(kind: 'staker' | 'other', bodies: Bodies): Promise<readonly string[]> {
  const named = Object.fromEntries(
    Object.entries(bodies).map(([path, body]) => [walletCall(path, kind), body]),
  );
  const subject = kind === 'staker' ? 'a wallet that stakes' : 'a wallet without a stake';
  const checks = WALLET_CHECKS.filter(({ figure }) => figure.endsWith(subject));
  expect(checks).toHaveLength(5);
  const found: string[] = [];
  for (const check of checks) {
    const { kind: verdict } = await verdictOn(check, { ...named, ...history }, chain);
    if (verdict !== 'agree') found.push(`${check.figure.replace(/ (of|by) a wallet.*/, '')}: ${verdict}`);
  }
  return found;
}

describe('the figures for a single wallet', () => {
  it.each([
    ['staker', stakerBodies],
    ['other', nonStakerBodies],
  ] as const)('agree if all of them match the chain (%s)', async (kind, bodies) => {
    expect(await findDisagreements(kind, bodies)).toEqual([]);
  });

  it.each<[string, 'staker' | 'other', string, object]>([
    ['verification', 'staker', VERIFY, { stakedAmount: 6_000_001 }],
    ['verification', 'staker', VERIFY, { tier: 'Duckling' }],
    ['verification', 'other', VERIFY, { detectionMethod: 'stake_entry' }],
    ['tokens held', 'staker', VERIFY, { heldAmount: '77' }],
    ['tokens held', 'other', VERIFY, { heldAmount: '501' }],
    ['card eligibility', 'staker', ELIGIBLE, { tier: 'Duckling' }],
    ['card eligibility', 'staker', ELIGIBLE, { usdValue: '750.01' }],
    ['card eligibility', 'other', ELIGIBLE, { missing: '1499500' }],
    ['card eligibility', 'other', ELIGIBLE, { eligible: true }],
    ['position', 'staker', POSITION, { nextTier: { tier: 'Raven', minimumStake: '7500000', missing: '1' } }],
    ['position', 'staker', POSITION, { statedReward: '2624548' }],
    ['position', 'staker', POSITION, { stakes: stakerBodies[POSITION].stakes.toReversed() }],
    ['position', 'other', POSITION, { isStaking: true }],
    ['newest transactions', 'staker', POSITION, { transactions: { rows: [], next: null } }],
  ])('differ only for the figure that is false: %s (%s)', async (figure, kind, path, lie) => {
    const bodies: Bodies = kind === 'staker' ? stakerBodies : nonStakerBodies;
    const found = await findDisagreements(kind, { ...bodies, [path]: { ...bodies[path], ...lie } });
    expect(found).toEqual([`${figure}: differs`]);
  });

  it('agree if a wallet without a stake has a whitelisted tier', async () => {
    const whitelisted = { ...nonStakerBodies[ELIGIBLE], eligible: true, tier: 'Banker', missing: '0' };
    const verified = { ...nonStakerBodies[VERIFY], tier: 'Banker' };
    const bodies = { ...nonStakerBodies, [ELIGIBLE]: whitelisted, [VERIFY]: verified };
    expect(await findDisagreements('other', bodies)).toEqual([]);
  });
});
