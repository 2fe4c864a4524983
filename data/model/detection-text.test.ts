import { describe, expect, it } from 'vitest';
import { detectionText } from './detection-text.ts';

describe('the text of a detection', () => {
  it.each([
    [{ staked: '1499999.5', held: null, method: 'stake_entry' }, '1,499,999.5 BD staked (found on-chain)'],
    [
      { staked: '0', held: '2000000', method: 'token_account_analysis' },
      '2,000,000 BD in wallet (not staked) (token_account_analysis)',
    ],
    [{ staked: '3', held: '4' }, '3 BD staked (automated_scan)'],
    [{ staked: '0', held: '0' }, 'No BD tokens found'],
    [{ staked: '0', held: null }, 'No BD tokens found'],
  ])('for %j is %s', (detection, text) => {
    expect(detectionText(detection)).toBe(text);
  });
});
