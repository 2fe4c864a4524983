import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { EMPTY_INDEX_SNAPSHOT } from '../../data/store/ports.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START, vaultEvent } from '../testing/fake-index.ts';
import { manyStakes } from '../testing/sample-stakes.ts';
import { noFigureInputs } from './figure.ts';
import { IndexFollower } from './index-follower.ts';

const NO_WALLETS: ReadonlySet<string> = new Set();

function follow(index: FakeIndex, time = { now: 0 }) {
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const options = {
    source: 'solana',
    provenWallets: () => NO_WALLETS,
    log,
    monotonicNow: () => time.now,
  } as const;
  return { follower: new IndexFollower(index, options), logged };
}

describe('the index follower', () => {
  it('reads the index only after it changes', async () => {
    const index = new FakeIndex();
    const { follower } = follow(index);
    expect(await follower.poll()).toBe(true);
    expect(await follower.poll()).toBe(false);
    index.commitChain({ slot: 5_000 });
    expect(await follower.poll()).toBe(true);
    expect(follower.inputs.index.chain?.slot).toBe(5_000);
  });

  it('reads the history of an unchanged vault at most every five seconds', async () => {
    const index = new FakeIndex();
    const { follower } = follow(index);
    for (let commit = 0; commit < 20; commit++) {
      index.commitChain({ readAt: TEST_START + commit * 400 });
      await follower.poll();
    }
    expect(index.historyReads).toBe(2);
    index.commitChain({ vaultBalance: 1n });
    await follower.poll();
    expect(index.historyReads).toBe(3);
  });

  it('keeps the last inputs while the index cannot be read, and logs it once', async () => {
    const index = new FakeIndex();
    const { follower, logged } = follow(index);
    await follower.poll();
    index.readError = new Error('disk I/O error');
    index.commitChain({ slot: 5_000 });
    expect([await follower.poll(), await follower.poll()]).toEqual([false, false]);
    expect(follower.inputs.index.chain?.slot).toBe(SAMPLE_INDEX.chain?.slot);
    expect(logged).toHaveLength(1);
    index.readError = null;
    expect(await follower.poll()).toBe(true);
    expect(follower.inputs.index.chain?.slot).toBe(5_000);
  });

  it('retries a failed read even if the index has not changed', async () => {
    const index = new FakeIndex();
    const { follower } = follow(index);
    const { vaultMovements } = index;
    index.vaultMovements = async () => Promise.reject(new Error('locked'));
    expect(await follower.poll()).toBe(false);
    index.vaultMovements = vaultMovements;
    expect(await follower.poll()).toBe(true);
  });

  it('keeps the vault’s growth while the events lag behind the snapshot, but drops it if the chain changes', async () => {
    const index = new FakeIndex();
    const { follower } = follow(index);
    const earlierBalances = () => follower.inputs.vaultHistory?.earlierBalances.map(({ balance }) => balance);
    await follower.poll();
    const balancesBefore = earlierBalances();
    expect(balancesBefore).not.toContain(null);
    index.earlierBalance = null;
    index.commitChain({ vaultBalance: 1n, readAt: TEST_START + 1_500 });
    await follower.poll();
    expect(earlierBalances()).toEqual(balancesBefore);
    const { identity } = SAMPLE_INDEX;
    index.commit({ identity: identity && { ...identity, genesisHash: identity.mint } });
    index.commitChain({ vaultBalance: 2n });
    await follower.poll();
    expect(earlierBalances()).toEqual([null, null, null, null]);
  });

  it('yields to the event loop between its reads', async () => {
    const index = new FakeIndex();
    const { follower } = follow(index);
    const { latestSnapshot, vaultMovements, statistics } = index;
    const order: string[] = [];
    const recordRead = (name: string) => {
      order.push(name);
      setImmediate(() => order.push('turn'));
    };
    index.latestSnapshot = (count) => {
      recordRead('snapshot');
      return latestSnapshot.call(index, count);
    };
    index.vaultMovements = () => {
      recordRead('history');
      return vaultMovements.call(index);
    };
    index.statistics = () => {
      recordRead('stakes');
      return statistics.call(index);
    };
    await follower.poll();
    expect(order).toEqual(['snapshot', 'turn', 'history', 'turn', 'stakes', 'turn']);
  });

  it('has no inputs from an empty index', async () => {
    const { follower } = follow(new FakeIndex(EMPTY_INDEX_SNAPSHOT));
    await follower.poll();
    expect(follower.inputs).toEqual(noFigureInputs('solana', new Set()));
  });
});

const poolEvent = (number: number, slot = 1_000) =>
  vaultEvent(number, { account: SAMPLE_INDEX.identity?.poolVault ?? '', slot });

function followStakes(readMs = 0) {
  const index = new FakeIndex();
  index.storedStakes = manyStakes(3);
  const [time, counter] = [{ now: 0 }, { reads: 0 }];
  const stakes = index.stakes.bind(index);
  index.stakes = async (maxEnded) => {
    counter.reads += 1;
    time.now += readMs;
    return stakes(maxEnded);
  };
  return { index, time, counted: counter, follower: follow(index, time).follower };
}

describe('the followed stakes', () => {
  it('are not read again for snapshots in which no stake changes', async () => {
    const { index, counted, follower } = followStakes();
    await follower.poll();
    const content = follower.inputs.stakes?.content;
    for (let slot = 5_000; slot < 5_020; slot++) {
      index.commitChain({ slot, readAt: TEST_START + slot, vaultBalance: BigInt(slot) });
      await follower.poll();
    }
    expect(counted.reads).toBe(1);
    expect(follower.inputs.stakes).toMatchObject({ slot: 5_019, readAt: TEST_START + 5_019 });
    expect(follower.inputs.stakes?.content).toBe(content);
    expect(content?.stakers).toHaveLength(3);
  });

  it.each<[string, (index: FakeIndex) => void]>([
    ['an entry changes without altering a total', (index) => index.commitChain({ entryChanges: 9 })],
    ['the history is no longer read to its end', (index) => index.commit({ isHistoryCaughtUp: false })],
    ['the history was last read too long ago', (index) => index.commit({ historyReadAt: 0 })],
    ['a transaction is quarantined', (index) => index.commit({ quarantinedCount: 1 })],
    [
      'an older event of the pool is added',
      (index) => {
        index.storedStatistics = { ...index.storedStatistics, events: { vault: 2, 'stake-pool': 1 } };
        index.commit({});
      },
    ],
    ['the pool has a new event', (index) => index.commit({ recentEvents: [poolEvent(5)] })],
  ])('are read again if %s', async (_case, change) => {
    const { index, counted, follower } = followStakes();
    await follower.poll();
    change(index);
    await follower.poll();
    expect(counted.reads).toBe(2);
  });

  it('are read again with the first snapshot that includes the newest event', async () => {
    const { index, counted, follower } = followStakes();
    index.commit({ recentEvents: [poolEvent(1, 4_300)] });
    await follower.poll();
    expect(counted.reads).toBe(1);
    index.commitChain({ slot: 4_300 });
    await follower.poll();
    expect(counted.reads).toBe(2);
  });

  it('keep their old slot during the pause after a slow read, then catch up even if the index does not change', async () => {
    const { index, time, counted, follower } = followStakes(100);
    await follower.poll();
    index.commitChain({ slot: 5_000, entryChanges: 9 });
    await follower.poll();
    expect(counted.reads).toBe(1);
    expect(follower.inputs.stakes?.slot).toBe(4_242);
    expect(await follower.poll()).toBe(false);
    time.now += 900;
    expect(await follower.poll()).toBe(true);
    expect(counted.reads).toBe(2);
    expect(follower.inputs.stakes?.slot).toBe(5_000);
    expect(await follower.poll()).toBe(false);
  });
});
