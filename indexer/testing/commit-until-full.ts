import { openIndexWriter } from '../../data/store/sqlite/index-writer.ts';
import { batchOf, IDENTITY, sampleEvent } from '../../data/store/testing/sample-rows.ts';

/**
 * For tests: a writer in a process of its own that goes on from the cursor and commits batches of events until one
 * fails or all are done. Tells its parent the slot of each commit, and of a failure what it said.
 * Usage: node commit-until-full.ts <index file> <events a batch> <last slot>
 */
const [file = '', size = '', lastSlot = ''] = process.argv.slice(2);
const batchSize = Number(size);
const writer = await openIndexWriter(file);
try {
  await writer.claim(IDENTITY);
  for (;;) {
    const done = (await writer.cursor(IDENTITY.vault))?.slot ?? 0;
    if (done >= Number(lastSlot)) break;
    const slots = Array.from({ length: batchSize }, (_, index) => done + index + 1);
    await writer.commitEvents(batchOf(slots.map((slot) => sampleEvent(slot))));
    process.send?.({ committed: done + batchSize });
  }
  process.send?.({ committed: Number(lastSlot) });
} catch (error) {
  process.send?.({ failed: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
} finally {
  await writer.close();
  process.disconnect?.();
}
