import { describe, expect, it } from 'vitest';
import { HISTORY_CHECKS } from './history-checks.ts';
import { poolEvent, sampleChain, sampleOpenEntry, verdictOn } from './testing/sample-portal.ts';

const [ALICE_OPENING, BOB_REOPENING] = ['opened it', 'opened the other'];
const stakeBy = (wallet: string) => sampleOpenEntry({ address: `entry of ${wallet}`, wallet });
const bob = { wallet: 'bob', stakeEntry: 'entry of bob' };
const chain = sampleChain({
  accounts: { openEntries: [stakeBy('alice'), stakeBy('bob')] },
  poolEvents: [
    poolEvent({ ...bob, signature: BOB_REOPENING, part: 1, slot: 3 }),
    poolEvent({ ...bob, signature: BOB_REOPENING, part: 0, type: 'unstake', slot: 3 }),
    poolEvent({ signature: ALICE_OPENING, wallet: 'alice', stakeEntry: 'entry of alice', slot: 2 }),
    poolEvent({ ...bob, signature: 'before' }),
  ],
});
const lock = { startDate: new Date(0).toISOString(), unlockDate: new Date(0).toISOString() };
const transfers = (...signatures: readonly (string | null)[]) => ({
  totalStakers: 2,
  totalStaked: '2',
  stakers: ['alice', 'bob'].map((wallet, index) => ({
    amount: '1',
    wallet,
    signature: signatures[index] ?? null,
    ...lock,
  })),
});
const stakers = (...counts: readonly (number | null)[]) =>
  ['alice', 'bob'].map((walletAddress, index) => ({
    walletAddress,
    stakedAmount: '1',
    tier: null,
    cardTier: null,
    entries: 1,
    stakingDuration: 0,
    transactionCount: counts[index] ?? null,
    ...lock,
  }));
const complete = { '/api/transactions': [], '/api/staking/program-summary': { quarantined: 0 } };
const incomplete = { ...complete, '/api/staking/program-summary': { quarantined: 1 } };
const find = (figure: string) => HISTORY_CHECKS.find((check) => check.figure === figure);

describe('a figure from the history', () => {
  const signatures = find('staking transfers: signatures');
  const verdict = (body: unknown, history: Readonly<Record<string, unknown>>) =>
    verdictOn(signatures, { '/api/staking/transfers': body, ...history }, chain);

  it('agrees if it names the transaction that last opened an entry', async () => {
    expect((await verdict(transfers(ALICE_OPENING, BOB_REOPENING), complete)).kind).toBe('agree');
    expect((await verdict(transfers(ALICE_OPENING, 'before'), complete)).kind).toBe('differs');
  });

  it('differs if it is missing although the history is complete', async () => {
    expect(await verdict(transfers(null, BOB_REOPENING), complete)).toEqual({
      kind: 'differs',
      reported: ['alice no transaction', `bob ${BOB_REOPENING}`],
      expected: [`alice ${ALICE_OPENING}`, `bob ${BOB_REOPENING}`],
    });
  });

  it('agrees if it is missing both in the portal and on the chain', async () => {
    const { poolEvents } = chain;
    const without = { ...chain, poolEvents: poolEvents.filter(({ wallet }) => wallet === 'bob') };
    const bodies = { '/api/staking/transfers': transfers(null, BOB_REOPENING), ...complete };
    expect((await verdictOn(signatures, bodies, without)).kind).toBe('agree');
  });

  it('is not comparable if it is missing while the history is incomplete', async () => {
    for (const history of [{}, incomplete]) {
      expect(await verdict(transfers(null, BOB_REOPENING), history)).toEqual({
        kind: 'not comparable',
        reason: 'the portal has no value for it at the moment',
      });
    }
  });

  it('counts a transaction once, even if it has several stakes', async () => {
    const counted = (body: unknown, history: Readonly<Record<string, unknown>>) =>
      verdictOn(find('stakers: transactions'), { '/api/stakers/enhanced': body, ...history }, chain);
    expect((await counted(stakers(1, 2), complete)).kind).toBe('agree');
    expect((await counted(stakers(1, 3), complete)).kind).toBe('differs');
    expect((await counted(stakers(1, null), complete)).kind).toBe('differs');
    expect((await counted(stakers(null, null), {})).kind).toBe('not comparable');
  });
});
