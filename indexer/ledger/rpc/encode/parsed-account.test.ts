import { AccountLayout, AccountState, MintLayout, MultisigLayout } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../programs.ts';
import { parseAccount } from './parsed-account.ts';

const key = (fill: number): PublicKey => new PublicKey(new Uint8Array(32).fill(fill));
const [mint, owner, other] = [key(1), key(2), key(3)];
const decimalsOf = (address: string): number | null => (address === mint.toBase58() ? 6 : null);

const BASE = {
  mint,
  owner,
  amount: 1_500_000n,
  delegateOption: 0 as const,
  delegate: PublicKey.default,
  delegatedAmount: 0n,
  state: AccountState.Initialized,
  isNativeOption: 0 as const,
  isNative: 0n,
  closeAuthorityOption: 0 as const,
  closeAuthority: PublicKey.default,
};

function encode<T>(
  layout: { readonly span: number; encode(value: T, bytes: Uint8Array): number },
  value: T,
): Uint8Array {
  const bytes = Buffer.alloc(layout.span);
  layout.encode(value, bytes);
  return bytes;
}

/** A Token-2022 account: base, padding to 165, kind, records of type, length and value. */
function extended(
  base: Uint8Array,
  kind: number,
  records: readonly [type: number, value: Uint8Array][],
): Uint8Array {
  const padded = Buffer.alloc(166);
  padded.set(base);
  padded[165] = kind;
  const tail = records.map(([type, value]) => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(type);
    head.writeUInt16LE(value.length, 2);
    return Buffer.concat([head, value]);
  });
  return Buffer.concat([padded, ...tail]);
}

function parse(data: Uint8Array, program = TOKEN_PROGRAM): object | null {
  return parseAccount({ lamports: 1n, owner: program, executable: false, data }, decimalsOf);
}

const AMOUNT = { amount: '1500000', decimals: 6, uiAmount: 1.5, uiAmountString: '1.5' };

describe('token accounts', () => {
  it('have no member for what they do not have', () => {
    expect(parse(encode(AccountLayout, BASE))).toEqual({
      program: 'spl-token',
      space: 165,
      parsed: {
        type: 'account',
        info: {
          isNative: false,
          mint: mint.toBase58(),
          owner: owner.toBase58(),
          state: 'initialized',
          tokenAmount: AMOUNT,
        },
      },
    });
  });

  it('name the delegate, the close authority, the rent of wrapped SOL and the freeze', () => {
    const account = {
      ...BASE,
      delegateOption: 1 as const,
      delegate: other,
      delegatedAmount: 500_000n,
      isNativeOption: 1 as const,
      isNative: 2_000_000n,
      closeAuthorityOption: 1 as const,
      closeAuthority: other,
      state: AccountState.Frozen,
    };
    expect(parse(encode(AccountLayout, account))).toMatchObject({
      parsed: {
        info: {
          isNative: true,
          state: 'frozen',
          delegate: other.toBase58(),
          delegatedAmount: { amount: '500000', uiAmountString: '0.5' },
          rentExemptReserve: { amount: '2000000' },
          closeAuthority: other.toBase58(),
        },
      },
    });
  });

  it('of Token-2022 list their extensions; what cannot be read is said so', () => {
    const records: [number, Uint8Array][] = [
      [7, new Uint8Array(0)],
      [8, Uint8Array.of(1)],
      [2, Uint8Array.of(5, 0, 0, 0, 0, 0, 0, 0)],
      [5, new Uint8Array(10)],
    ];
    expect(parse(extended(encode(AccountLayout, BASE), 2, records), TOKEN_2022_PROGRAM)).toMatchObject({
      program: 'spl-token-2022',
      parsed: {
        type: 'account',
        info: {
          extensions: [
            { extension: 'immutableOwner' },
            { extension: 'memoTransfer', state: { requireIncomingTransferMemos: true } },
            { extension: 'transferFeeAmount', state: { withheldAmount: 5n } },
            { extension: 'unparseableExtension' },
          ],
        },
      },
    });
  });

  it('have no parsed form without a mint that tells the decimals, and none before they are initialized', () => {
    expect(parse(encode(AccountLayout, { ...BASE, mint: other }))).toBeNull();
    expect(parse(encode(AccountLayout, { ...BASE, state: AccountState.Uninitialized }))).toBeNull();
  });
});

describe('mints and multisigs', () => {
  const state = {
    mintAuthorityOption: 1 as const,
    mintAuthority: owner,
    supply: 2n ** 64n - 1n,
    decimals: 6,
    isInitialized: true,
    freezeAuthorityOption: 0 as const,
    freezeAuthority: PublicKey.default,
  };

  it('a mint, null where an authority is given up', () => {
    const info = {
      decimals: 6,
      freezeAuthority: null,
      isInitialized: true,
      mintAuthority: owner.toBase58(),
      supply: '18446744073709551615',
    };
    const data = encode(MintLayout, state);
    expect(parse(data)).toEqual({ program: 'spl-token', space: 82, parsed: { type: 'mint', info } });
    expect(parse(extended(data, 1, [[9, new Uint8Array(0)]]), TOKEN_2022_PROGRAM)).toMatchObject({
      parsed: { type: 'mint', info: { ...info, extensions: [{ extension: 'nonTransferable' }] } },
    });
    expect(parse(encode(MintLayout, { ...state, isInitialized: false }))).toBeNull();
  });

  it('a multisig', () => {
    const none = PublicKey.default;
    const data = encode(MultisigLayout, {
      m: 1,
      n: 2,
      isInitialized: true,
      signer1: owner,
      signer2: other,
      signer3: none,
      signer4: none,
      signer5: none,
      signer6: none,
      signer7: none,
      signer8: none,
      signer9: none,
      signer10: none,
      signer11: none,
    });
    expect(parse(data)).toMatchObject({
      parsed: {
        type: 'multisig',
        info: { numRequiredSigners: 1, numValidSigners: 2, signers: [owner.toBase58(), other.toBase58()] },
      },
    });
  });
});

describe('any other account', () => {
  it('of another program has no parsed form, whatever its data look like', () => {
    expect(parse(encode(AccountLayout, BASE), SYSTEM_PROGRAM)).toBeNull();
  });

  it('of a token program never fails to be read, whatever its bytes', () => {
    const lengths = fc.constantFrom(0, 1, 82, 165, 166, 170, 200, 355);
    fc.assert(
      fc.property(
        lengths.chain((length) => fc.uint8Array({ minLength: length, maxLength: length })),
        fc.constantFrom(TOKEN_PROGRAM, TOKEN_2022_PROGRAM),
        (data, program) => {
          const parsed = parseAccount({ lamports: 0n, owner: program, executable: false, data }, () => 6);
          expect(parsed === null || 'parsed' in parsed).toBe(true);
        },
      ),
    );
  });
});
