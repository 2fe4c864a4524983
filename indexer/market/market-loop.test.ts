import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { MarketQuote } from '../../data/store/chain-rows.ts';
import type { MarketFeed } from './feed.ts';
import { runMarketLoop } from './market-loop.ts';

const log = pino({ level: 'silent' });

function feedOf(answers: readonly (string | Error)[]): MarketFeed {
  let asked = 0;
  return {
    name: 'test',
    async quote() {
      const answer = answers[asked] ?? new Error('nothing more');
      asked += 1;
      if (answer instanceof Error) throw answer;
      const unknown = { priceChange24h: null, volume24h: null, liquidity: null };
      return { priceUsd: answer, ...unknown, source: 'test', readAt: asked };
    },
  };
}

async function quotesUntil(count: number, feed: MarketFeed): Promise<readonly string[]> {
  const controller = new AbortController();
  const committed: string[] = [];
  const commitQuote = async ({ priceUsd }: MarketQuote) => {
    committed.push(priceUsd);
    if (committed.length === count) controller.abort();
  };
  await runMarketLoop({ feed, writer: { commitQuote }, log, signal: controller.signal, intervalMs: 1 });
  return committed;
}

describe('the market loop', () => {
  it('commits each quote', async () => {
    expect(await quotesUntil(2, feedOf(['1', '2', '3']))).toEqual(['1', '2']);
  });

  it('commits nothing while the feed fails, so that the last quote ages, and goes on afterwards', async () => {
    const failing = feedOf(['1', new Error('down'), new Error('down'), '4']);
    expect(await quotesUntil(2, failing)).toEqual(['1', '4']);
  });

  it('ends at once when told to stop while it waits', async () => {
    const controller = new AbortController();
    const running = runMarketLoop({
      feed: feedOf(['1']),
      writer: { commitQuote: async () => controller.abort() },
      log,
      signal: controller.signal,
      intervalMs: 3_600_000,
    });
    await expect(running).resolves.toBeUndefined();
  });
});
