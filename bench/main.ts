import '../data/runtime/node-version.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { runMain } from '../data/runtime/shutdown.ts';

/**
 * Prints its measurements and their limits.
 * @returns whether every limit was met
 */
type Benchmark = () => Promise<boolean>;

const BENCHMARKS: Readonly<Record<string, () => Promise<Benchmark>>> = {
  admin: async () => (await import('./admin.ts')).benchAdmin,
  api: async () => (await import('./api.ts')).benchApi,
  calls: async () => (await import('./backfill-calls.ts')).benchBackfillCalls,
  chat: async () => (await import('./chat.ts')).benchChat,
  forms: async () => (await import('./forms.ts')).benchForms,
  growth: async () => (await import('./growth.ts')).benchGrowth,
  indexer: async () => (await import('./indexer.ts')).benchIndexer,
  journeys: async () => (await import('./journeys.ts')).benchJourneys,
  month: async () => (await import('./month.ts')).benchMonth,
  movement: async () => (await import('./movement.ts')).benchMovement,
  pages: async () => (await import('./pages.ts')).benchPages,
  postgres: async () => (await import('./postgres.ts')).benchPostgres,
  rest: async () => (await import('./credits-per-day.ts')).benchCreditsPerDay,
  search: async () => (await import('./search.ts')).benchSearch,
  site: async () => (await import('./site.ts')).benchSite,
  start: async () => (await import('./start.ts')).benchStart,
};

await runMain('bench', async () => {
  const [name = '', ...rest] = process.argv.slice(2);
  const load = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (!load || rest.length > 0) {
    const names = Object.keys(BENCHMARKS).join(', ');
    throw new StartError(
      `Specify one benchmark: npm run bench -- <name>. The names are ${names}.`,
      EXIT.usage,
    );
  }
  const run = await load();
  process.exitCode = (await run()) ? EXIT.ok : EXIT.failure;
});
