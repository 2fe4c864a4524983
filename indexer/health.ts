import { MAX_SLOT_DISTANCE } from '../data/model/value-state.ts';
import { StartError } from '../data/runtime/exit-codes.ts';
import type { Logger } from '../data/runtime/log.ts';
import type { ProgramMessage } from '../data/runtime/shutdown.ts';
import type { EndpointHealth, IndexWriter } from '../data/store/ports.ts';
import { pauseOrStop } from './pause.ts';
import type { EndpointPool } from './rpc/endpoint-pool.ts';

const REPORT_INTERVAL_MS = 2_000;

/** Logs each endpoint once when it falls far behind the others, and once when it has caught up. */
export function createLagLog(log: Pick<Logger, 'warn' | 'info'>) {
  const behind = new Set<string>();
  return (endpoints: readonly Pick<EndpointHealth, 'name' | 'slotLag'>[]): void => {
    for (const { name, slotLag } of endpoints) {
      if (slotLag === null) continue;
      const isBehind = slotLag > MAX_SLOT_DISTANCE;
      if (isBehind === behind.has(name)) continue;
      if (isBehind) {
        behind.add(name);
        log.warn({ endpoint: name, slotLag }, 'an endpoint is far behind');
      } else {
        behind.delete(name);
        log.info({ endpoint: name, slotLag }, 'an endpoint has caught up');
      }
    }
  };
}

/**
 * Stores the endpoints' health until the signal aborts. This also shows that the indexer is alive.
 * @throws {StartError} if the store can no longer be used
 */
export async function runHealthLoop(options: {
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'reportEndpoints'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { pool, writer, log, signal } = options;
  const logLag = createLagLog(log);
  let isFailing = false;
  let isMeasuring = false;
  const measureIdleEndpoints = async (): Promise<void> => {
    if (isMeasuring) return;
    isMeasuring = true;
    await pool.measureIdleEndpoints(signal).finally(() => {
      isMeasuring = false;
    });
  };
  while (!signal.aborted) {
    try {
      const health = pool.health();
      logLag(health);
      await writer.reportEndpoints(health, Date.now());
      isFailing = false;
    } catch (error) {
      if (error instanceof StartError) throw error;
      if (!isFailing) log.error({ err: error }, "the endpoints' health cannot be stored; retrying");
      isFailing = true;
    }
    // Not awaited, because an endpoint that hangs must not delay the report on the others.
    measureIdleEndpoints().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    await pauseOrStop(REPORT_INTERVAL_MS, signal);
  }
}

/**
 * Notifies the parent process once that the indexer is ready: at the first snapshot, or after `withinMs` without one. The
 * portal starts even if the chain is unreachable, because much of it needs no figures from the chain.
 */
export function announceReadiness(notify: (message: ProgramMessage) => void, withinMs: number) {
  let isAnnounced = false;
  const announce = (details: Readonly<Record<string, string | number>>): void => {
    clearTimeout(timer);
    if (isAnnounced) return;
    isAnnounced = true;
    notify({ type: 'ready', details });
  };
  const timer = setTimeout(
    () => announce({ note: 'the chain has not been reached yet; retrying' }),
    withinMs,
  );
  return {
    noteSnapshot: (slot: number): void => announce({ slot }),
    cancel: (): void => clearTimeout(timer),
  };
}
