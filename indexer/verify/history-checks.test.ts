import { describe, expect, it } from 'vitest';
import { HISTORY_CHECKS } from './history-checks.ts';
import { madeChain, poolEvent, verdictOn } from './testing/sample-portal.ts';

const [OPENED, AGAIN] = ['opened it', 'opened the other'];
const stakeOf = (wallet: string) => ({
  address: `entry of ${wallet}`,
  wallet,
  nonce: 0,
  amount: 1n,
  startsAt: 0n,
  unlocksAt: 0n,
});
const chain = madeChain({
  accounts: { openEntries: [stakeOf('alice'), stakeOf('bob')] },
  poolEvents: [
    poolEvent({ signature: AGAIN, part: 1, wallet: 'bob', stakeEntry: 'entry of bob', slot: 3 }),
    poolEvent({
      signature: AGAIN,
      part: 0,
      wallet: 'bob',
      type: 'unstake',
      stakeEntry: 'entry of bob',
      slot: 3,
    }),
    poolEvent({ signature: OPENED, wallet: 'alice', stakeEntry: 'entry of alice', slot: 2 }),
    poolEvent({ signature: 'before', wallet: 'bob', stakeEntry: 'entry of bob' }),
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
const read = { '/api/transactions': [], '/api/staking/program-summary': { quarantined: 0 } };
const lacking = { ...read, '/api/staking/program-summary': { quarantined: 1 } };
const find = (figure: string) => HISTORY_CHECKS.find((check) => check.figure === figure);

describe('a figure of the history', () => {
  const signatures = find('staking transfers: signatures');
  const verdict = (body: unknown, history: Readonly<Record<string, unknown>>) =>
    verdictOn(signatures, { '/api/staking/transfers': body, ...history }, chain);

  it('agrees if it equals the chain, with the last stake of a reused entry', async () => {
    expect((await verdict(transfers(OPENED, AGAIN), read)).kind).toBe('agree');
    expect((await verdict(transfers(OPENED, 'before'), read)).kind).toBe('differs');
  });

  it('differs if it is missing although the portal has read its history', async () => {
    expect(await verdict(transfers(null, AGAIN), read)).toEqual({
      kind: 'differs',
      reported: ['alice no transaction', `bob ${AGAIN}`],
      expected: [`alice ${OPENED}`, `bob ${AGAIN}`],
    });
  });

  it('agrees if it is missing in both', async () => {
    const { poolEvents } = chain;
    const without = { ...chain, poolEvents: poolEvents.filter(({ wallet }) => wallet === 'bob') };
    const bodies = { '/api/staking/transfers': transfers(null, AGAIN), ...read };
    expect((await verdictOn(signatures, bodies, without)).kind).toBe('agree');
  });

  it('is not comparable if it is missing while the history is incomplete', async () => {
    for (const history of [{}, lacking]) {
      expect(await verdict(transfers(null, AGAIN), history)).toEqual({
        kind: 'not comparable',
        reason: 'unknown to the portal now',
      });
    }
  });

  it('counts transactions once, however many stakes they hold', async () => {
    const counted = (body: unknown, history: Readonly<Record<string, unknown>>) =>
      verdictOn(find('stakers: transactions'), { '/api/stakers/enhanced': body, ...history }, chain);
    expect((await counted(stakers(1, 2), read)).kind).toBe('agree');
    expect((await counted(stakers(1, 3), read)).kind).toBe('differs');
    expect((await counted(stakers(1, null), read)).kind).toBe('differs');
    expect((await counted(stakers(null, null), {})).kind).toBe('not comparable');
  });
});
