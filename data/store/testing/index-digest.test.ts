import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChainEvent } from '../chain-rows.ts';
import { openIndexWriter } from '../open-stores.ts';
import type { IndexWriter } from '../ports.ts';
import { indexDifferences, indexDigest } from './index-digest.ts';
import { IDENTITY, sampleBatch, sampleEvent, sampleSnapshot } from './sample-rows.ts';
import { temporaryFolder } from './temporary-folder.ts';

async function createIndex(fill: (writer: IndexWriter) => Promise<void>): Promise<string> {
  const folder = temporaryFolder();
  const file = join(folder, 'index.db');
  const writer = await openIndexWriter(file);
  await writer.claim(IDENTITY);
  await fill(writer);
  await writer.close();
  return file;
}

const withEvents = (...events: ChainEvent[]) =>
  createIndex((writer) => writer.commitEvents(sampleBatch(events, 1_000)));

describe('the digest of an index', () => {
  it('does not depend on how and when the rows were committed', async () => {
    const [one, two] = [sampleEvent(1), sampleEvent(2)];
    const atOnce = await createIndex(async (writer) => {
      await writer.commitEvents(sampleBatch([one, two], 5_000));
      await writer.commitSnapshot({ ...sampleSnapshot(9), readAt: 1 });
      await writer.reportEndpoints([], 77);
      await writer.commitHolders({ slot: 9, wallets: 3, readAt: 1 });
    });
    const piecemeal = await createIndex(async (writer) => {
      await writer.commitSnapshot(sampleSnapshot(8));
      await writer.commitEvents(sampleBatch([two]));
      await writer.commitEvents({ ...sampleBatch([one]), caughtUpAt: 9_000 });
      await writer.commitSnapshot({ ...sampleSnapshot(9), readAt: 2 });
    });
    expect(indexDifferences(atOnce, piecemeal)).toEqual([]);
    expect(indexDigest(atOnce)).toBe(indexDigest(piecemeal));
  });

  it('differs if an event or a snapshot does, and `indexDifferences` names the rows', async () => {
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
