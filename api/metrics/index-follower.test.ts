import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { NOTHING_INDEXED } from '../../data/store/ports.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START, vaultEvent } from '../testing/fake-index.ts';
import { manyStakes } from '../testing/sample-stakes.ts';
import { noFacts } from './facts.ts';
import { IndexFollower } from './index-follower.ts';

const NO_WALLETS: ReadonlySet<string> = new Set();

function follow(index: FakeIndex, time = { now: 0 }) {
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const options = {
    source: 'solana',
    provenWallets: () => NO_WALLETS,
    log,
    steady: () => time.now,
  } as const;
  return { follower: new IndexFollower(index, options), logged };
}

describe('following the index', () => {
  it('reads only when the index moved', async () => {
    const index = new FakeIndex();
    const { follower } = follow(index);
    expect(await follower.look()).toBe(true);
    expect(await follower.look()).toBe(false);
    index.commitChain({ slot: 5_000 });
    expect(await follower.look()).toBe(true);
    expect(follower.facts.index.chain?.slot).toBe(5_000);
  });

  it('asks for the vault’s history at most every five seconds while the vault stands still', async () => {
    const index = new FakeIndex();
    const { follower } = follow(index);
    for (let commit = 0; commit < 20; commit++) {
      index.commitChain({ readAt: TEST_START + commit * 400 });
      await follower.look();
    }
    expect(index.historyReads).toBe(2);
    index.commitChain({ vaultBalance: 1n });
    await follower.look();
    expect(index.historyReads).toBe(3);
  });

  it('keeps the last facts while the index cannot be read, says so once, and goes on after', async () => {
    const index = new FakeIndex();
    const { follower, logged } = follow(index);
    await follower.look();
    index.fault = new Error('disk I/O error');
    index.commitChain({ slot: 5_000 });
    expect([await follower.look(), await follower.look()]).toEqual([false, false]);
    expect(follower.facts.index.chain?.slot).toBe(SAMPLE_INDEX.chain?.slot);
    expect(logged).toHaveLength(1);
    index.fault = null;
    expect(await follower.look()).toBe(true);
    expect(follower.facts.index.chain?.slot).toBe(5_000);
  });

  it('reads again what it could not read, though the index did not move since', async () => {
    const index = new FakeIndex();
    const { follower } = follow(index);
    const { vaultMovements } = index;
    index.vaultMovements = async () => Promise.reject(new Error('locked'));
    expect(await follower.look()).toBe(false);
    index.vaultMovements = vaultMovements;
    expect(await follower.look()).toBe(true);
  });

  it('tells the growth on while a snapshot is ahead of its events, but never that of another chain', async () => {
    const index = new FakeIndex();
    const { follower } = follow(index);
    const balances = () => follower.facts.vaultHistory?.earlier.map(({ balance }) => balance);
    await follower.look();
    const known = balances();
    expect(known).not.toContain(null);
    index.earlierBalance = null;
    index.commitChain({ vaultBalance: 1n, readAt: TEST_START + 1_500 });
    await follower.look();
    expect(balances()).toEqual(known);
    const { identity } = SAMPLE_INDEX;
    index.commit({ identity: identity && { ...identity, genesisHash: identity.mint } });
    index.commitChain({ vaultBalance: 2n });
    await follower.look();
    expect(balances()).toEqual([null, null, null, null]);
  });

  it('knows nothing of an empty index', async () => {
    const { follower } = follow(new FakeIndex(NOTHING_INDEXED));
    await follower.look();
    expect(follower.facts).toEqual(noFacts('solana', new Set()));
  });
});

/** An index that counts how often its stakes are read; each reading takes so many milliseconds. */
function countingStakes(time: { now: number }, takes = 0) {
  const index = new FakeIndex();
  const counted = { index, reads: 0, takes };
  index.held = manyStakes(3);
  const stakes = index.stakes.bind(index);
  index.stakes = async (atMost) => {
    counted.reads += 1;
    time.now += counted.takes;
    return stakes(atMost);
  };
  return counted;
}

describe('the stakes', () => {
  it('are read once, and then told at each newer snapshot without being read again', async () => {
    const time = { now: 0 };
    const counted = countingStakes(time);
    const { follower } = follow(counted.index, time);
    await follower.look();
    const content = follower.facts.stakes?.content;
    for (let slot = 5_000; slot < 5_020; slot++) {
      counted.index.commitChain({ slot, readAt: TEST_START + slot, vaultBalance: BigInt(slot) });
      await follower.look();
    }
    expect(counted.reads).toBe(1);
    expect(follower.facts.stakes).toMatchObject({ slot: 5_019, readAt: TEST_START + 5_019 });
    expect(follower.facts.stakes?.content).toBe(content);
    expect(content?.stakers).toHaveLength(3);
  });

  it.each<[string, (index: FakeIndex) => void]>([
    ['an entry changes that alters no total', (index) => index.commitChain({ entryChanges: 9 })],
    ['the history is read to its end', (index) => index.commit({ isHistoryRead: false })],
    ['a transaction leaves quarantine', (index) => index.commit({ quarantinedCount: 1 })],
    [
      'an event of the pool takes its place among older ones',
      (index) => {
        index.counted = { ...index.counted, events: { vault: 2, 'stake-pool': 1 } };
        index.commit({});
      },
    ],
    [
      'the pool’s newest event is another',
      (index) => {
        const ofPool = vaultEvent(5, { account: SAMPLE_INDEX.identity?.poolVault ?? '' });
        index.commit({ recentEvents: [ofPool] });
      },
    ],
  ])('are read again where %s', async (_case, change) => {
    const time = { now: 0 };
    const counted = countingStakes(time);
    const { follower } = follow(counted.index, time);
    await follower.look();
    change(counted.index);
    await follower.look();
    expect(counted.reads).toBe(2);
  });

  it('are read again with the first snapshot that holds the newest event, though its totals are the same', async () => {
    const time = { now: 0 };
    const counted = countingStakes(time);
    const { follower } = follow(counted.index, time);
    const ahead = vaultEvent(1, { account: SAMPLE_INDEX.identity?.poolVault ?? '', slot: 4_300 });
    counted.index.commit({ recentEvents: [ahead] });
    await follower.look();
    expect(counted.reads).toBe(1);
    counted.index.commitChain({ slot: 4_300 });
    await follower.look();
    expect(counted.reads).toBe(2);
  });

  it('rest between two slow readings, keep the slot that they hold at, and are caught up though the index is still', async () => {
    const time = { now: 0 };
    const counted = countingStakes(time, 100);
    const { follower } = follow(counted.index, time);
    await follower.look();
    counted.index.commitChain({ slot: 5_000, entryChanges: 9 });
    await follower.look();
    expect(counted.reads).toBe(1);
    expect(follower.facts.stakes?.slot).toBe(4_242);
    expect(await follower.look()).toBe(false);
    time.now += 900;
    expect(await follower.look()).toBe(true);
    expect(counted.reads).toBe(2);
    expect(follower.facts.stakes?.slot).toBe(5_000);
    expect(await follower.look()).toBe(false);
  });
});
