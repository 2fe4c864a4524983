import { PublicKey } from '@solana/web3.js';
import { deriveStakeEntryPDA, deriveStakeVaultPDA } from '@streamflow/staking';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAddress, STAKE_PROGRAM, stakeEntryAddress, stakeVaultAddress } from './addresses.ts';

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bs58.encode(bytes));
const program = new PublicKey(STAKE_PROGRAM);

describe('addresses that the staking program derives', () => {
  it('are those that @streamflow/staking derives, for whichever pool, wallet and nonce', () => {
    fc.assert(
      fc.property(key, key, fc.nat({ max: 2 ** 32 - 1 }), (pool, wallet, nonce) => {
        const poolKey = new PublicKey(pool);
        expect(stakeVaultAddress(pool)).toBe(deriveStakeVaultPDA(program, poolKey).toBase58());
        expect(stakeEntryAddress(pool, wallet, nonce)).toBe(
          deriveStakeEntryPDA(program, poolKey, new PublicKey(wallet), nonce).toBase58(),
        );
      }),
    );
  });
});

describe('an address', () => {
  it('is the base58 of 32 bytes, and nothing else is', () => {
    const bytes = fc.uint8Array({ minLength: 0, maxLength: 40 });
    fc.assert(
      fc.property(bytes, (of) => {
        expect(isAddress(bs58.encode(of))).toBe(of.length === 32);
      }),
    );
    for (const text of ['', '0'.repeat(44), 'no key', ` ${STAKE_PROGRAM}`, `${STAKE_PROGRAM}1`]) {
      expect(isAddress(text)).toBe(false);
    }
  });
});
