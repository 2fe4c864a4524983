import { StartError } from '../../data/runtime/exit-codes.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { pauseOrStop } from '../pause.ts';
import type { EndpointPool } from './endpoint-pool.ts';

/** Milliseconds between two reports. */
const REPORT_MS = 2_000;

/**
 * Tells the store how the endpoints are, and with it that the indexer is alive, until the signal aborts.
 * @throws {StartError} where the store cannot be used any more
 */
export async function runHealthLoop(options: {
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'reportEndpoints'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { pool, writer, log, signal } = options;
  const quiet = (error: unknown): void => {
    if (!signal.aborted) throw error;
  };
  let isFailing = false;
  let isChecking = false;
  const checkIdle = async (): Promise<void> => {
    if (isChecking) return;
    isChecking = true;
    await pool.checkIdle(signal).finally(() => {
      isChecking = false;
    });
  };
  while (!signal.aborted) {
    try {
      await writer.reportEndpoints(pool.health(), Date.now());
      isFailing = false;
    } catch (error) {
      if (error instanceof StartError) throw error;
      if (!isFailing) log.error({ err: error }, "the endpoints' health cannot be stored; it is tried again");
      isFailing = true;
    }
    // Not awaited: an endpoint that hangs must not keep the others' health from being told.
    checkIdle().catch(quiet);
    await pauseOrStop(REPORT_MS, signal);
  }
}
