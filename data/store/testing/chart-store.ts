import type { IndexReader, IndexWriter } from '../ports.ts';
import { IDENTITY, sampleSnapshot } from './sample-rows.ts';
import { openStores } from './test-stores.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** The start of a day. */
export const START = 20_000 * DAY_MS;

export interface ChartStore {
  readonly writer: IndexWriter;
  readonly reader: IndexReader;
  /** @returns the snapshot's slot */
  commitSnapshotAt(readAt: number, changes?: Parameters<typeof sampleSnapshot>[1]): Promise<number>;
  /** The points of a series. Each is a pair: the milliseconds since `START`, and the value. */
  points(...query: Parameters<IndexReader['history']>): Promise<(readonly [number, string])[]>;
  dispose(): Promise<void>;
}

export async function openChartStore(): Promise<ChartStore> {
  const stores = await openStores();
  const reader = await stores.openReader();
  const writer = await stores.openWriter();
  await writer.claim(IDENTITY);
  let slot = 100;
  return {
    writer,
    reader,
    async commitSnapshotAt(readAt, changes = {}) {
      slot += 1;
      await writer.commitSnapshot(sampleSnapshot(slot, { readAt, ...changes }));
      return slot;
    },
    points: async (...query) =>
      (await reader.history(...query)).map(({ at, value }) => [at - START, value] as const),
    dispose: () => stores.dispose(),
  };
}
