import '../data/runtime/node-version.ts';
import type { PortalConfig } from '../data/config/environment.ts';
import { prepareDataDir, readConfig } from '../data/config/read-config.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { createLogger, type Logger } from '../data/runtime/log.ts';
import { installShutdown, runMain } from '../data/runtime/shutdown.ts';
import { tellParent } from '../data/runtime/supervised.ts';
import { type IndexIdentity, type IndexWriter, StoreIdentityError } from '../data/store/ports.ts';
import { openIndexFile } from './index-file.ts';
import { createDemoFeed } from './market/demo-feed.ts';
import { runMarketLoop } from './market/market-loop.ts';
import { readOptions } from './options.ts';
import { announceReadiness } from './readiness.ts';
import { createEndpointPool, type EndpointPool } from './rpc/endpoint-pool.ts';
import { endpointUrls } from './rpc/endpoint-urls.ts';
import { runHealthLoop } from './rpc/health-loop.ts';
import type { RetryableRpcError } from './rpc/rpc-errors.ts';
import { runChainLoop } from './sync/chain-loop.ts';
import { resolveIdentity } from './sync/identity.ts';

/** Milliseconds after which the portal starts without the chain. */
const PATIENCE_MS = 5_000;
/** Milliseconds between two warnings of the same failure. */
const FAILURE_NEWS_MS = 60_000;

function openPool(config: PortalConfig, log: Logger): EndpointPool {
  return createEndpointPool({
    urls: endpointUrls(config),
    onFailure: failureReporter(log),
  });
}

/** Tells each kind of failure of an endpoint once a minute; the health report counts them all. */
function failureReporter(log: Logger): (endpoint: string, error: RetryableRpcError) => void {
  const toldAt = new Map<string, number>();
  return (endpoint, { fault, code, retryAfterMs }) => {
    const kind = `${endpoint} ${fault} ${code}`;
    const isNews = Date.now() - (toldAt.get(kind) ?? 0) > FAILURE_NEWS_MS;
    if (isNews) toldAt.set(kind, Date.now());
    log[isNews ? 'warn' : 'debug']({ endpoint, fault, code, retryAfterMs }, 'an endpoint failed');
  };
}

async function claimIndex(writer: IndexWriter, identity: IndexIdentity): Promise<void> {
  try {
    await writer.claim(identity);
  } catch (error) {
    if (!(error instanceof StoreIdentityError)) throw error;
    throw new StartError(error.message, EXIT.configuration, { cause: error });
  }
}

async function followChain(
  config: PortalConfig,
  writer: IndexWriter,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const pool = openPool(config, log);
  const readiness = announceReadiness(tellParent, PATIENCE_MS);
  const follow = async (): Promise<void> => {
    const identity = await resolveIdentity(pool, config.addresses, signal);
    await claimIndex(writer, identity);
    log.info({ ...identity }, 'following the chain');
    await runChainLoop({
      pool,
      writer,
      identity,
      pollMs: config.pollMs,
      log,
      signal,
      onSnapshot: readiness.reached,
    });
  };
  try {
    await Promise.all([
      follow(),
      runHealthLoop({ pool, writer, log, signal }),
      runMarketLoop({ feed: createDemoFeed(), writer, log, signal }),
    ]);
  } catch (error) {
    // Told to stop: whatever was under way ended with the signal.
    if (!signal.aborted) throw error;
  } finally {
    readiness.cancel();
  }
}

await runMain('indexer', async () => {
  const options = readOptions(process.argv.slice(2));
  const config = readConfig();
  const log = createLogger('indexer', config.logLevel);
  const shutdown = installShutdown((message, error) => log.error({ err: error }, message));
  const dataDir = await prepareDataDir(config.dataDir);
  const writer = await openIndexFile(dataDir, options);
  shutdown.onStop('index.db', () => writer.close());
  const work = followChain(config, writer, log, shutdown.signal);
  shutdown.onStop('the loops', () => work.catch(() => {}));
  await work;
});
