import { describe, expect, it } from 'vitest';
import { solText, tierGaps, typedAmount } from './stake-amount.ts';

describe('a typed amount', () => {
  it.each([
    [' 1,500,000.25 ', '1500000.25'],
    ['0.000001', '0.000001'],
    ['1500000.0000000000000000001', '1500000.0000000000000000001'],
  ])('%j is read as %s, to the last digit', (typed, amount) => {
    expect(typedAmount(typed)).toBe(amount);
  });

  it.each(['', '0', '0.00', '-1', '1e6', '1,5', '1.500.000', '.5', '1500000 BD', 'all', '9'.repeat(41)])(
    '%j is invalid',
    (typed) => {
      expect(typedAmount(typed)).toBeNull();
    },
  );
});

it('the amount needed for a tier is exact, and listed only for tiers that are not reached', () => {
  expect(tierGaps('0').map(({ missing }) => missing)).toEqual(['1500000', '5000000', '7500000']);
  expect(tierGaps('1499999.999999')[0]).toEqual({ tier: 'Duckling', missing: '0.000001' });
  expect(tierGaps('1500000').map(({ tier }) => tier)).toEqual(['Banker', 'Raven']);
  expect(tierGaps('7500000')).toEqual([]);
});

it('a fee is shown with all its digits', () => {
  expect(['5000', '0'].map(solText)).toEqual(['0.000005 SOL', '0 SOL']);
});
