/**
 * Node's flags for the indexer; `npm run indexer` repeats them in package.json. Responses are garbage once they are read,
 * and their rows once they are committed. A fixed young generation (MiB) with space for some hundred transactions lets
 * most of them die there, collected by one thread. The old generation is collected after growing by 60 % rather than by 300 %,
 * so that a long history takes no more memory than a short one. One helper thread is enough, because the loop mostly
 * waits for the network.
 */
export const INDEXER_MEMORY_FLAGS: readonly string[] = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  '--heap-growing-percent=60',
  '--no-parallel-scavenge',
  '--v8-pool-size=1',
];
