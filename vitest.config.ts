import { defineConfig } from 'vitest/config';

/** drizzle-kit adds `Array.prototype.random`, with which PDF.js refuses to load. */
const CHANGES_PROTOTYPES = 'data/store/sqlite/open-database.test.ts';

export default defineConfig({
  test: {
    // Tests start real servers, stores and processes, so on a busy machine they take long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // better-sqlite3 and LiteSVM are native modules and do not work well in worker threads.
    pool: 'forks',
    // One per processor (the default is one less), because many tests wait for processes and timers.
    maxWorkers: '100%',
    // One process for many files: starting one for each took half of the time. A test undoes what it changes outside itself.
    // A rendered page has one clock, one stream and one cache in its modules, so each of its files has a process of its own.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['{api,bench,data,indexer,scripts,site}/**/*.test.ts'],
          exclude: [CHANGES_PROTOTYPES],
        },
      },
      { extends: true, test: { name: 'isolated', include: ['site/**/*.test.tsx', CHANGES_PROTOTYPES] } },
    ],
    strictTags: true,
    tags: [
      {
        name: 'slow',
        description: 'Starts, stops or kills processes, or runs many seeds: left out of npm run check.',
      },
    ],
  },
});
