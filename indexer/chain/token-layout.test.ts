import { AccountLayout, MintLayout } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STAKE_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';
import { decodeMint, decodeOwnerAndAmount, decodeTokenAccount, OWNER_AND_AMOUNT } from './token-layout.ts';

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new PublicKey(bytes));
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const NOBODY = new PublicKey(new Uint8Array(32));

function tokenAccountBytes(mint: PublicKey, owner: PublicKey, amount: bigint, state = 1): Uint8Array {
  const bytes = new Uint8Array(AccountLayout.span);
  const none = {
    delegateOption: 0 as const,
    delegate: NOBODY,
    delegatedAmount: 0n,
    closeAuthorityOption: 0 as const,
  };
  const plain = { isNativeOption: 0 as const, isNative: 0n, closeAuthority: NOBODY };
  AccountLayout.encode({ mint, owner, amount, state, ...none, ...plain }, bytes);
  return bytes;
}

function mintBytes(supply: bigint, decimals: number, isInitialized = true): Uint8Array {
  const bytes = new Uint8Array(MintLayout.span);
  const authorities = {
    mintAuthorityOption: 0 as const,
    mintAuthority: NOBODY,
    freezeAuthorityOption: 0 as const,
    freezeAuthority: NOBODY,
  };
  MintLayout.encode({ supply, decimals, isInitialized, ...authorities }, bytes);
  return bytes;
}

function extended(data: Uint8Array, accountType: number): Uint8Array {
  const bytes = new Uint8Array(200);
  bytes.set(data);
  bytes[165] = accountType;
  return bytes;
}

describe('token accounts and mints, held against @solana/spl-token', () => {
  it('read what the library wrote, in either token program', () => {
    fc.assert(
      fc.property(key, key, u64, (mint, owner, amount) => {
        const data = tokenAccountBytes(mint, owner, amount);
        const expected = { mint: mint.toBase58(), owner: owner.toBase58(), amount };
        expect(decodeTokenAccount({ owner: TOKEN_PROGRAM, data })).toEqual(expected);
        expect(decodeTokenAccount({ owner: TOKEN_2022_PROGRAM, data: extended(data, 2) })).toEqual(expected);
      }),
    );
    fc.assert(
      fc.property(u64, fc.nat(255), (supply, decimals) => {
        const data = mintBytes(supply, decimals);
        expect(decodeMint({ owner: TOKEN_PROGRAM, data })).toEqual({ supply, decimals });
        expect(decodeMint({ owner: TOKEN_2022_PROGRAM, data: extended(data, 1) })).toEqual({
          supply,
          decimals,
        });
      }),
    );
  });

  it('tell owner and amount by the slice that holds both, and nothing by another', () => {
    const { offset, length } = OWNER_AND_AMOUNT;
    fc.assert(
      fc.property(key, key, u64, (mint, owner, amount) => {
        const data = tokenAccountBytes(mint, owner, amount);
        const slice = data.subarray(offset, offset + length);
        expect(decodeOwnerAndAmount(slice)).toEqual({ owner: owner.toBase58(), amount });
        expect(decodeOwnerAndAmount(data)).toBeNull();
        expect(decodeOwnerAndAmount(slice.subarray(1))).toBeNull();
      }),
    );
  });

  it('are never taken for each other, nor for an account of another program or one not initialized', () => {
    const tokens = tokenAccountBytes(NOBODY, NOBODY, 5n);
    const mint = mintBytes(5n, 6);
    expect(decodeMint({ owner: TOKEN_PROGRAM, data: tokens })).toBeNull();
    expect(decodeTokenAccount({ owner: TOKEN_PROGRAM, data: mint })).toBeNull();
    expect(decodeTokenAccount({ owner: TOKEN_2022_PROGRAM, data: extended(mint, 1) })).toBeNull();
    expect(decodeMint({ owner: TOKEN_2022_PROGRAM, data: extended(tokens, 2) })).toBeNull();
    expect(decodeTokenAccount({ owner: TOKEN_PROGRAM, data: extended(tokens, 2) })).toBeNull();
    expect(decodeTokenAccount({ owner: STAKE_PROGRAM, data: tokens })).toBeNull();
    expect(
      decodeTokenAccount({ owner: TOKEN_PROGRAM, data: tokenAccountBytes(NOBODY, NOBODY, 0n, 0) }),
    ).toBeNull();
    expect(decodeMint({ owner: TOKEN_PROGRAM, data: mintBytes(0n, 6, false) })).toBeNull();
  });
});
