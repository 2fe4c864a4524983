import { describe, expect, it } from 'vitest';
import { formatMoved } from './moved-amount.ts';

describe('a moved amount', () => {
  it('never reads as nothing where something moved', () => {
    expect(['0.000001', '0.0049', '0.00490', '0.005', '0', '0.000', '1500000'].map(formatMoved)).toEqual([
      '0.000001',
      '0.0049',
      '0.0049',
      '0.01',
      '0.00',
      '0.00',
      '1,500,000.00',
    ]);
  });
});
