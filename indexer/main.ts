import '../data/runtime/node-version.ts';
import { parseArgs } from 'node:util';
import { configuredEndpoints } from '../data/config/endpoints.ts';
import type { PortalConfig } from '../data/config/environment.ts';
import { prepareDataDir, readConfig } from '../data/config/read-config.ts';
import type { ConfigProblem } from '../data/config/variable-types.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { createLogger, type Logger } from '../data/runtime/log.ts';
import { lowerPriority } from '../data/runtime/lower-priority.ts';
import { installShutdown, notifyParent, runMain, type Shutdown } from '../data/runtime/shutdown.ts';
import { startTracing } from '../data/runtime/tracing.ts';
import type { IndexIdentity } from '../data/store/chain-rows.ts';
import packageJson from '../package.json' with { type: 'json' };
import { type BackfillProgress, createBackfillProgress, terminalBar } from './backfill-progress.ts';
import { announceReadiness, runHealthLoop } from './health.ts';
import { openIndexDatabase } from './index-database.ts';
import { type OpenedIndex, openIndexFile } from './index-file.ts';
import { configuredFeed, runMarketLoop } from './market/market-loop.ts';
import { createEndpointPool, type EndpointPool } from './rpc/endpoint-pool.ts';
import { createHeliusHistory } from './rpc/helius-history.ts';
import type { RetryableRpcError } from './rpc/rpc-errors.ts';
import { startScheduledWork } from './scheduled/scheduled-work.ts';
import { runChainLoop } from './sync/chain-loop.ts';
import { resolveIdentity } from './sync/identity.ts';

interface IndexerOptions {
  readonly rebuild: boolean;
}

const USAGE = 'Usage: npm run indexer [-- --rebuild]';
/** Milliseconds to wait for the first snapshot. Without one, the portal starts anyway. */
const READY_WITHIN_MS = 5_000;
/** The shortest time (ms) between two warnings about the same failure. */
const REPEAT_WARNING_MS = 60_000;

/** @throws {StartError} 64 if an argument is unknown */
function readOptions(args: readonly string[]): IndexerOptions {
  try {
    return parseArgs({ args: [...args], options: { rebuild: { type: 'boolean', default: false } } }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : String(error);
    throw new StartError(`${reason}. ${USAGE}`, EXIT.usage, { cause: error });
  }
}

function openPool(config: PortalConfig, log: Logger): EndpointPool {
  return createEndpointPool({
    endpoints: configuredEndpoints(config),
    // The embedded ledger's slots follow the system clock, which may jump after a sleep or when someone changes it.
    ...(config.solana.kind === 'embedded' && { exceedsSlotRate: () => false }),
    onFailure: failureReporter(log),
  });
}

/** Warns about each kind of failure of an endpoint at most once a minute. Repetitions are logged at level `debug`. */
function failureReporter(log: Logger): (endpoint: string, error: RetryableRpcError) => void {
  const warnedAt = new Map<string, number>();
  return (endpoint, { failure, code, retryAfterMs, message: reason }) => {
    const kind = `${endpoint} ${failure} ${code}`;
    const isDue = performance.now() - (warnedAt.get(kind) ?? Number.NEGATIVE_INFINITY) > REPEAT_WARNING_MS;
    if (isDue) warnedAt.set(kind, performance.now());
    log[isDue ? 'warn' : 'debug']({ endpoint, failure, code, retryAfterMs, reason }, 'an endpoint failed');
  };
}

function problemReporter(log: Logger): (problems: readonly ConfigProblem[]) => void {
  const warned = new Set<string>();
  return (problems) => {
    for (const { variable, message } of problems) {
      if (!warned.has(message)) log.warn({ variable, reason: message }, 'a setting cannot be used');
      warned.add(message);
    }
  };
}

/**
 * Indexes the chain and the market into `index.db` in `dataDir`, or into PostgreSQL. The index is normally opened only after
 * the configuration has been checked against the chain. If the chain is unreachable, the index is opened anyway, so that the
 * portal can show the endpoints' health. If the vault is missing, the index is opened to find out whether the index already
 * belongs to the configured accounts. With `--rebuild`, the index is opened only after the check.
 */
async function runIndexer(
  config: PortalConfig,
  { rebuild }: IndexerOptions,
  dataDir: string,
  log: Logger,
  progress: BackfillProgress,
  shutdown: Shutdown,
): Promise<void> {
  const { signal } = shutdown;
  const pool = openPool(config, log);
  const readiness = announceReadiness((message) => {
    lowerPriority();
    notifyParent(message);
  }, READY_WITHIN_MS);
  const opening = Promise.withResolvers<OpenedIndex>();
  const claiming = Promise.withResolvers<void>();
  let index: Promise<OpenedIndex> | undefined;
  const openIndex = (rebuildFor: IndexIdentity | null): Promise<OpenedIndex> => {
    const { addresses, solana } = config;
    const isEmbeddedLedger = solana.kind === 'embedded';
    const options = { rebuildFor, addresses, isEmbeddedLedger, log };
    const onLost = () => {
      log.warn(
        'this indexer could not renew its lease and exits with code 75, because another one may write now',
      );
      void shutdown.stop(EXIT.tryAgain, 'its lease was lost');
    };
    index ??=
      config.database === null
        ? openIndexFile(dataDir, options)
        : openIndexDatabase(config.database.main, { ...options, signal, onLost });
    opening.resolve(index);
    return index;
  };
  shutdown.onStop('index.db', async () => {
    const opened = await index?.catch(() => undefined);
    await opened?.writer.close();
  });
  const indexChain = async (): Promise<void> => {
    const identity = await resolveIdentity(pool, config.addresses, signal, {
      async onUnreachable() {
        // Before a rebuild, the old index is kept until the chain can be reached.
        if (!rebuild) await openIndex(null);
      },
      onUnusable: problemReporter(log),
      isClaimed: async () => !rebuild && (await openIndex(null)).isClaimed,
    });
    const { writer } = await openIndex(rebuild ? identity : null);
    await writer.claim(identity);
    claiming.resolve();
    log.info({ ...identity }, 'following the chain');
    let isHealthStored = false;
    const onSnapshot = async (slot: number): Promise<void> => {
      // Readers may read the health as soon as the indexer is ready, so the health is stored before that. By the
      // first snapshot, an endpoint has answered, so the health shows an active one.
      if (!isHealthStored) await writer.reportEndpoints(pool.health(), Date.now());
      isHealthStored = true;
      readiness.noteSnapshot(slot);
    };
    const { pollMs } = config;
    const { ended, ...scheduled } = startScheduledWork({ config, pool, writer, identity, log, signal });
    const websocketEndpoints = configuredEndpoints(config);
    const bulkSource = createHeliusHistory({ endpoints: websocketEndpoints, pool, log });
    const context = { pool, identity, log, progress, signal };
    await Promise.all([
      runChainLoop({ ...context, ...scheduled, websocketEndpoints, pollMs, bulkSource, onSnapshot }),
      ended,
    ]);
  };
  const followMarketAndEndpoints = async (): Promise<void> => {
    const { writer, isClaimed, quote } = await opening.promise;
    if (isClaimed) claiming.resolve();
    const feed = configuredFeed(config, { log, lastQuote: quote });
    const quoteMarket = async (): Promise<void> => {
      // Prices belong to a mint, so none are stored before the index is claimed for the configured mint.
      await claiming.promise;
      await runMarketLoop({ feed, writer, log, signal });
    };
    await Promise.all([runHealthLoop({ pool, writer, log, signal }), quoteMarket()]);
  };
  try {
    await Promise.all([indexChain(), followMarketAndEndpoints()]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    readiness.cancel();
    progress.stop();
  }
}

await runMain('indexer', async () => {
  const options = readOptions(process.argv.slice(2));
  const config = readConfig();
  const bar = terminalBar();
  const log = createLogger('indexer', config.logLevel, bar ?? undefined);
  const progress = createBackfillProgress({ log, bar });
  const shutdown = installShutdown((message, error) => log.error({ err: error }, message));
  const { version } = packageJson;
  const program = { service: 'blackduck-indexer', version, log };
  // Registered first, so that tracing stops last.
  shutdown.onStop('traces', await startTracing(config.tracing, program));
  const dataDir = await prepareDataDir(config.dataDir);
  const work = runIndexer(config, options, dataDir, log, progress, shutdown);
  shutdown.onStop('the loops', () => work.catch(() => {}));
  await work;
});
