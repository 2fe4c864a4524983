/**
 * Node's flags for the indexer; package.json repeats them for `npm run indexer`. Responses become garbage once they are parsed,
 * and the parsed rows once they are committed. A young generation of fixed size (16 MiB per semi-space), with room for a few
 * hundred transactions, lets one thread collect most of this garbage cheaply. The old generation is collected once it has grown
 * by 60 % instead of 300 %, so that a long history needs no more memory than a short one. One helper thread is enough, because
 * the event loop mostly waits for the network.
 */
export const INDEXER_MEMORY_FLAGS: readonly string[] = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  '--heap-growing-percent=60',
  '--no-parallel-scavenge',
  '--v8-pool-size=1',
];
