/**
 * What node is started with where it runs the indexer. Answers of endpoints are garbage as soon as they are read, and what
 * is made of them a moment later, once it is committed: a space for what is young (MiB, of this size from the start) that
 * holds some hundred transactions lets most of it die there, and is swept by one thread with less work than by several.
 * What is old is collected once it has grown by 60 % rather than to four times itself, so that a long history takes no more
 * memory than a short one. And one helper thread is enough beside a loop that mostly waits for the network.
 * `npm run indexer` says the same in package.json.
 */
export const INDEXER_MEMORY_FLAGS: readonly string[] = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  '--heap-growing-percent=60',
  '--no-parallel-scavenge',
  '--v8-pool-size=1',
];
