import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { FRESHNESS } from '../../../data/model/value-state.ts';
import { $now } from '../../data/ticking-clock.ts';
import { MarketCards } from './MarketCards.tsx';
import type { MarketReading } from './market-figures.ts';

const DOWN = 'The market data service is temporarily unavailable.';

const told = (ageMs: number, source = 'jupiter'): MarketReading => ({
  kind: 'known',
  body: {
    priceUsd: '0.0002',
    priceChange24h: '3',
    volume24h: '1',
    marketCap: '198000',
    liquidity: '2',
    asOf: new Date($now.get() - ageMs).toISOString(),
    slot: null,
    source,
    state: 'live',
  },
});

const shown = (reading: MarketReading) =>
  renderToString(<MarketCards reading={reading} />)
    .replaceAll('<!-- -->', '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('the market overview', () => {
  it('says which feed its figures come from, and of the demonstration feed that it is not a market', () => {
    expect(shown(told(0))).toContain('From the jupiter feed');
    expect(shown(told(0, 'demo'))).toContain('not a market price');
    expect(shown(told(0))).not.toContain(DOWN);
  });

  it('says that the service is unavailable where no price is known, with a retry where the read failed', () => {
    expect(shown({ kind: 'unknown' })).toContain(`${DOWN} It has not told a price yet.`);
    expect(shown({ kind: 'failed', retry: () => {}, retrying: false })).toContain(
      `${DOWN} Retry the market data`,
    );
  });

  it('keeps the last figures of a feed that has gone silent, and says that they are', () => {
    const silent = shown(told(FRESHNESS.market.limit + 1_000));
    expect(silent).toContain(`${DOWN} These are its last figures.`);
    expect(silent).toContain('0.000200');
    expect(silent).not.toContain('Reference value');
  });

  it('claims nothing while the market is being asked', () => {
    const page = shown({ kind: 'loading' });
    expect(page).not.toMatch(/unavailable\.|Reference|0\.000/);
  });
});
