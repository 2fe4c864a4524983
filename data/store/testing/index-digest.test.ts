import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChainEvent } from '../chain-rows.ts';
import type { IndexWriter } from '../ports.ts';
import { indexDifferences, indexDigest } from './index-digest.ts';
import { openNewIndex } from './new-stores.ts';
import { IDENTITY, sampleBatch, sampleEvent, sampleSnapshot } from './sample-rows.ts';
import { temporaryFolder } from './temporary-folder.ts';

async function createIndex(fill: (writer: IndexWriter) => Promise<void>): Promise<string> {
  const file = join(temporaryFolder(), 'index.db');
  const writer = await openNewIndex(file);
  await writer.claim(IDENTITY);
  await fill(writer);
  await writer.close();
  return file;
}

const withEvents = (...events: ChainEvent[]) =>
  createIndex((writer) => writer.commitEvents(sampleBatch(events, 1_000)));

describe('the digest of an index', () => {
  it('differs if an event or a snapshot differs, and `indexDifferences` returns the rows', async () => {
    const plain = await withEvents(sampleEvent(1));
    const others = [
      sampleEvent(1, { signature: 'another' }),
      sampleEvent(1, { position: 1 }),
      sampleEvent(1, { blockTime: null }),
      sampleEvent(1, { kind: 'other' }),
      sampleEvent(1, { wallet: null }),
      sampleEvent(1, { delta: 1_001n }),
      sampleEvent(1, { stakeEntry: 'entry' }),
    ];
    for (const event of others) {
      const other = await withEvents(event);
      expect(indexDigest(other)).not.toBe(indexDigest(plain));
      expect(indexDifferences(other, plain).map(({ row }) => row)).toContainEqual(
        expect.stringMatching(/^events \{/),
      );
    }
    const notCaughtUp = await createIndex((writer) => writer.commitEvents(sampleBatch([sampleEvent(1)])));
    expect(indexDifferences(notCaughtUp, plain)).toMatchObject([
      { onlyIn: notCaughtUp, row: expect.stringMatching(/^accounts .*"is_caught_up":0/) },
      { onlyIn: plain, row: expect.stringMatching(/^accounts .*"is_caught_up":1/) },
    ]);
    const [eight, nine] = await Promise.all(
      [8, 9].map((slot) => createIndex((writer) => writer.commitSnapshot(sampleSnapshot(slot)))),
    );
    expect(indexDigest(eight ?? '')).not.toBe(indexDigest(nine ?? ''));
  });
});
