import '../data/runtime/node-version.ts';
import { configuredEndpoints } from '../data/config/configured-endpoints.ts';
import type { PortalConfig } from '../data/config/environment.ts';
import { prepareDataDir, readConfig } from '../data/config/read-config.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { createLogger, type Logger } from '../data/runtime/log.ts';
import { installShutdown, runMain, type Shutdown } from '../data/runtime/shutdown.ts';
import { tellParent } from '../data/runtime/supervised.ts';
import { yieldProcessor } from '../data/runtime/yield-processor.ts';
import type { IndexIdentity } from '../data/store/chain-rows.ts';
import type { IndexWriter } from '../data/store/ports.ts';
import { StoreIdentityError, StoreUnavailableError } from '../data/store/store-errors.ts';
import { type OpenedIndex, openIndexFile } from './index-file.ts';
import { configuredFeed } from './market/configured-feed.ts';
import { runMarketLoop } from './market/market-loop.ts';
import { type IndexerOptions, readOptions } from './options.ts';
import { type BackfillProgress, createBackfillProgress } from './progress/backfill-progress.ts';
import { terminalBar } from './progress/progress-bar.ts';
import { announceReadiness } from './readiness.ts';
import { createEndpointPool, type EndpointPool } from './rpc/endpoint-pool.ts';
import { runHealthLoop } from './rpc/health-loop.ts';
import type { RetryableRpcError } from './rpc/rpc-errors.ts';
import { startScheduledWork } from './scheduled-work.ts';
import { runChainLoop } from './sync/chain-loop.ts';
import { resolveIdentity } from './sync/identity.ts';

/** Milliseconds after which the portal starts without the chain. */
const PATIENCE_MS = 5_000;
/** Milliseconds between two warnings of the same failure. */
const FAILURE_NEWS_MS = 60_000;

function openPool(config: PortalConfig, log: Logger): EndpointPool {
  return createEndpointPool({
    endpoints: configuredEndpoints(config),
    // The clock of the portal's own ledger is the machine's, which may sleep or be set.
    ...(config.solana.kind === 'embedded' && { outrunsTime: () => false }),
    onFailure: failureReporter(log),
  });
}

/** Tells each kind of failure of an endpoint once a minute; the health report counts them all. */
function failureReporter(log: Logger): (endpoint: string, error: RetryableRpcError) => void {
  const toldAt = new Map<string, number>();
  return (endpoint, { fault, code, retryAfterMs }) => {
    const kind = `${endpoint} ${fault} ${code}`;
    const isNews = performance.now() - (toldAt.get(kind) ?? Number.NEGATIVE_INFINITY) > FAILURE_NEWS_MS;
    if (isNews) toldAt.set(kind, performance.now());
    log[isNews ? 'warn' : 'debug']({ endpoint, fault, code, retryAfterMs }, 'an endpoint failed');
  };
}

async function claimIndex(writer: IndexWriter, identity: IndexIdentity): Promise<void> {
  try {
    await writer.claim(identity);
  } catch (error) {
    if (error instanceof StoreIdentityError) {
      throw new StartError(error.message, EXIT.configuration, { cause: error });
    }
    if (error instanceof StoreUnavailableError) {
      throw new StartError(error.message, EXIT.tryAgain, { cause: error });
    }
    throw error;
  }
}

/**
 * Follows the chain and the market into `index.db` in a folder. The file is opened, and made where there is
 * none, only once the configuration is known to fit the chain; or where the chain cannot be asked, so that the
 * portal can show how its endpoints are.
 */
async function followChain(
  config: PortalConfig,
  { rebuild }: IndexerOptions,
  dataDir: string,
  log: Logger,
  progress: BackfillProgress,
  shutdown: Shutdown,
): Promise<void> {
  const { signal } = shutdown;
  const pool = openPool(config, log);
  const readiness = announceReadiness(tellParent, PATIENCE_MS);
  const opening = Promise.withResolvers<OpenedIndex>();
  const claiming = Promise.withResolvers<void>();
  let index: Promise<OpenedIndex> | undefined;
  const openIndex = (rebuildFor: IndexIdentity | null): Promise<OpenedIndex> => {
    const { addresses, solana } = config;
    const isOfLedger = solana.kind === 'embedded';
    index ??= openIndexFile(dataDir, { rebuildFor, addresses, isOfLedger, log });
    opening.resolve(index);
    return index;
  };
  shutdown.onStop('index.db', async () => {
    const opened = await index?.catch(() => undefined);
    await opened?.writer.close();
  });
  const whileUnreachable = async (): Promise<void> => {
    // An index is thrown away only once there is a chain to build it again from.
    if (!rebuild) await openIndex(null);
  };
  const follow = async (): Promise<void> => {
    const identity = await resolveIdentity(pool, config.addresses, signal, whileUnreachable);
    const { writer } = await openIndex(rebuild ? identity : null);
    await claimIndex(writer, identity);
    claiming.resolve();
    log.info({ ...identity }, 'following the chain');
    let isHealthTold = false;
    const onSnapshot = async (slot: number): Promise<void> => {
      // Who is told that the indexer is ready must not find the endpoints as they were before the first answer.
      if (!isHealthTold) await writer.reportEndpoints(pool.health(), Date.now());
      isHealthTold = true;
      readiness.reached(slot);
    };
    const { pollMs } = config;
    const scheduled = startScheduledWork({ config, pool, writer, identity, log, signal });
    const loop = { pool, writer: scheduled.writer, identity, pollMs, log, progress, signal };
    await Promise.all([
      runChainLoop({ ...loop, onSnapshot, onHistoryRead: scheduled.historyRead }),
      scheduled.ended,
    ]);
  };
  const goBeside = async (): Promise<void> => {
    const { writer, isClaimed, quote } = await opening.promise;
    if (isClaimed) claiming.resolve();
    const feed = configuredFeed(config, { log, lastQuote: quote });
    // Prices are of a mint: an index that is claimed for none yet takes none.
    const quoteMarket = async (): Promise<void> => {
      await claiming.promise;
      await runMarketLoop({ feed, writer, log, signal });
    };
    await Promise.all([runHealthLoop({ pool, writer, log, signal }), quoteMarket()]);
  };
  try {
    await Promise.all([follow(), goBeside()]);
  } catch (error) {
    // Told to stop: whatever was under way ended with the signal.
    if (!signal.aborted) throw error;
  } finally {
    readiness.cancel();
    progress.stop();
  }
}

await runMain('indexer', async () => {
  const options = readOptions(process.argv.slice(2));
  const config = readConfig();
  yieldProcessor();
  const bar = terminalBar();
  const log = createLogger('indexer', config.logLevel, bar ?? undefined);
  const progress = createBackfillProgress({ log, bar });
  const shutdown = installShutdown((message, error) => log.error({ err: error }, message));
  const dataDir = await prepareDataDir(config.dataDir);
  const work = followChain(config, options, dataDir, log, progress, shutdown);
  shutdown.onStop('the loops', () => work.catch(() => {}));
  await work;
});
