import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { NOTHING_INDEXED } from '../../data/store/ports.ts';
import { FakeIndex, SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { IndexFollower } from './index-follower.ts';

function follow(index: FakeIndex) {
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  return { follower: new IndexFollower(index, 'solana', log), logged };
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

  it('knows nothing of an empty index', async () => {
    const { follower } = follow(new FakeIndex(NOTHING_INDEXED));
    await follower.look();
    expect(follower.facts).toEqual({ source: 'solana', index: NOTHING_INDEXED, vaultHistory: null });
  });
});
