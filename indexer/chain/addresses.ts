import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';
import { KEY_BYTES } from './account-keys.ts';

/** Program addresses that the indexer knows, and the addresses that Streamflow's staking program derives. */
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const STAKE_PROGRAM = 'STAKEvGqQTtzJZH6BWDcbpzXXn2BBerPAgQ3EGLN2GH';

/** Ends what is hashed for an address of a program, so that no other hash can be one. */
const MARKER = 'ProgramDerivedAddress';

/**
 * An address that only a program can sign for: the first hash, counting down, that is no point of the curve and so has no
 * key. Source: `find_program_address` of the Solana SDK. Not by way of web3.js, which the indexer needs for nothing else
 * and which would be a fifth of what its programs take in memory.
 */
function derive(seeds: readonly (string | Uint8Array)[]): string {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const address = hash
      .update(Uint8Array.of(bump))
      .update(bs58.decode(STAKE_PROGRAM))
      .update(MARKER)
      .digest();
    if (!isOnCurve(address)) return bs58.encode(address);
  }
  throw new RangeError('no bump leads to an address');
}

function isOnCurve(key: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(key);
    return true;
  } catch {
    return false;
  }
}

/**
 * The token account that holds what is staked in a pool. Source: `deriveStakeVaultPDA` of
 * @streamflow/staking.
 */
export function stakeVaultAddress(stakePool: string): string {
  return derive(['stake-vault', bs58.decode(stakePool)]);
}

/** A wallet's stake entry in a pool. Source: `deriveStakeEntryPDA` of @streamflow/staking. */
export function stakeEntryAddress(stakePool: string, authority: string, nonce: number): string {
  const nonceBytes = Buffer.alloc(4);
  nonceBytes.writeUInt32LE(nonce);
  return derive(['stake-entry', bs58.decode(stakePool), bs58.decode(authority), nonceBytes]);
}

/** Whether a text is the base58 of exactly 32 bytes. */
export function isAddress(text: string): boolean {
  // 32 bytes have at most 44 digits: what is longer is not worth decoding.
  return text.length <= 44 && bs58.decodeUnsafe(text)?.length === KEY_BYTES;
}
