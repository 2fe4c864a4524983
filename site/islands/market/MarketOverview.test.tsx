import { describe, expect, it } from 'vitest';
import { FRESHNESS } from '../../../data/model/value-state.ts';
import { $now } from '../../data/ticking-clock.ts';
import { htmlOf, textOf } from '../testing/render.ts';
import { FAILED, knownReading, sampleBodies } from '../testing/samples.ts';
import { MarketCards, type MarketReading, marketFigures } from './MarketOverview.tsx';

const body = {
  ...sampleBodies(0, { price: '0.0001137' })['/api/trading/market-data'],
  priceChange24h: '-1.5',
  volume24h: '1234.5',
};

const figuresOf = (reading: MarketReading) =>
  marketFigures(reading).map(({ label, value, provenance }) => [label, value, provenance.kind]);

describe('market figures', () => {
  it('abbreviate amounts from 1,000, and give a small price more decimals', () => {
    expect(figuresOf(knownReading(body))).toEqual([
      ['Current price', '0.000114', 'read'],
      ['24h volume', '1.23K', 'read'],
      ['Market cap', '99.00K', 'read'],
      ['Liquidity', null, 'unavailable'],
    ]);
    expect(marketFigures(knownReading(body))[0]?.fact).toMatch(/^−1\.50%/);
  });

  it('have no value while they load', () => {
    expect(figuresOf({ kind: 'loading' }).map(([, , kind]) => kind)).toEqual(Array(4).fill('loading'));
  });

  it.each<MarketReading>([{ kind: 'unknown' }, FAILED])(
    'are reference values for price and market cap, and dashes for the rest, if the reading is $kind',
    (reading) => {
      expect(figuresOf(reading)).toEqual([
        ['Current price', '0.000113', 'reference'],
        ['24h volume', null, 'unavailable'],
        ['Market cap', '112.17K', 'reference'],
        ['Liquidity', null, 'unavailable'],
      ]);
      expect(marketFigures(reading)[0]?.fact).toMatch(/^—/);
    },
  );
});

describe('the market overview', () => {
  const overviewHtml = (reading: MarketReading) => htmlOf(<MarketCards reading={reading} />);
  const readingOfAge = (ageMs: number) =>
    knownReading({ ...body, asOf: new Date($now.get() - ageMs).toISOString() });
  const outageOf = (reading: MarketReading) => /data-outage="([\w-]+)"/.exec(overviewHtml(reading))?.[1];

  it('names the feed', () => {
    expect(textOf(<MarketCards reading={readingOfAge(0)} />)).toContain('jupiter feed');
    expect(outageOf(readingOfAge(0))).toBeUndefined();
  });

  it('shows an outage if there is no price, with a retry after a failed read', () => {
    expect(outageOf({ kind: 'unknown' })).toBe('no-price');
    expect(outageOf(FAILED)).toBe('failed');
    expect(overviewHtml(FAILED)).toContain('<button');
    expect(overviewHtml(FAILED)).toContain('The market data service is temporarily unavailable.');
  });

  it('keeps the last figures of a silent feed and marks them as stale', () => {
    const staleReading = readingOfAge(FRESHNESS.market.limitMs + 1_000);
    expect(outageOf(staleReading)).toBe('stale');
    expect(overviewHtml(staleReading).match(/data-state="stale" data-size/g)).toHaveLength(3);
  });

  it('shows neither a figure nor an outage while it loads', () => {
    expect(outageOf({ kind: 'loading' })).toBeUndefined();
    expect(textOf(<MarketCards reading={{ kind: 'loading' }} />)).not.toMatch(/0\.000/);
  });
});
