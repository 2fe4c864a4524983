// @vitest-environment happy-dom
import { createElement } from 'react';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import { openServedPage } from '../testing/served-page.tsx';
import AnalyticsFigures, {
  deployedText,
  marketCapCard,
  participationCard,
  priceCard,
  ratioCard,
  stakedCard,
  stakersCard,
  vaultCard,
} from './AnalyticsFigures.tsx';

type Body = FigureBodies['/api/analytics/real-staking'];

const COUNTED_AT = '2026-01-01T00:00:00.000Z';
const body: Body = {
  totalStakers: 8,
  totalStaked: '20887580.31',
  walletsHolding: 32,
  stakingParticipation: 25,
  holdersCounted: { asOf: COUNTED_AT, slot: 4_200, state: 'live' },
  asOf: '2026-01-01T00:30:00.000Z',
  slot: 4_242,
  source: 'solana',
  state: 'live',
};
const participationCardWith = (changes: Partial<Body> = {}) =>
  participationCard({ kind: 'known', body: { ...body, ...changes } });

describe('the staking participation card', () => {
  it('has the age of the holder count, and an interval that depends on the chain', () => {
    expect(participationCardWith()).toMatchObject({
      value: '25.00%',
      provenance: { kind: 'read', asOf: Date.parse(COUNTED_AT), freshness: { intervalMs: 3_600_000 } },
    });
    expect(participationCardWith({ source: 'embedded-ledger' }).provenance).toMatchObject({
      freshness: { intervalMs: 60_000 },
    });
  });

  it('shows a dash if holders have not been counted, or if the count is below the number of stakers', () => {
    const missing = { walletsHolding: null, stakingParticipation: null, holdersCounted: null };
    for (const changes of [missing, { walletsHolding: 7, stakingParticipation: null }]) {
      expect(participationCardWith(changes)).toMatchObject({
        value: null,
        provenance: { kind: 'unavailable' },
      });
    }
  });

  it('is loading at first', () => {
    expect(participationCard({ kind: 'loading' })).toMatchObject({ provenance: { kind: 'loading' } });
  });
});

const unknownReading = { kind: 'unknown' } as const;
const failedReading = { kind: 'failed', retry: () => {}, isRetrying: false } as const;

describe('an unknown figure', () => {
  it('is a dash if it has no reference value', () => {
    for (const reading of [unknownReading, failedReading]) {
      for (const card of [vaultCard, stakersCard, stakedCard, ratioCard, participationCard]) {
        expect(card(reading)).toMatchObject({ value: null, provenance: { kind: 'unavailable' }, source: '' });
      }
      expect(deployedText(reading)).toBeNull();
    }
  });

  it('is its reference value if it has one', () => {
    for (const reading of [unknownReading, failedReading]) {
      expect(priceCard(reading)).toMatchObject({ value: '0.000113', provenance: { kind: 'reference' } });
      expect(marketCapCard(reading)).toMatchObject({ value: '112.17K', provenance: { kind: 'reference' } });
    }
  });
});

describe('a known figure', () => {
  it('shows its source, and a percent sign if it is a ratio', () => {
    const overview = {
      totalDeployed: '120886016.32',
      reducedSupply: '822513983.68',
      stakingRatioPercent: '2.11',
    };
    const readFields = { asOf: new Date().toISOString(), slot: 1, source: 'solana', state: 'live' } as const;
    const reading = { kind: 'known', body: { totalStakers: 8, overview, ...readFields } } as const;
    expect(deployedText(reading)).toBe('120.89M');
    expect(ratioCard(reading)).toMatchObject({ value: '2.11%', provenance: { source: 'chain' } });
  });
});

it('each staking figure is shown beside its own label', async () => {
  const island = createElement(AnalyticsFigures, { explorer: 'https://explorer.example' });
  const page = await openServedPage(island, { 'GET /api/analytics/real-staking': body });
  onTestFinished(page.close);
  // The stream does not open, so the page soon reads the figures itself.
  await page.advance(5);
  expect(page.text()).toMatch(/Active Stakers8 .*Total Staked20,887,580\.31 .*Staking Participation25\.00%/);
});
