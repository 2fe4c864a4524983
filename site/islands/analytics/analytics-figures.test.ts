import { describe, expect, it } from 'vitest';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import { participationCard } from './analytics-figures.ts';

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
const card = (changes: Partial<Body> = {}) =>
  participationCard({ kind: 'known', body: { ...body, ...changes } });

describe('the card of staking participation', () => {
  it('is as old as the count of wallets, at the pace of its chain, and not as the staking figures', () => {
    expect(card()).toMatchObject({
      value: '25.00',
      provenance: { kind: 'read', asOf: Date.parse(COUNTED_AT), pace: { interval: 3_600_000 } },
    });
    expect(card({ source: 'embedded-ledger' }).provenance).toMatchObject({ pace: { interval: 60_000 } });
  });

  it('is a dash that says why while the wallets are not counted, or more stake than were counted', () => {
    const missing = { walletsHolding: null, stakingParticipation: null, holdersCounted: null };
    expect(card(missing)).toMatchObject({
      value: null,
      provenance: { kind: 'unavailable', why: 'Wallets holding BD not counted yet' },
    });
    expect(card({ walletsHolding: 7, stakingParticipation: null })).toMatchObject({
      value: null,
      provenance: { kind: 'unavailable', why: 'Waits for the next count of wallets' },
    });
  });

  it('loads, and is a dash while the server has nothing', () => {
    expect(participationCard({ kind: 'loading' })).toMatchObject({
      value: null,
      provenance: { kind: 'loading' },
    });
    expect(participationCard({ kind: 'unknown' })).toMatchObject({
      value: null,
      provenance: { kind: 'unavailable' },
    });
  });
});
