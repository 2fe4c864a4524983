import '../data/runtime/node-version.ts';
import { fileURLToPath } from 'node:url';
import { API_MEMORY_FLAGS } from '../api/memory-flags.ts';
import type { PortalConfig } from '../data/config/environment.ts';
import { loadEnvFile } from '../data/config/read-config.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { notifyReady } from '../data/runtime/service-manager.ts';
import { installShutdown, runMain } from '../data/runtime/shutdown.ts';
import { INDEXER_MEMORY_FLAGS } from '../indexer/memory-flags.ts';
import { preflight } from './preflight.ts';
import { prepareBuild } from './prepare-build.ts';
import { createSupervisor, type StartedProgram } from './supervisor.ts';

const COMPILE_CACHE_FOLDER = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Runs the whole portal: the embedded ledger (unless a cluster is configured), the indexer, and the API with the site. */
await runMain('portal', async () => {
  const startedAt = performance.now();
  loadEnvFile();
  const config = await preflight(process.env);
  const shutdown = installShutdown((message) => print(message));
  const supervisor = createSupervisor(print, (error) => {
    process.stderr.write(`portal: ${error.message} Its settings are wrong, so the portal is stopping.\n`);
    void shutdown.stop(EXIT.configuration, 'a program has wrong settings');
  });
  shutdown.signal.addEventListener('abort', () => print(`Stopping: ${String(shutdown.signal.reason)}.`));
  shutdown.onStop('programs', () => supervisor.stop());

  try {
    const { programs, isSiteNew } = await prepareBuild(shutdown.signal);
    if (isSiteNew) print('Site built.');
    // By default, the terminal shows only warnings and errors.
    const env: Record<string, string> = {
      LOG_LEVEL: process.env.LOG_LEVEL || 'warn',
      // Cached, because compiling the modules takes a third of a program's start time.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || COMPILE_CACHE_FOLDER,
    };
    const start = (name: string, entry: string, flags: readonly string[] = []) =>
      supervisor.start({ name, entry, flags, env });
    const startIndexer = () => start('indexer', programs.indexer, INDEXER_MEMORY_FLAGS);
    const startLedger = async () => {
      if (config.solana.kind !== 'embedded') return null;
      const ledger = await start('ledger', programs.ledger);
      env.LEDGER_PORT = String(ledger.details.port);
      return ledger;
    };
    const ledgerStart = startLedger();
    // The indexer needs the ledger. The API starts at the same time and marks figures as unavailable until they are read.
    const startLedgerAndIndexer = async () => ({
      ledger: await ledgerStart,
      indexer: await startIndexer(),
    });
    // The API reads wallets from the ledger. If the system chooses the ledger's port, the API cannot start before the ledger.
    const hasDynamicPort = config.solana.kind === 'embedded' && config.solana.ledgerPort === 0;
    const startApi = async () => {
      if (hasDynamicPort) await ledgerStart;
      return start('api', programs.api, API_MEMORY_FLAGS);
    };
    // On a cluster, the API starts after the indexer has checked the addresses, so that nothing is written if they are wrong.
    const [{ ledger, indexer }, api] =
      config.solana.kind === 'embedded'
        ? await Promise.all([startLedgerAndIndexer(), startApi()])
        : [await startLedgerAndIndexer(), await startApi()];
    // A restarted API keeps its port.
    env.PORT = String(api.details.port);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    print(startupTable(config, { ledger, indexer, api }, seconds));
    notifyReady();
  } catch (error) {
    if (shutdown.signal.aborted) return;
    process.stderr.write(`portal: ${error instanceof Error ? error.message : String(error)}\n`);
    await shutdown.stop(error instanceof StartError ? error.exitCode : EXIT.failure, 'it could not start');
  }
});

interface Programs {
  readonly ledger: StartedProgram | null;
  readonly indexer: StartedProgram;
  readonly api: StartedProgram;
}

/**
 * Lists the programs and services, and which of them are embedded. Of an endpoint's URL, shows only the host, because the path
 * may contain a key.
 */
function startupTable(config: PortalConfig, { ledger, indexer, api }: Programs, seconds: string): string {
  const {
    solana,
    addresses: { vault, stakePool },
  } = config;
  const chain =
    solana.kind === 'embedded'
      ? `embedded ledger at ${ledger?.details.url}, demo actors ${solana.runsActors ? 'on' : 'off'}, pid ${ledger?.processId}`
      : `endpoints ${[...solana.rpcUrls.map((url) => new URL(url).host), ...(config.helius ? ['Helius'] : [])].join(', ')}`;
  const { feeds } = config.market;
  const mail = config.delivery.mail.transport;
  const market =
    feeds[0] === 'demo' ? 'embedded demo feed, not a market price' : `feeds ${feeds.join(', then ')}`;
  const rows = [
    ['Solana', chain],
    ['Indexer', `follows vault ${vault} and stake pool ${stakePool}, pid ${indexer.processId}`],
    ['Market', market],
    ['Cards', config.cards.issuer.kind === 'stripe' ? 'Stripe Issuing' : 'embedded sandbox, test cards only'],
    ['Mail', mail.kind === 'smtp' ? `sent by ${mail.host}` : 'files in the outbox, not sent'],
    ['Store', config.database === null ? config.dataDir : `PostgreSQL at ${config.database.main.host}`],
    ['Site, API', `${api.details.url}, pid ${api.processId}`],
    ...(api.details.metricsUrl === undefined ? [] : [['Metrics', String(api.details.metricsUrl)] as const]),
  ] as const;
  const { note } = indexer.details;
  const notes = note === undefined ? [] : [`  Note: ${note}`];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
  const readyLine = `Ready in ${seconds} s. Stop with Ctrl-C.`;
  return ['', 'BlackDuck portal', ...lines, ...notes, '', readyLine].join('\n');
}
