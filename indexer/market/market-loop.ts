import { StartError } from '../../data/runtime/exit-codes.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { pauseOrStop } from '../pause.ts';
import { type MarketFeed, MarketFeedError } from './feed.ts';

/** Milliseconds between two quotes. */
export const MARKET_INTERVAL_MS = 10_000;

/**
 * Commits a quote every `intervalMs` until the signal aborts. While the feed fails nothing is committed, so
 * the last quote ages where it is shown. A feed that has to be left alone sees to that itself.
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
  let isFailing = false;
  while (!signal.aborted) {
    try {
      await writer.commitQuote(await feed.quote(signal));
      if (isFailing) log.info({ feed: feed.name }, 'there are market quotes again');
      isFailing = false;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof StartError) throw error;
      // What a market's host does needs no stack; anything else may be a fault of the program.
      const cause = error instanceof MarketFeedError ? { reason: error.message } : { err: error };
      if (!isFailing) log.warn({ feed: feed.name, ...cause }, 'no market quote; the last one ages');
      isFailing = true;
    }
    await pauseOrStop(intervalMs, signal);
  }
}
