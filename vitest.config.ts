import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { CHILD_ENV } from './data/runtime/testing/child-programs.ts';

/** Tests that need PostgreSQL. They test both stores, the PostgreSQL store alone, or copying from one store to the other. */
const POSTGRES_TESTS = [
  'data/store/contract/*.test.ts',
  'data/store/copy/*.test.ts',
  'data/store/postgres/**/*.test.ts',
];

/** Tests that run whole programs against a database. They run only with the newest version of PostgreSQL. */
const POSTGRES_PROGRAM_TESTS = ['api/store/*.test.ts', 'bench/postgres/*.test.ts'];

/** Each of these files runs in its own process. */
const ISOLATED = [
  // Loads drizzle-kit, which adds `Array.prototype.random`. PDF.js then refuses to load.
  'data/store/sqlite/open-database.test.ts',
  // Serializes transactions, which works only if Node's Buffer and the page share the same `Uint8Array`.
  'site/islands/stake/StakePortal.test.tsx',
];

export default defineConfig({
  define: { STORED_FIGURES_VERSION: JSON.stringify('test') },
  test: {
    // Tests start real servers, stores and processes, which can take a while on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    globalSetup: 'indexer/testing/bundle-setup.ts',
    env: { NODE_COMPILE_CACHE: CHILD_ENV.NODE_COMPILE_CACHE },
    // better-sqlite3 and LiteSVM are native modules and do not work well in worker threads.
    pool: 'forks',
    // The default is one fewer than the number of processors, but many tests wait for processes and timers.
    maxWorkers: availableParallelism() + 1,
    // Many files share a process, because starting one for each file took half of the total time. So every test must undo its
    // global changes. Components share a clock, a stream and a cache, so each file that renders components gets its own global
    // object. Those files run in threads, which take half as much processor time as processes.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['{api,bench,data,deploy,indexer,scripts,site}/**/*.test.ts'],
          exclude: [...ISOLATED, ...POSTGRES_PROGRAM_TESTS, 'data/store/{copy,postgres}/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'components',
          pool: 'vmThreads',
          include: ['site/**/*.test.tsx'],
          exclude: ISOLATED,
          setupFiles: 'site/islands/testing/without-owner-stacks.ts',
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
      ...['postgres-15', 'postgres-18'].map((name) => ({
        extends: true as const,
        test: {
          name,
          isolate: false,
          include: name === 'postgres-18' ? [...POSTGRES_TESTS, ...POSTGRES_PROGRAM_TESTS] : POSTGRES_TESTS,
          globalSetup: 'data/store/testing/postgres-setup.ts',
          env: { STORE_ADAPTER: 'postgres' },
        },
      })),
    ],
    strictTags: true,
    tags: [
      {
        name: 'slow',
        description:
          'Takes two seconds or more alongside other files, as in npm test. Left out of npm run check.',
      },
      {
        name: 'debian',
        description: 'Starts programs of Debian packages: left out where one of them is not installed.',
      },
    ],
  },
});
