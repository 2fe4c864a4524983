import { StartError } from '../../data/runtime/exit-codes.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { pauseOrStop } from '../pause.ts';
import { backoffDelay } from '../rpc/backoff.ts';
import type { MarketFeed } from './feed.ts';

/** Milliseconds between two quotes. */
export const MARKET_INTERVAL_MS = 10_000;
const LONGEST_PAUSE_MS = 120_000;

/**
 * Commits a quote every `intervalMs` until the signal aborts. While the feed fails nothing is committed, so
 * the last quote ages where it is shown, and the pauses grow.
 * @throws {StartError} where the store cannot be used any more
 */
export async function runMarketLoop(options: {
  readonly feed: MarketFeed;
  readonly writer: Pick<IndexWriter, 'commitQuote'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly intervalMs?: number;
}): Promise<void> {
  const { feed, writer, log, signal, intervalMs = MARKET_INTERVAL_MS } = options;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await writer.commitQuote(await feed.quote(signal));
      if (failures > 0) log.info({ feed: feed.name }, 'the market feed works again');
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof StartError) throw error;
      failures += 1;
      if (failures === 1) log.warn({ feed: feed.name, err: error }, 'no market quote; the last one ages');
    }
    const wait =
      intervalMs +
      (failures === 0
        ? 0
        : backoffDelay(failures, Math.random, { baseMs: intervalMs, longestMs: LONGEST_PAUSE_MS }));
    await pauseOrStop(wait, signal);
  }
}
