/**
 * What node is started with where it runs the indexer. Answers of endpoints are garbage as soon as they are read: a small
 * space for what is young (MiB, of this size from the start) holds them as well as a large one and is swept by one thread
 * with less work than by several; what is old is collected once it has grown by half rather than to four times itself, so
 * that a long history takes no more memory than a short one; and one helper thread is enough beside a loop that mostly
 * waits for the network. `npm run indexer` says the same in package.json.
 */
export const INDEXER_MEMORY_FLAGS: readonly string[] = [
  '--min-semi-space-size=8',
  '--max-semi-space-size=8',
  '--heap-growing-percent=50',
  '--no-parallel-scavenge',
  '--v8-pool-size=1',
];
