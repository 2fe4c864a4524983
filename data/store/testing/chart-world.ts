import type { IndexReader, IndexWriter } from '../ports.ts';
import { openClaimed, type StoreWorld } from './adapters.ts';
import { sampleSnapshot } from './sample-rows.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** The start of a day. */
export const START = 20_000 * DAY;

/** An index whose charts grow snapshot by snapshot. */
export interface ChartWorld {
  readonly writer: IndexWriter;
  readonly reader: IndexReader;
  /** Commits the next snapshot. @returns its slot */
  snapshotAt(readAt: number, changes?: Parameters<typeof sampleSnapshot>[1]): Promise<number>;
  /** The points of a series, each as milliseconds after `START` and value. */
  points(...of: Parameters<IndexReader['history']>): Promise<(readonly [number, string])[]>;
  dispose(): Promise<void>;
}

export async function openChartWorld(open: () => Promise<StoreWorld>): Promise<ChartWorld> {
  const { world, reader, writer } = await openClaimed(open);
  let slot = 100;
  return {
    writer,
    reader,
    async snapshotAt(readAt, changes = {}) {
      slot += 1;
      await writer.commitSnapshot(sampleSnapshot(slot, { readAt, ...changes }));
      return slot;
    },
    points: async (...of) =>
      (await reader.history(...of)).map(({ at, value }) => [at - START, value] as const),
    dispose: () => world.dispose(),
  };
}
