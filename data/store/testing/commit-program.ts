import { setImmediate } from 'node:timers/promises';
import { openIndexWriter } from '../sqlite/index-writer.ts';
import { batchOf, IDENTITY, sampleEvent, sampleSnapshot } from './sample-rows.ts';

/**
 * A writer in a process of its own, to be watched or killed: goes on from the cursor, commits batches of one event a slot,
 * each followed by a snapshot of its last slot, and prints that slot once it is committed.
 * Usage: node commit-program.ts <index file> <events a batch> <batches>
 */
const [file = '', size = '', batches = ''] = process.argv.slice(2);
const batchSize = Number(size);
const writer = await openIndexWriter(file);
await writer.claim(IDENTITY);

for (let batch = 0; batch < Number(batches); batch += 1) {
  const done = (await writer.cursor(IDENTITY.vault))?.slot ?? 0;
  await writer.commitEvents(
    batchOf(Array.from({ length: batchSize }, (_, index) => sampleEvent(done + index + 1))),
  );
  await writer.commitSnapshot(sampleSnapshot(done + batchSize));
  process.stdout.write(`${done + batchSize}\n`);
  // Lets a broken pipe be noticed: without its reader the program ends.
  await setImmediate();
}
await writer.close();
