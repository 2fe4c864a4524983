/**
 * What node is started with where it runs the indexer. Answers of endpoints are garbage as soon as they are read: a small
 * space for what is young (MiB) holds them as well as a large one and is swept by one thread with less work than by
 * several, and what is old is collected once it has doubled rather than quadrupled. `npm run indexer` says the same in
 * package.json.
 */
export const INDEXER_MEMORY_FLAGS: readonly string[] = [
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
  '--no-parallel-scavenge',
];
