import { AccountLayout, MintLayout } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { deriveStakeVaultPDA } from '@streamflow/staking';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import {
  decodeMint,
  decodeOwnerAndAmount,
  decodeTokenAccount,
  isAddress,
  OWNER_AND_AMOUNT,
  stakeVaultAddress,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './accounts.ts';

const publicKey = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new PublicKey(bytes));
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const NOBODY = new PublicKey(new Uint8Array(32));

function tokenAccountBytes(mint: PublicKey, owner: PublicKey, amount: bigint, state = 1): Uint8Array {
  const bytes = new Uint8Array(AccountLayout.span);
  const noAuthorities = {
    delegateOption: 0 as const,
    delegate: NOBODY,
    delegatedAmount: 0n,
    closeAuthorityOption: 0 as const,
  };
  const notNative = { isNativeOption: 0 as const, isNative: 0n, closeAuthority: NOBODY };
  AccountLayout.encode({ mint, owner, amount, state, ...noAuthorities, ...notNative }, bytes);
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

function withAccountType(data: Uint8Array, accountType: number): Uint8Array {
  const bytes = new Uint8Array(200);
  bytes.set(data);
  bytes[165] = accountType;
  return bytes;
}

describe('token accounts and mints, tested against @solana/spl-token', () => {
  it('are decoded from the bytes that the library encodes, for either token program', () => {
    fc.assert(
      fc.property(publicKey, publicKey, u64, (mint, owner, amount) => {
        const data = tokenAccountBytes(mint, owner, amount);
        const expected = { mint: mint.toBase58(), owner: owner.toBase58(), amount, delegate: null };
        expect(decodeTokenAccount({ owner: TOKEN_PROGRAM, data })).toEqual(expected);
        expect(decodeTokenAccount({ owner: TOKEN_2022_PROGRAM, data: withAccountType(data, 2) })).toEqual(
          expected,
        );
      }),
    );
    fc.assert(
      fc.property(u64, fc.nat(255), (supply, decimals) => {
        const data = mintBytes(supply, decimals);
        expect(decodeMint({ owner: TOKEN_PROGRAM, data })).toEqual({ supply, decimals });
        expect(decodeMint({ owner: TOKEN_2022_PROGRAM, data: withAccountType(data, 1) })).toEqual({
          supply,
          decimals,
        });
      }),
    );
  });

  it('yield owner and amount from the slice that holds both, and from no other slice', () => {
    const { offset, length } = OWNER_AND_AMOUNT;
    fc.assert(
      fc.property(publicKey, publicKey, u64, (mint, owner, amount) => {
        const data = tokenAccountBytes(mint, owner, amount);
        const slice = data.subarray(offset, offset + length);
        expect(decodeOwnerAndAmount(slice)).toEqual({ owner: owner.toBase58(), amount });
        expect(decodeOwnerAndAmount(data)).toBeNull();
        expect(decodeOwnerAndAmount(slice.subarray(1))).toBeNull();
      }),
    );
  });

  it('are decoded only if the kind matches, a token program owns them and they are initialized', () => {
    const tokenAccount = tokenAccountBytes(NOBODY, NOBODY, 5n);
    const mint = mintBytes(5n, 6);
    expect(decodeMint({ owner: TOKEN_PROGRAM, data: tokenAccount })).toBeNull();
    expect(decodeTokenAccount({ owner: TOKEN_PROGRAM, data: mint })).toBeNull();
    expect(decodeTokenAccount({ owner: TOKEN_2022_PROGRAM, data: withAccountType(mint, 1) })).toBeNull();
    expect(decodeMint({ owner: TOKEN_2022_PROGRAM, data: withAccountType(tokenAccount, 2) })).toBeNull();
    expect(decodeTokenAccount({ owner: TOKEN_PROGRAM, data: withAccountType(tokenAccount, 2) })).toBeNull();
    expect(decodeTokenAccount({ owner: STAKING_PROGRAM, data: tokenAccount })).toBeNull();
    expect(
      decodeTokenAccount({ owner: TOKEN_PROGRAM, data: tokenAccountBytes(NOBODY, NOBODY, 0n, 0) }),
    ).toBeNull();
    expect(decodeMint({ owner: TOKEN_PROGRAM, data: mintBytes(0n, 6, false) })).toBeNull();
  });
});

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bs58.encode(bytes));
const program = new PublicKey(STAKING_PROGRAM);

it('the address of a pool’s vault equals that of @streamflow/staking', () => {
  fc.assert(
    fc.property(key, (pool) => {
      const vault = deriveStakeVaultPDA(program, new PublicKey(pool));
      expect(stakeVaultAddress(pool)).toBe(vault.toBase58());
    }),
  );
});

describe('an address', () => {
  it('is valid only if it is 32 bytes in base58', () => {
    const bytes = fc.uint8Array({ minLength: 0, maxLength: 40 });
    fc.assert(
      fc.property(bytes, (content) => {
        expect(isAddress(bs58.encode(content))).toBe(content.length === 32);
      }),
    );
    for (const text of ['', '0'.repeat(44), 'no key', ` ${STAKING_PROGRAM}`, `${STAKING_PROGRAM}1`]) {
      expect(isAddress(text)).toBe(false);
    }
  });
});
