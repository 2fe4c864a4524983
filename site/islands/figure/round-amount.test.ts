import { describe, expect, it } from 'vitest';
import { formatRound } from './round-amount.ts';

describe('a round amount', () => {
  it('loses the zeros after its point and no other', () => {
    expect(['990000000', '46600000', '5000000', '100', '1500'].map(formatRound)).toEqual([
      '990M',
      '46.6M',
      '5M',
      '100',
      '1.5K',
    ]);
  });
});
