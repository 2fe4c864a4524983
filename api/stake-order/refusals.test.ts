import { expect, it } from 'vitest';
import { refusalError } from './refusals.ts';

const customError = (code: number) => ({ InstructionError: [1, { Custom: code }] });

it.each([
  ['a missing payer account', 'AccountNotFound', [], 'too-little-sol'],
  ['a fee that cannot be paid', 'InsufficientFundsForFee', [], 'too-little-sol'],
  ['missing rent', { InsufficientFundsForRent: { account_index: 0 } }, [], 'too-little-sol'],
  ['missing lamports', customError(1), ['Transfer: insufficient lamports 1, need 2'], 'too-little-sol'],
  ['missing tokens', customError(1), ['Program log: Error: insufficient funds'], 'too-little-bd'],
  ['a frozen account', customError(17), [], 'stake-refused'],
  ['a stake entry that exists', customError(0), ['Allocate: account already in use'], 'stake-refused'],
  ['an error of the staking program', customError(6002), [], 'stake-refused'],
  ['an unknown error of the staking program', customError(6099), [], 'stake-refused'],
  ['an expired blockhash', 'BlockhashNotFound', [], 'stake-too-old'],
  ['another runtime error', { InstructionError: [0, 'InvalidAccountData'] }, [], 'stake-refused'],
  ['an error with an unexpected shape', 7, [], 'stake-refused'],
] as const)('%s gets its API error', (_case, err, logs, code) => {
  expect(refusalError({ err, logs, isWithdrawal: false })).toMatchObject({ status: 409, code });
});

it.each([
  ['a lock that has not ended', customError(6013), 'stake-locked'],
  ['a stake that was already withdrawn', customError(6012), 'no-such-stake'],
  ['missing receipt tokens', customError(1), 'unstake-refused'],
  ['an unknown error', customError(6099), 'unstake-refused'],
  ['an expired blockhash', 'BlockhashNotFound', 'stake-too-old'],
  ['another runtime error', { InstructionError: [1, 'InvalidAccountData'] }, 'unstake-refused'],
] as const)('a withdrawal with %s gets its API error', (_case, err, code) => {
  const logs = ['Program log: Error: insufficient funds'];
  expect(refusalError({ err, logs, isWithdrawal: true })).toMatchObject({ status: 409, code });
});

it('every known error of the staking program has its own message', () => {
  const codes = [6000, 6002, 6003, 6005, 6006, 6014, 6023, 6024, 6099];
  const messages = codes.map(
    (code) => refusalError({ err: customError(code), logs: [], isWithdrawal: false }).message,
  );
  expect(new Set(messages).size).toBe(codes.length);
});
