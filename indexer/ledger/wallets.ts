import { createHash } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { LEDGER_SEED_PREFIX } from '../../data/model/demo-wallets.ts';

const keypairs = new Map<string, Keypair>();

/** Holders that the genesis makes. */
export const HOLDER_NAMES: readonly string[] = Array.from(
  { length: 24 },
  (_, index) => `holder-${index + 1}`,
);

/**
 * The keypair of a named wallet of the embedded ledger. Anyone can derive it: these wallets are for development, and
 * hold nothing on any other cluster.
 */
export function ledgerKeypair(name: string): Keypair {
  const known = keypairs.get(name);
  if (known !== undefined) return known;
  const keypair = Keypair.fromSeed(
    createHash('sha256')
      .update(LEDGER_SEED_PREFIX + name)
      .digest(),
  );
  keypairs.set(name, keypair);
  return keypair;
}

/** Address of a named wallet, base58. */
export function ledgerAddress(name: string): string {
  return ledgerKeypair(name).publicKey.toBase58();
}
