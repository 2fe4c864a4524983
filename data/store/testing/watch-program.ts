import { setTimeout as pause } from 'node:timers/promises';
import { openIndexReader } from '../open-stores.ts';

/**
 * A reader process that runs during `commit-program.ts`. It reads whenever the version changes, and ends once it has seen the
 * last slot. It prints `ready` before the first read, and the number of versions at the end. It fails when a read contains
 * an incomplete batch, or a snapshot that does not match the events.
 * Usage: node watch-program.ts <index file> <events per batch> <last slot>
 */
const [file = '', size = '', last = ''] = process.argv.slice(2);
const batchSize = Number(size);
const reader = await openIndexReader(file);
let version = await reader.dataVersion();
let versionCount = 0;
let newestSlot = 0;
process.stdout.write('ready\n');

while (newestSlot < Number(last)) {
  const next = await reader.dataVersion();
  if (next !== version) {
    version = next;
    versionCount += 1;
    const { recentEvents, chain } = await reader.latestSnapshot(1);
    newestSlot = recentEvents[0]?.slot ?? 0;
    const snapshotSlot = chain?.slot ?? 0;
    const fits = snapshotSlot === newestSlot || snapshotSlot === newestSlot - batchSize;
    if (newestSlot % batchSize !== 0 || !fits) {
      throw new Error(`Read events up to slot ${newestSlot} with a snapshot of slot ${snapshotSlot}.`);
    }
  }
  await pause(1);
}
await reader.close();
process.stdout.write(`${versionCount}\n`);
