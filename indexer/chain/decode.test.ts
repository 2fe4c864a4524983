import stakePoolIdl from '@streamflow/staking/solana/idl/stake_pool.json';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './accounts.ts';
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
  // `uiAmount` is wrong on purpose: the decoder must not read it.
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
  const { accounts, changes } = decodeTransaction(result, MINT);
  return Object.fromEntries(
    changes.map(({ accountIndex, delta }) => [accounts.addressAt(accountIndex), delta]),
  );
}

describe('balance changes of a transaction', () => {
  it('count an account that is missing on one side as empty there', () => {
    const opened = answer({ postTokenBalances: [balance(1, '7')] });
    const closed = answer({ preTokenBalances: [balance(1, '7')] });
    expect(decodeTransaction(opened, MINT).changes).toMatchObject([
      { delta: 7n, existedBefore: false, existsAfter: true },
    ]);
    expect(decodeTransaction(closed, MINT).changes).toMatchObject([
      { delta: -7n, existedBefore: true, existsAfter: false },
    ]);
  });

  it('leave other mints out', () => {
    const pre = [balance(0, '5', 'alice', 'another-mint'), balance(1, '5')];
    const post = [balance(0, '1', 'alice', 'another-mint'), balance(1, '6')];
    expect(deltas(answer({ preTokenBalances: pre, postTokenBalances: post }))).toEqual({ 'key-1': 1n });
  });

  it('come with the first signature, the slot and the block time in milliseconds', () => {
    expect(decodeTransaction(answer({}), MINT)).toMatchObject({
      signature: 'signature-1',
      slot: 9,
      blockTime: 1_700_000_000_000,
    });
    expect(decodeTransaction({ ...answer({}), blockTime: null }, MINT).blockTime).toBeNull();
  });

  it('add up to the total after it minus the total before it, for any balances', () => {
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
  const message = { accountKeys: ['key-0', STAKING_PROGRAM, 'key-2', 'key-3'] };
  const call = (data: readonly number[], programIdIndex = 1, accounts = [0, 3, 1, 2, 1, 0, 3]) => ({
    programIdIndex,
    accounts,
    data: bs58.encode(Uint8Array.from([...data, 1, 2, 3])),
  });
  const calls = (result: unknown) => decodeTransaction(result, MINT).stakeCalls;
  const KIND_BY_INSTRUCTION: Readonly<Record<string, string>> = {
    stake: 'stake',
    unstake: 'unstake',
    unstake_as_worker: 'unstake',
  };

  it.each(stakePoolIdl.instructions.map(({ name, discriminator }) => [name, discriminator] as const))(
    'are read if they stake or unstake, whether the message or a program calls them: %s',
    (name, discriminator) => {
      const kind = KIND_BY_INSTRUCTION[name];
      const positions = {
        entryIndex: 3,
        vaultIndex: 2,
        holderIndex: 0,
        authorityIndex: kind === 'stake' ? 3 : 0,
      };
      const expected = kind === undefined ? [] : [{ kind, ...positions, transfer: null }];
      expect(calls(answer({}, { ...message, instructions: [call(discriminator)] }))).toEqual(expected);
      const innerInstructions = [{ index: 0, instructions: [call(discriminator)] }];
      const outer = { ...message, instructions: [call([], 2)] };
      expect(calls(answer({ innerInstructions }, outer))).toEqual(expected);
    },
  );

  it('have their accounts at the expected positions in the IDL', () => {
    for (const { name, accounts } of stakePoolIdl.instructions) {
      if (KIND_BY_INSTRUCTION[name] === undefined) continue;
      expect(accounts.map((account) => account.name)).toMatchObject(
        name === 'stake'
          ? { 1: 'stake_entry', 3: 'vault', 5: 'payer', 6: 'authority' }
          : { 1: 'stake_entry', 3: 'vault', 5: 'authority' },
      );
    }
  });

  it.each([
    ['for an instruction that the message lacks', [{ index: 1, instructions: [] }]],
    [
      'listed twice',
      [
        { index: 0, instructions: [] },
        { index: 0, instructions: [] },
      ],
    ],
  ])('cannot be decoded with inner instructions %s', (_what, innerInstructions) => {
    const result = answer({ innerInstructions }, { ...message, instructions: [call([])] });
    expect(() => calls(result)).toThrow(UndecodableTransactionError);
  });

  const stakeDiscriminator =
    stakePoolIdl.instructions.find(({ name }) => name === 'stake')?.discriminator ?? [];

  it('are not read if another program is called with the same bytes', () => {
    expect(calls(answer({}, { ...message, instructions: [call(stakeDiscriminator, 0)] }))).toEqual([]);
  });

  it.each([
    ['that are not base58', { ...call(stakeDiscriminator), data: '0OIl' }],
    ['that lack accounts', call(stakeDiscriminator, 1, [0, 3, 1])],
    ['that name a missing account', call(stakeDiscriminator, 1, [0, 9, 1, 2])],
    ['that call a missing program', call(stakeDiscriminator, 9)],
    ['with a program index that is not a number', { ...call(stakeDiscriminator), programIdIndex: '1' }],
  ])('%s make the transaction undecodable', (_what, instruction) => {
    const result = answer({}, { ...message, instructions: [instruction] });
    expect(() => calls(result)).toThrow(UndecodableTransactionError);
  });
});

describe('instructions of the token programs', () => {
  const message = { accountKeys: ['vault', TOKEN_PROGRAM, 'delegate', TOKEN_2022_PROGRAM, 'mint'] };
  const call = (data: readonly number[], accounts: readonly number[], programIdIndex = 1) => ({
    programIdIndex,
    accounts,
    data: bs58.encode(Uint8Array.from(data)),
  });
  const actionsOf = (...instructions: object[]) =>
    decodeTransaction(answer({}, { ...message, instructions }), MINT).accountActions;
  const KEY_BYTES = new Uint8Array(32).fill(7);
  const keyText = bs58.encode(KEY_BYTES);

  const CLOSE = 'close-authority-changed';
  it.each([
    ['approve', [4, 5], [0, 2, 4], 'delegate-approved', 'delegate'],
    ['approveChecked', [13, 5], [0, 4, 2], 'delegate-approved', 'delegate'],
    ['setAuthority of the owner', [6, 2, 1, ...KEY_BYTES], [0, 4], 'owner-changed', keyText],
    [
      'setAuthority with trailing bytes',
      [6, 3, 1, ...KEY_BYTES, ...new Uint8Array(900)],
      [0, 4],
      CLOSE,
      keyText,
    ],
    ['setAuthority that removes the authority', [6, 3, 0], [0, 4], CLOSE, null],
    ['closeAccount', [9], [0, 2, 4], 'account-closed', null],
    ['a batch of closeAccount', [255, 3, 1, 9], [0, 2, 4], 'account-closed', null],
    ['a batch in a batch', [255, 1, 2, 3, 8, 3, 6, 255, 3, 3, 6, 3, 0], [4, 0, 2, 4], CLOSE, null],
  ])('are read, from either program: %s', (_name, data, accounts, kind, address) => {
    expect(actionsOf(call(data, accounts))).toEqual([{ kind, accountIndex: 0, address }]);
    expect(actionsOf(call(data, accounts, 3))).toEqual([{ kind, accountIndex: 0, address }]);
  });

  it.each([
    ['transfer', [3, 5, 0, 0, 0, 0, 0, 0, 0]],
    ['revoke', [5]],
    ["setAuthority of a mint's authority", [6, 0, 1, ...KEY_BYTES]],
    ['no data', []],
  ])('are skipped if they raise no alarm: %s', (_name, data) => {
    expect(actionsOf(call(data, [0, 4, 2]))).toEqual([]);
  });

  it('are not read if another program is called with the same bytes', () => {
    expect(actionsOf(call([9], [0, 2, 4], 2))).toEqual([]);
  });

  it.each([
    ['setAuthority with a truncated key', call([6, 2, 1, 7, 7], [0, 4])],
    ['setAuthority that neither sets nor removes', call([6, 2, 2, ...KEY_BYTES], [0, 4])],
    ['setAuthority that ends too early', call([6, 2], [0, 4])],
    ['approve without a delegate', call([4, 5], [0])],
    ['closeAccount of nothing', call([9], [])],
    ['a truncated batch', call([255, 1, 4, 9], [0])],
    ['a batch that ends within a header', call([255, 1, 1, 9, 1], [0])],
    ['a batch with fewer accounts than it declares', call([255, 2, 1, 9], [0])],
  ])('that the programs would have rejected make the transaction undecodable: %s', (_what, instruction) => {
    expect(() => actionsOf(instruction)).toThrow(UndecodableTransactionError);
  });
});

describe('an answer that is not a transaction with its balances', () => {
  it.each([
    ['not an object', 'nothing'],
    ['no meta', { ...answer({}), meta: null }],
    ['no list of balances, not even an empty one', answer({ preTokenBalances: null })],
    ['an amount that is not in base units', answer({ postTokenBalances: [balance(0, '1.5')] })],
    ['an amount of more than 64 bits', answer({ postTokenBalances: [balance(0, `${2n ** 64n}`)] })],
    ['an account named twice', answer({}, { accountKeys: ['key-0', 'key-1', 'key-0'] })],
    ['a negative amount', answer({ postTokenBalances: [balance(0, '-1')] })],
    ['an account index beyond the accounts', answer({ postTokenBalances: [balance(7, '1')] })],
    ['two balances of an account', answer({ postTokenBalances: [balance(0, '1'), balance(0, '2')] })],
    [
      'no signature',
      { ...answer({}), transaction: { signatures: [], message: { accountKeys: [], instructions: [] } } },
    ],
    ['a slot that is not a number', { ...answer({}), slot: '9' }],
  ])('is rejected: %s', (_what, result) => {
    expect(() => decodeTransaction(result, MINT)).toThrow(UndecodableTransactionError);
  });

  it('causes no other error, for any value', () => {
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
