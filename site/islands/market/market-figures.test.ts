import { describe, expect, it } from 'vitest';
import { type MarketReading, marketFigures } from './market-figures.ts';

const body = {
  priceUsd: '0.0001137',
  priceChange24h: '-1.5',
  volume24h: '1234.5',
  marketCap: '112563.00',
  liquidity: null,
  asOf: '2026-11-21T10:00:00.000Z',
  slot: null,
  source: 'jupiter',
  state: 'live',
} as const;

const shown = (reading: MarketReading) =>
  marketFigures(reading).map(({ label, value, provenance }) => [label, value, provenance.kind]);

describe('the market overview', () => {
  it('shows what the feed told, the price with the decimals of its size, amounts from a thousand up shortened', () => {
    expect(shown({ kind: 'known', body })).toEqual([
      ['Current price', '0.000114', 'read'],
      ['24h volume', '1.23K', 'read'],
      ['Market cap', '112.56K', 'read'],
      ['Liquidity', null, 'unavailable'],
    ]);
    expect(marketFigures({ kind: 'known', body })[0]?.fact).toBe('−1.50% in 24 hours');
  });

  it('has no figure while it is on its way', () => {
    expect(shown({ kind: 'loading' }).map(([, , kind]) => kind)).toEqual(Array(4).fill('loading'));
  });

  it.each<MarketReading>([{ kind: 'unknown' }, { kind: 'failed', retry: () => {}, retrying: false }])(
    'shows the published price and market cap for what they are, and dashes for the rest, where it is $kind',
    (reading) => {
      expect(shown(reading)).toEqual([
        ['Current price', '0.000113', 'reference'],
        ['24h volume', null, 'unavailable'],
        ['Market cap', '112.17K', 'reference'],
        ['Liquidity', null, 'unavailable'],
      ]);
      expect(marketFigures(reading)[0]?.fact).toBe('— in 24 hours');
    },
  );
});
