import '../data/runtime/node-version.ts';
import { loadEnvFile } from '../data/config/read-config.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { installShutdown, runMain } from '../data/runtime/shutdown.ts';
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
    void shutdown.stop(EXIT.configuration);
  });
  shutdown.onStop('programs', () => supervisor.stop());

  try {
    if (await buildSiteIfStale()) say('Site built.');
    // Only warnings reach the terminal, unless the operator asks for more.
    const processIds: Record<string, number> = {};
    const env: Record<string, string> = { LOG_LEVEL: process.env.LOG_LEVEL || 'warn' };
    if (config.solana.kind === 'embedded') {
      const ledger = await supervisor.start({ name: 'ledger', entry: 'indexer/ledger/main.ts', env });
      env.LEDGER_PORT = String(ledger.details.port);
      processIds.ledger = ledger.processId;
    }
    const [indexer, api] = await Promise.all([
      supervisor.start({ name: 'indexer', entry: 'indexer/main.ts', env }),
      supervisor.start({ name: 'api', entry: 'api/main.ts', env }),
    ]);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    // A program that is started again must come back where the others and the visitors know it to be.
    env.PORT = String(api.details.port);
    Object.assign(processIds, { indexer: indexer.processId, api: api.processId });
    const url = String(api.details.url);
    say(startupTable(config, { url, ledgerPort: env.LEDGER_PORT ?? null, seconds, processIds }));
  } catch (error) {
    if (shutdown.signal.aborted) return;
    process.stderr.write(`portal: ${error instanceof Error ? error.message : String(error)}\n`);
    await shutdown.stop(error instanceof StartError ? error.exitCode : EXIT.failure);
  }
});
