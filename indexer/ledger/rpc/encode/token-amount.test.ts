import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { uiBalanceAmount, uiTokenAmount } from './token-amount.ts';

describe('token amounts', () => {
  it.each([
    [0n, 0, '0'],
    [0n, 9, '0'],
    [1n, 9, '0.000000001'],
    [1_500_000n, 6, '1.5'],
    [1_000_000n, 6, '1'],
    [100n, 0, '100'],
    [18446744073709551615n, 6, '18446744073709.551615'],
  ])('%d base units with %d decimals read %s', (amount, decimals, text) => {
    expect(uiTokenAmount(amount, decimals)).toMatchObject({
      amount: amount.toString(),
      decimals,
      uiAmountString: text,
    });
  });

  it('in text are exact: the text scaled up again is the amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.nat({ max: 18 }), (amount, decimals) => {
        const { uiAmountString } = uiTokenAmount(amount, decimals);
        const [whole = '', fraction = ''] = uiAmountString.split('.');
        expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(amount);
        expect(uiAmountString).not.toMatch(/\.$|\..*0$/);
      }),
    );
  });

  it('have no number for zero in the balances of a transaction, and have one in an account', () => {
    expect(uiBalanceAmount(0n, 6)).toEqual({ amount: '0', decimals: 6, uiAmount: null, uiAmountString: '0' });
    expect(uiTokenAmount(0n, 6).uiAmount).toBe(0);
    expect(uiBalanceAmount(5n, 1).uiAmount).toBe(0.5);
  });
});
