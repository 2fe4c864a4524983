import '../data/runtime/node-version.ts';
import { API_MEMORY_FLAGS } from '../api/memory-flags.ts';
import { loadEnvFile } from '../data/config/read-config.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { installShutdown, runMain } from '../data/runtime/shutdown.ts';
import { INDEXER_MEMORY_FLAGS } from '../indexer/memory-flags.ts';
import { buildSiteIfStale } from './build-site.ts';
import { preflight } from './preflight.ts';
import { startupTable } from './startup-table.ts';
import { createSupervisor } from './supervisor.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Runs the whole portal: the embedded ledger where no cluster is configured, the indexer, and the API with the site. */
await runMain('portal', async () => {
  const startedAt = performance.now();
  loadEnvFile();
  const config = await preflight(process.env);
  const shutdown = installShutdown((message) => say(message));
  const supervisor = createSupervisor(say, (error) => {
    process.stderr.write(`portal: ${error.message} Its settings are wrong; the portal stops.\n`);
    void shutdown.stop(EXIT.configuration, 'a program has wrong settings');
  });
  shutdown.signal.addEventListener('abort', () => say(`Stopping: ${String(shutdown.signal.reason)}.`));
  shutdown.onStop('programs', () => supervisor.stop());

  try {
    if (await buildSiteIfStale(shutdown.signal)) say('Site built.');
    // Only warnings reach the terminal, unless the operator asks for more.
    const env: Record<string, string> = { LOG_LEVEL: process.env.LOG_LEVEL || 'warn' };
    const start = (name: string, entry: string, flags: readonly string[] = []) =>
      supervisor.start({ name, entry, flags, env });
    const startIndexer = () => start('indexer', 'indexer/main.ts', INDEXER_MEMORY_FLAGS);
    // The indexer needs the ledger; the API starts without either, and says so of each figure until it is there.
    const followed = async () => {
      if (config.solana.kind !== 'embedded') return { ledger: null, indexer: await startIndexer() };
      const ledger = await start('ledger', 'indexer/ledger/main.ts');
      env.LEDGER_PORT = String(ledger.details.port);
      return { ledger, indexer: await startIndexer() };
    };
    const serve = () => start('api', 'api/main.ts', API_MEMORY_FLAGS);
    // A port that the system chooses is known once the ledger runs, and the API asks the ledger for what a wallet stakes.
    const knowsLedger = config.solana.kind === 'embedded' && config.solana.ledgerPort !== 0;
    // On a cluster the indexer finds out first whether the addresses are right: until then nothing is written.
    const [{ ledger, indexer }, api] = knowsLedger
      ? await Promise.all([followed(), serve()])
      : [await followed(), await serve()];
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    // A program that is started again must come back where the others and the visitors know it to be.
    env.PORT = String(api.details.port);
    const started = { url: String(api.details.url), ledgerPort: env.LEDGER_PORT ?? null, seconds };
    const processIds = {
      indexer: indexer.processId,
      api: api.processId,
      ...(ledger && { ledger: ledger.processId }),
    };
    say(startupTable(config, { ...started, processIds, note: indexer.details.note ?? null }));
  } catch (error) {
    if (shutdown.signal.aborted) return;
    process.stderr.write(`portal: ${error instanceof Error ? error.message : String(error)}\n`);
    await shutdown.stop(error instanceof StartError ? error.exitCode : EXIT.failure, 'it could not start');
  }
});
