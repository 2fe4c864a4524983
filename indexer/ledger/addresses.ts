import { createHash } from 'node:crypto';
import { type Keypair, PublicKey } from '@solana/web3.js';
import { LEDGER_SEED_PREFIX } from '../../data/model/demo-wallets.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { TOKEN_PROGRAM } from '../chain/accounts.ts';
import { keyBytes } from './base58-cache.ts';
import { keypairOf } from './ed25519.ts';
import { ASSOCIATED_TOKEN_PROGRAM } from './programs.ts';

const CACHE_LIMIT = 20_000;
/** Caches derived addresses, because deriving one takes many hashes. */
const cache = new Map<string, string>();

/** The stake pool: seeds `stake-pool`, mint, creator, nonce u8 (Streamflow IDL 2.4.0). */
export function stakePoolAddress(mint: string, creator: string, nonce: number): string {
  return deriveCached(STAKING_PROGRAM, [
    'stake-pool',
    keyBytes(mint),
    keyBytes(creator),
    Uint8Array.of(nonce),
  ]);
}

/** The bump seed of the pool's address. The pool account stores it. */
export function stakePoolBump(mint: string, creator: string, nonce: number): number {
  return PublicKey.findProgramAddressSync(
    [Buffer.from('stake-pool'), keyBytes(mint), keyBytes(creator), Uint8Array.of(nonce)],
    new PublicKey(STAKING_PROGRAM),
  )[1];
}

/** The token account that holds the staked tokens: seeds `stake-vault`, pool. */
export function stakeVaultAddress(pool: string): string {
  return deriveCached(STAKING_PROGRAM, ['stake-vault', keyBytes(pool)]);
}

/** The mint of the receipt tokens: seeds `stake-mint`, pool. */
export function stakeMintAddress(pool: string): string {
  return deriveCached(STAKING_PROGRAM, ['stake-mint', keyBytes(pool)]);
}

/** A stake entry: seeds `stake-entry`, pool, authority, nonce u32 little-endian. */
export function stakeEntryAddress(pool: string, authority: string, nonce: number): string {
  const nonceBytes = Buffer.alloc(4);
  nonceBytes.writeUInt32LE(nonce);
  return deriveCached(STAKING_PROGRAM, ['stake-entry', keyBytes(pool), keyBytes(authority), nonceBytes]);
}

/** The account that may pay an entry's rent: seed `rent-sponsor`. */
export function rentSponsorAddress(): string {
  return deriveCached(STAKING_PROGRAM, ['rent-sponsor']);
}

/** An associated token account: seeds owner, token program, mint. */
export function associatedTokenAddress(owner: string, mint: string, tokenProgram: string): string {
  return deriveCached(ASSOCIATED_TOKEN_PROGRAM, [keyBytes(owner), keyBytes(tokenProgram), keyBytes(mint)]);
}

function deriveCached(program: string, seeds: readonly (string | Uint8Array)[]): string {
  const parts = seeds.map((seed) => Buffer.from(seed));
  const id = `${program}:${Buffer.concat(parts).toString('base64')}`;
  const cached = cache.get(id);
  if (cached !== undefined) return cached;
  if (cache.size >= CACHE_LIMIT) cache.clear();
  const address = PublicKey.findProgramAddressSync(parts, new PublicKey(program))[0].toBase58();
  cache.set(id, address);
  return address;
}

const keypairs = new Map<string, Keypair>();

export const FAUCET_NAME = 'faucet';

export const HOLDER_NAMES: readonly string[] = Array.from({ length: 24 }, (_, at) => `holder-${at + 1}`);

/** The keypair of a named wallet of the embedded ledger. Anyone can derive it; it is for development only. */
export function ledgerKeypair(name: string): Keypair {
  const cached = keypairs.get(name);
  if (cached !== undefined) return cached;
  const keypair = keypairOf(
    createHash('sha256')
      .update(LEDGER_SEED_PREFIX + name)
      .digest(),
  );
  keypairs.set(name, keypair);
  return keypair;
}

export function ledgerAddress(name: string): string {
  return ledgerKeypair(name).publicKey.toBase58();
}

export const BD_DECIMALS = 6;
/** The nonce of the ledger's only pool. A creator can have several pools, each with its own nonce. */
export const STAKE_POOL_NONCE = 0;

const mint = ledgerAddress('mint');
const creator = ledgerAddress('creator');
const vaultOwner = ledgerAddress('vault-owner');
const stakePool = stakePoolAddress(mint, creator, STAKE_POOL_NONCE);

export const LEDGER = {
  mint,
  creator,
  vaultOwner,
  vault: associatedTokenAddress(vaultOwner, mint, TOKEN_PROGRAM),
  stakeProgram: STAKING_PROGRAM,
  stakePool,
  stakeVault: stakeVaultAddress(stakePool),
  stakeMint: stakeMintAddress(stakePool),
} as const;
