import { PublicKey } from '@solana/web3.js';

/** Program addresses that the indexer knows, and the addresses that Streamflow's staking program derives. */
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const STAKE_PROGRAM = 'STAKEvGqQTtzJZH6BWDcbpzXXn2BBerPAgQ3EGLN2GH';

const STAKE_PROGRAM_KEY = new PublicKey(STAKE_PROGRAM);

function derive(seeds: readonly (string | Uint8Array)[]): string {
  const bytes = seeds.map((seed) => (typeof seed === 'string' ? Buffer.from(seed) : seed));
  return PublicKey.findProgramAddressSync(bytes, STAKE_PROGRAM_KEY)[0].toBase58();
}

/**
 * The token account that holds what is staked in a pool. Source: `deriveStakeVaultPDA` of
 * @streamflow/staking.
 */
export function stakeVaultAddress(stakePool: string): string {
  return derive(['stake-vault', new PublicKey(stakePool).toBytes()]);
}

/** A wallet's stake entry in a pool. Source: `deriveStakeEntryPDA` of @streamflow/staking. */
export function stakeEntryAddress(stakePool: string, authority: string, nonce: number): string {
  const nonceBytes = Buffer.alloc(4);
  nonceBytes.writeUInt32LE(nonce);
  return derive([
    'stake-entry',
    new PublicKey(stakePool).toBytes(),
    new PublicKey(authority).toBytes(),
    nonceBytes,
  ]);
}

/** Whether a text is the base58 of exactly 32 bytes. */
export function isAddress(text: string): boolean {
  try {
    return new PublicKey(text).toBase58() === text;
  } catch {
    return false;
  }
}
