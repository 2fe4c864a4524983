import { describe, expect, it } from 'vitest';
import { FAILED, knownReading, SAMPLE_ADDRESS, sampleBodies } from '../testing/samples.ts';
import { feedLabel } from '../ui/provenance.ts';
import { priceFigure, reducedSupplyFigure, stakedFigure, vaultFigure } from './dashboard-figures.ts';

const bodies = sampleBodies(0, { vault: '99998436.01', staked: '20887580.31', price: '0.0001137' });
const vault = knownReading(bodies['/api/vault/live-balance']);
const staking = knownReading(bodies['/api/staking/total']);
const market = knownReading(bodies['/api/trading/market-data']);
const asOf = Date.parse(vault.body.asOf);

const unknownReading = { kind: 'unknown' } as const;

describe('a live figure', () => {
  it('shows what was read, with its time and source', () => {
    expect(vaultFigure(vault)).toEqual({
      value: '99,998,436.01',
      provenance: { kind: 'read', asOf, source: 'chain', calls: ['/api/vault/live-balance'] },
      address: SAMPLE_ADDRESS,
      sharePercent: '10.10',
    });
    expect(stakedFigure(staking)).toMatchObject({ value: '20,887,580.31', stakerCount: 8 });
  });

  it('shows the change of the price over 24 hours, or a dash if the feed has none', () => {
    const changeOf = (priceChange24h: string | null) =>
      priceFigure(knownReading({ ...market.body, priceChange24h })).change24h;
    expect([changeOf('-1.5'), changeOf('0.126'), changeOf(null)]).toEqual(['−1.50%', '+0.13%', '—']);
    expect(priceFigure(unknownReading).change24h).toBe('—');
  });

  it('shows the price with six decimals, and says that the demo feed is not a market', () => {
    expect(priceFigure(knownReading({ ...market.body, source: 'demo' }))).toMatchObject({
      value: '0.000114',
      marketCap: '$99.00K',
      feedText: 'demo feed — not a market price',
      provenance: { kind: 'read', source: 'market' },
    });
    expect(feedLabel('jupiter')).toBe('jupiter feed');
  });
});

it.each([unknownReading, FAILED])(
  'a figure whose reading is $kind shows its reference value, but nothing derived from it',
  (reading) => {
    const reference = { provenance: { kind: 'reference' } };
    expect(vaultFigure(reading)).toMatchObject({ ...reference, value: '99,998,436.01', sharePercent: null });
    expect(stakedFigure(reading)).toMatchObject({ ...reference, value: '20,887,580.31', stakerCount: 8 });
    expect(priceFigure(reading)).toMatchObject({ ...reference, value: '0.000114', marketCap: null });
  },
);

describe('the reduced supply', () => {
  it('is 990M − staked − vault − 46.6M', () => {
    expect(reducedSupplyFigure(vault, staking)).toMatchObject({
      value: '822.51M',
      provenance: { kind: 'read' },
    });
  });

  it.each([
    ['vault balance', unknownReading, staking],
    ['stake', vault, FAILED],
  ])('is a dash while the %s is not known', (_, vaultReading, stakingReading) => {
    expect(reducedSupplyFigure(vaultReading, stakingReading)).toMatchObject({
      value: null,
      provenance: { kind: 'unavailable' },
    });
  });

  it('loads while one of its parts loads', () => {
    expect(reducedSupplyFigure(vault, { kind: 'loading' }).provenance.kind).toBe('loading');
  });
});
