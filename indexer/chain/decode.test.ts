import stakePoolIdl from '@streamflow/staking/solana/idl/stake_pool.json' with { type: 'json' };
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STAKE_PROGRAM } from './addresses.ts';
import { decodeTransaction, UndecodableTransactionError } from './decode.ts';

const MINT = 'mint-of-bd';

interface Balance {
  readonly accountIndex: number;
  readonly mint?: string;
  readonly owner?: string | null;
  readonly uiTokenAmount: object;
}

function balance(
  accountIndex: number,
  amount: string,
  owner: string | null = `owner-${accountIndex}`,
  mint = MINT,
): Balance {
  // A rounded number beside the exact one, as nodes give it: reading it would show.
  return {
    accountIndex,
    mint,
    ...(owner && { owner }),
    uiTokenAmount: { amount, decimals: 6, uiAmount: 0.5 },
  };
}

function answer(meta: object, message: object = {}): Record<string, unknown> {
  return {
    slot: 9,
    blockTime: 1_700_000_000,
    meta: { err: null, preTokenBalances: [], postTokenBalances: [], innerInstructions: [], ...meta },
    transaction: {
      signatures: ['signature-1', 'signature-2'],
      message: { accountKeys: ['key-0', 'key-1', 'key-2'], instructions: [], ...message },
    },
  };
}

function deltas(result: unknown): Record<string, bigint> {
  const { changes } = decodeTransaction(result, MINT);
  return Object.fromEntries(changes.map(({ account, delta }) => [account, delta]));
}

describe('balance changes of a transaction', () => {
  it('are what was recorded after less what was recorded before, exact beyond 2^53', () => {
    const pre = [balance(0, '18446744073709551615'), balance(1, '1')];
    const post = [balance(0, '18446744073709551614'), balance(1, '2')];
    expect(deltas(answer({ preTokenBalances: pre, postTokenBalances: post }))).toEqual({
      'key-0': -1n,
      'key-1': 1n,
    });
  });

  it('count an account that is missing on one side as holding nothing there', () => {
    const opened = answer({ postTokenBalances: [balance(1, '7')] });
    const closed = answer({ preTokenBalances: [balance(1, '7')] });
    expect(deltas(opened)).toEqual({ 'key-1': 7n });
    expect(deltas(closed)).toEqual({ 'key-1': -7n });
    expect(decodeTransaction(opened, MINT).changes[0]).toMatchObject({
      existedBefore: false,
      existsAfter: true,
    });
    expect(decodeTransaction(closed, MINT).changes[0]).toMatchObject({
      existedBefore: true,
      existsAfter: false,
    });
  });

  it('leave other mints out', () => {
    const pre = [balance(0, '5', 'alice', 'another-mint'), balance(1, '5')];
    const post = [balance(0, '1', 'alice', 'another-mint'), balance(1, '6')];
    expect(deltas(answer({ preTokenBalances: pre, postTokenBalances: post }))).toEqual({ 'key-1': 1n });
  });

  it('find accounts that lookup tables loaded: writable ones after the named, then read-only ones', () => {
    const loadedAddresses = { writable: ['loaded-3', 'loaded-4'], readonly: ['loaded-5'] };
    const postTokenBalances = [balance(2, '1'), balance(4, '2'), balance(5, '3')];
    expect(deltas(answer({ loadedAddresses, postTokenBalances }))).toEqual({
      'key-2': 1n,
      'loaded-4': 2n,
      'loaded-5': 3n,
    });
  });

  it('are none where the transaction failed, whatever it recorded', () => {
    const meta = { err: { InstructionError: [0, 'Custom'] }, preTokenBalances: [balance(0, '5')] };
    expect(decodeTransaction(answer(meta), MINT)).toMatchObject({ hasFailed: true, changes: [] });
  });

  it('do not come from logs', () => {
    const logMessages = ['Program log: Instruction: Transfer', 'Program log: amount 999'];
    expect(deltas(answer({ logMessages }))).toEqual({});
  });

  it('keep the first signature, the slot and the block time in milliseconds', () => {
    expect(decodeTransaction(answer({}), MINT)).toMatchObject({
      signature: 'signature-1',
      slot: 9,
      blockTime: 1_700_000_000_000,
    });
    expect(decodeTransaction({ ...answer({}), blockTime: null }, MINT).blockTime).toBeNull();
  });

  it('sum to the difference of the two sides, for any balances', () => {
    const side = fc.uniqueArray(fc.tuple(fc.nat(2), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })), {
      selector: ([index]) => index,
    });
    fc.assert(
      fc.property(side, side, (before, after) => {
        const sum = (rows: readonly (readonly [number, bigint])[]) =>
          rows.reduce((total, [, amount]) => total + amount, 0n);
        const result = answer({
          preTokenBalances: before.map(([index, amount]) => balance(index, amount.toString())),
          postTokenBalances: after.map(([index, amount]) => balance(index, amount.toString())),
        });
        const total = Object.values(deltas(result)).reduce((a, b) => a + b, 0n);
        expect(total).toBe(sum(after) - sum(before));
      }),
    );
  });
});

describe('instructions of the staking program', () => {
  const message = { accountKeys: ['key-0', STAKE_PROGRAM] };
  const call = (data: readonly number[], programIdIndex = 1) => ({
    programIdIndex,
    accounts: [],
    data: bs58.encode(Uint8Array.from([...data, 1, 2, 3])),
  });
  const words = (result: unknown) => [...decodeTransaction(result, MINT).stakeInstructions];
  const WORDS: Readonly<Record<string, string>> = {
    stake: 'stake',
    unstake: 'unstake',
    unstake_as_worker: 'unstake',
  };

  it.each(stakePoolIdl.instructions.map(({ name, discriminator }) => [name, discriminator] as const))(
    '%s gives the word that the IDL shipped with @streamflow/staking asks for, also when another program calls it',
    (name, discriminator) => {
      const expected = WORDS[name] === undefined ? [] : [WORDS[name]];
      expect(words(answer({}, { ...message, instructions: [call(discriminator)] }))).toEqual(expected);
      const innerInstructions = [{ index: 0, instructions: [call(discriminator)] }];
      expect(words(answer({ innerInstructions }, message))).toEqual(expected);
    },
  );

  it('give no word where another program is called with the same bytes', () => {
    const stake = stakePoolIdl.instructions.find(({ name }) => name === 'stake')?.discriminator ?? [];
    expect(words(answer({}, { ...message, instructions: [call(stake, 0)] }))).toEqual([]);
  });

  it('that cannot be read refuse the transaction', () => {
    const instructions = [{ programIdIndex: 1, accounts: [], data: '0OIl' }];
    expect(() => words(answer({}, { ...message, instructions }))).toThrow(UndecodableTransactionError);
  });
});

describe('an answer that is no transaction with its balances', () => {
  it.each([
    ['no object', 'nothing'],
    ['no meta', { ...answer({}), meta: null }],
    ['no balances recorded, which is not the same as none', answer({ preTokenBalances: null })],
    ['an amount that is no base units', answer({ postTokenBalances: [balance(0, '1.5')] })],
    ['a negative amount', answer({ postTokenBalances: [balance(0, '-1')] })],
    ['an account index beyond the accounts', answer({ postTokenBalances: [balance(7, '1')] })],
    ['an account twice', answer({ postTokenBalances: [balance(0, '1'), balance(0, '2')] })],
    [
      'no signature',
      { ...answer({}), transaction: { signatures: [], message: { accountKeys: [], instructions: [] } } },
    ],
    ['a slot that is no number', { ...answer({}), slot: '9' }],
  ])('is refused: %s', (_what, result) => {
    expect(() => decodeTransaction(result, MINT)).toThrow(UndecodableTransactionError);
  });

  it('never makes it throw anything else, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (result, meta, message) => {
        for (const candidate of [result, { ...answer({}), meta }, answer({}, { accountKeys: message })]) {
          try {
            decodeTransaction(candidate, MINT);
          } catch (error) {
            expect(error).toBeInstanceOf(UndecodableTransactionError);
          }
        }
      }),
    );
  });
});
