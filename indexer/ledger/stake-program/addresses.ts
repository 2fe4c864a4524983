import { PublicKey } from '@solana/web3.js';
import { keyBytes } from '../base58-cache.ts';
import { ASSOCIATED_TOKEN_PROGRAM, STAKE_PROGRAM } from '../programs.ts';

const CACHE_LIMIT = 20_000;
const cache = new Map<string, string>();

/** Stake pool: seeds `stake-pool`, mint, creator, nonce u8 (Streamflow IDL 2.4.0). */
export function stakePoolAddress(mint: string, creator: string, nonce: number): string {
  return derived(STAKE_PROGRAM, ['stake-pool', keyBytes(mint), keyBytes(creator), Uint8Array.of(nonce)]);
}

/** Bump of the stake pool's address: the pool stores it. */
export function stakePoolBump(mint: string, creator: string, nonce: number): number {
  return PublicKey.findProgramAddressSync(
    [Buffer.from('stake-pool'), keyBytes(mint), keyBytes(creator), Uint8Array.of(nonce)],
    new PublicKey(STAKE_PROGRAM),
  )[1];
}

/** Token account that holds what is staked: seeds `stake-vault`, pool. */
export function stakeVaultAddress(pool: string): string {
  return derived(STAKE_PROGRAM, ['stake-vault', keyBytes(pool)]);
}

/** Mint of the receipt tokens: seeds `stake-mint`, pool. */
export function stakeMintAddress(pool: string): string {
  return derived(STAKE_PROGRAM, ['stake-mint', keyBytes(pool)]);
}

/** Stake entry: seeds `stake-entry`, pool, authority, nonce u32 little-endian. */
export function stakeEntryAddress(pool: string, authority: string, nonce: number): string {
  const nonceBytes = Buffer.alloc(4);
  nonceBytes.writeUInt32LE(nonce);
  return derived(STAKE_PROGRAM, ['stake-entry', keyBytes(pool), keyBytes(authority), nonceBytes]);
}

/** Account that may pay for an entry's rent: seed `rent-sponsor`. */
export function rentSponsorAddress(): string {
  return derived(STAKE_PROGRAM, ['rent-sponsor']);
}

/** Associated token account: seeds owner, token program, mint. */
export function associatedTokenAddress(owner: string, mint: string, tokenProgram: string): string {
  return derived(ASSOCIATED_TOKEN_PROGRAM, [keyBytes(owner), keyBytes(tokenProgram), keyBytes(mint)]);
}

function derived(program: string, seeds: readonly (string | Uint8Array)[]): string {
  const parts = seeds.map((seed) => Buffer.from(seed));
  const id = `${program}:${Buffer.concat(parts).toString('base64')}`;
  const known = cache.get(id);
  if (known !== undefined) return known;
  if (cache.size >= CACHE_LIMIT) cache.clear();
  const address = PublicKey.findProgramAddressSync(parts, new PublicKey(program))[0].toBase58();
  cache.set(id, address);
  return address;
}
