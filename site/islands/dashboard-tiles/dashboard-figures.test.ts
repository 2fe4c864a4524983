import { describe, expect, it } from 'vitest';
import type { Reading } from '../../data/figure-query.ts';
import { feedLabel } from '../ui/provenance.ts';
import { priceFigure, reducedSupplyFigure, stakedFigure, vaultFigure } from './dashboard-figures.ts';

const asOf = '2026-11-21T10:00:00.000Z';
const chain = { asOf, slot: 1, source: 'solana', state: 'live' } as const;
const address = 'Vau1tVau1tVau1tVau1tVau1tVau1tVau1tVau1tVau1';

const vault = {
  kind: 'known',
  body: {
    vaultBalance: '99998436.01',
    balance: '99998436.01',
    solBalance: '0.002',
    vaultAddress: address,
    ...chain,
  },
} as const;
const staking = {
  kind: 'known',
  body: { balance: '20887580.31', stakerCount: 8, stakePool: address, ...chain },
} as const;
const market = {
  kind: 'known',
  body: {
    priceUsd: '0.0001137',
    priceChange24h: null,
    volume24h: null,
    marketCap: '112563.00',
    liquidity: null,
    asOf,
    slot: null,
    source: 'demo',
    state: 'live',
  },
} as const;

const loading = { kind: 'loading' } as const;
const unknown = { kind: 'unknown' } as const;
const failed: Reading<never> = { kind: 'failed', retry: () => {}, retrying: false };

describe('a live figure', () => {
  it('shows what was read, with its time and source', () => {
    expect(vaultFigure(vault)).toEqual({
      value: '99,998,436.01',
      provenance: {
        kind: 'read',
        asOf: Date.parse(asOf),
        source: 'chain',
        calls: ['/api/vault/live-balance'],
      },
      address,
      sharePercent: '10.10',
    });
    expect(stakedFigure(staking)).toMatchObject({ value: '20,887,580.31', stakers: 8 });
  });

  it('shows the price with six decimals and marks the demo feed as not a market', () => {
    expect(priceFigure(market)).toMatchObject({
      value: '0.000114',
      marketCap: '$112.56K',
      feed: 'demo feed — not a market price',
      provenance: { kind: 'read', source: 'market' },
    });
    expect(feedLabel('jupiter')).toBe('jupiter feed');
  });

  it('is exact for long amounts', () => {
    const body = { ...vault.body, vaultBalance: '123456789.015' };
    expect(vaultFigure({ kind: 'known', body }).value).toBe('123,456,789.02');
  });
});

describe('a missing figure', () => {
  it.each([unknown, failed])(
    'shows the published fallback as a reference, never as read ($kind)',
    (reading) => {
      expect(vaultFigure(reading)).toMatchObject({
        value: '99,998,436.01',
        provenance: { kind: 'reference' },
      });
      expect(stakedFigure(reading)).toMatchObject({
        value: '20,887,580.31',
        stakers: 8,
        provenance: { kind: 'reference' },
      });
      expect(priceFigure(reading)).toMatchObject({ value: '0.000114', provenance: { kind: 'reference' } });
    },
  );

  it('offers a retry after a failed read only', () => {
    expect(vaultFigure(failed).provenance).toMatchObject({ retry: { running: false } });
    expect(vaultFigure(unknown).provenance).toMatchObject({ retry: null });
  });

  it('has no market cap and no share, since no figure is derived from a reference value', () => {
    expect(priceFigure(unknown).marketCap).toBeNull();
    expect(vaultFigure(unknown).sharePercent).toBeNull();
  });
});

describe('the reduced supply', () => {
  it('is 990M − staked − vault − 46.6M', () => {
    expect(reducedSupplyFigure(vault, staking)).toMatchObject({
      value: '822.51M',
      provenance: { kind: 'read' },
    });
  });

  it('is as old as the older of its parts', () => {
    const older = '2026-11-21T09:00:00.000Z';
    const figure = reducedSupplyFigure(vault, { kind: 'known', body: { ...staking.body, asOf: older } });
    expect(figure.provenance).toMatchObject({ kind: 'read', asOf: Date.parse(older), source: 'chain' });
  });

  it.each([
    ['the vault is a reference', unknown, staking],
    ['the vault could not be read', failed, staking],
    ['the stake is a reference', vault, unknown],
    ['both are references', unknown, failed],
  ])('is a dash when %s', (_, vaultReading, stakingReading) => {
    expect(reducedSupplyFigure(vaultReading, stakingReading)).toMatchObject({
      value: null,
      provenance: { kind: 'unavailable' },
    });
  });

  it('loads while a part loads', () => {
    expect(reducedSupplyFigure(vault, loading).provenance.kind).toBe('loading');
  });
});
