import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{api,bench,data,indexer,scripts,site}/**/*.test.{ts,tsx}'],
    // Tests start real servers, stores and processes: a generous limit tells a hang from a slow machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // better-sqlite3 and LiteSVM are native modules, which worker threads share badly.
    pool: 'forks',
    // One for each processor, and not one less: many tests wait for processes and timers.
    maxWorkers: '100%',
  },
});
