import { setImmediate } from 'node:timers/promises';
import { openIndexWriter } from '../open-stores.ts';
import { IDENTITY, sampleBatch, sampleEvent, sampleSnapshot } from './sample-rows.ts';

/**
 * A writer process for tests that watch it or kill it. It continues at the cursor and commits batches with one event per slot.
 * After each batch, it commits a snapshot of the batch's last slot and prints that slot.
 * Usage: node commit-program.ts <index file> <events per batch> <batches>
 */
const [file = '', size = '', batches = ''] = process.argv.slice(2);
const batchSize = Number(size);
const writer = await openIndexWriter(file);
await writer.claim(IDENTITY);

for (let batch = 0; batch < Number(batches); batch += 1) {
  const cursorSlot = (await writer.cursor(IDENTITY.vault))?.slot ?? 0;
  await writer.commitEvents(
    sampleBatch(Array.from({ length: batchSize }, (_, index) => sampleEvent(cursorSlot + index + 1))),
  );
  await writer.commitSnapshot(sampleSnapshot(cursorSlot + batchSize));
  process.stdout.write(`${cursorSlot + batchSize}\n`);
  // Lets an error of the output stream, such as a closed pipe, end the program here.
  await setImmediate();
}
await writer.close();
