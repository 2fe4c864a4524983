import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDecimalText } from '../../../data/model/amounts.ts';
import { denialHint, denialToast } from './denial.ts';

describe('what a wallet that does not qualify is told', () => {
  it.each([
    ['stake_entry', '1499999', 'Need 1 more BD staked'],
    ['stake_entry', '1499999.999999', 'Need 0.000001 more BD staked'],
    ['stake_entry', '250000.5', 'Need 1,249,999.5 more BD staked'],
    ['stake_entry', '0', 'Must stake 1,500,000 BD tokens for virtual card eligibility'],
    ['token_account_analysis', '0', 'Must stake 1,500,000 BD tokens for virtual card eligibility'],
    ['token_account_analysis', '7', 'Must stake 1,500,000 BD tokens for virtual card eligibility'],
  ] as const)('by %s of %s BD: %s', (detectionMethod, stakedAmount, hint) => {
    expect(denialHint({ detectionMethod, stakedAmount })).toBe(hint);
  });

  it('names exactly what is missing, of any stake', () => {
    const lowest = 1_500_000_000_000n;
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: lowest - 1n }), (staked) => {
        const hint = denialHint({ detectionMethod: 'stake_entry', stakedAmount: toDecimalText(staked, 6) });
        const missing = hint.replaceAll(',', '').replace(/^Need (\S+) more BD staked$/, '$1');
        expect(missing).toBe(toDecimalText(lowest - staked, 6));
      }),
    );
  });

  it('stays for 15 seconds, and offers where BD is bought', () => {
    expect(denialToast({ detectionMethod: 'stake_entry', stakedAmount: '0' }, 'https://m.example')).toEqual({
      title: 'ACCESS DENIED - INSUFFICIENT STAKING',
      text: 'MINIMUM 1,500,000 BD TOKENS REQUIRED FOR STAKING. Must stake 1,500,000 BD tokens for virtual card eligibility',
      kind: 'failure',
      seconds: 15,
      actions: [{ label: 'Buy BD Tokens', href: 'https://m.example' }],
    });
  });
});
