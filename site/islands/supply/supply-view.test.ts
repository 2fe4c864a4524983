import { describe, expect, it } from 'vitest';
import { REFERENCE_VALUES } from '../../../data/model/stated-figures.ts';
import { FAILED } from '../testing/samples.ts';
import { type SupplyReadings, supplyView } from './supply-view.ts';

const labels = { vault: 'Vault', staked: 'Staked', streamflow: 'Streamflow', remainder: 'Market' };
const provenanceFields = { slot: 1, source: 'solana', state: 'live' } as const;
const EARLIER = '2026-11-21T12:00:00.000Z';
const LATER = '2026-11-21T12:00:05.000Z';
const vault = (vaultBalance: string): SupplyReadings['vault'] => ({
  kind: 'known',
  body: {
    vaultBalance,
    balance: vaultBalance,
    solBalance: '0',
    vaultAddress: 'v',
    asOf: LATER,
    ...provenanceFields,
  },
});
const staking = (balance: string): SupplyReadings['staking'] => ({
  kind: 'known',
  body: { balance, stakerCount: 1, stakePool: 'p', asOf: EARLIER, ...provenanceFields },
});
const view = (readings: SupplyReadings) => supplyView(readings, labels);
const liveAmounts = (readings: SupplyReadings) => view(readings).rows.map((row) => row.live?.amount ?? null);

describe('the parts of the supply', () => {
  const both = { vault: vault('99998436.01'), staking: staking('20887580.31') };

  it('are live and add up if both vault and stakes are known', () => {
    expect(liveAmounts(both)).toEqual(['100.00M', '20.89M', '46.60M', '822.51M']);
    expect(view(both).isLive).toBe(true);
    expect(view(both).shares.map(({ percent }) => percent)).toEqual([10.1, 2.11, 4.71, 83.08]);
  });

  it('have a remainder that is as old as its older part and depends on both calls', () => {
    expect(view(both).remainderProvenance).toMatchObject({
      kind: 'read',
      asOf: Date.parse(EARLIER),
      calls: ['/api/vault/live-balance', '/api/staking/total'],
    });
  });

  it.each([
    ['vault balance', { vault: FAILED, staking: staking('20887580.31') }, [null, '20.89M', '46.60M', null]],
    [
      'total stake',
      { vault: vault('99998436.01'), staking: { kind: 'unknown' } },
      ['100.00M', null, '46.60M', null],
    ],
  ] as const)(
    'have neither a remainder nor a live bar if the %s is not known',
    (_case, readings, amounts) => {
      expect(liveAmounts(readings)).toEqual(amounts);
      const { isLive, shares, remainderProvenance } = view(readings);
      expect([isLive, remainderProvenance.kind]).toEqual([false, 'unavailable']);
      expect(shares.map(({ percent }) => percent)).toEqual([10.3, 2.5, 4.7, 82.5]);
    },
  );

  it('are never reference values', () => {
    const { rows } = view({ vault: FAILED, staking: FAILED });
    expect(JSON.stringify(rows)).not.toContain(REFERENCE_VALUES.dashboard.vaultBalance.slice(0, 5));
    expect(rows.map(({ provenance }) => provenance.kind)).not.toContain('reference');
  });

  it('have no live bar if the remainder is negative', () => {
    const excessive = { vault: vault('990000000'), staking: staking('0') };
    expect(liveAmounts(excessive).at(-1)).toBe('−46.60M');
    expect(view(excessive).isLive).toBe(false);
  });
});
