import { expect, it } from 'vitest';
import { refusalError } from './refusals.ts';

const custom = (code: number) => ({ InstructionError: [1, { Custom: code }] });

it.each([
  ['the account of whoever pays is not there', 'AccountNotFound', [], 'too-little-sol', /too little SOL/],
  ['the fee cannot be paid', 'InsufficientFundsForFee', [], 'too-little-sol', /Send it some SOL/],
  ['rent is missing', { InsufficientFundsForRent: { account_index: 0 } }, [], 'too-little-sol', /SOL/],
  ['lamports are missing', custom(1), ['Transfer: insufficient lamports 1, need 2'], 'too-little-sol', /SOL/],
  ['tokens are missing', custom(1), ['Program log: Error: insufficient funds'], 'too-little-bd', /less BD/],
  ['the account is frozen', custom(17), [], 'stake-refused', /frozen/],
  ['the entry is taken', custom(0), ['Allocate: account already in use'], 'stake-refused', /Start again/],
  ['the lock is too short', custom(6002), [], 'stake-refused', /longer than 180 days/],
  ['the pool ends', custom(6024), [], 'stake-refused', /ends before/],
  ['the program says what no one knows', custom(6099), [], 'stake-refused', /error 6099/],
  ['the transaction is too old', 'BlockhashNotFound', [], 'stake-too-old', /nothing was staked/],
  [
    'the runtime says something else',
    { InstructionError: [0, 'InvalidAccountData'] },
    [],
    'stake-refused',
    /Try again/,
  ],
  ['the error is no error', 7, [], 'stake-refused', /Try again/],
] as const)('Where %s, a person is told so', (_case, err, logs, code, words) => {
  const refusal = refusalError({ err, logs });
  expect([refusal.status, refusal.code]).toEqual([409, code]);
  expect(refusal.message).toMatch(words);
});
