import { describe, expect, it } from 'vitest';
import type { TransactionErrorJson } from '../../chain.ts';
import { transactionErrorText } from './transaction-error-text.ts';

describe('a transaction error in words', () => {
  it.each<[TransactionErrorJson, string]>([
    ['BlockhashNotFound', 'Blockhash not found'],
    ['SomethingNew', 'SomethingNew'],
    [
      { InstructionError: [2, { Custom: 6012 }] },
      'Error processing Instruction 2: custom program error: 0x177c',
    ],
    [
      { InstructionError: [0, 'InvalidAccountData'] },
      'Error processing Instruction 0: invalid account data for instruction',
    ],
    [{ InsufficientFundsForRent: { account_index: 1 } }, '{"InsufficientFundsForRent":{"account_index":1}}'],
  ])('%j', (error, text) => {
    expect(transactionErrorText(error)).toBe(text);
  });
});
