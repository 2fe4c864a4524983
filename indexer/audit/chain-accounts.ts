import { createHash } from 'node:crypto';
import { type AccountInfo, type Connection, PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { AuditUnreachableError } from './audit-error.ts';

/**
 * The accounts, read anew from their bytes: this file shares no code with the indexer, so that a mistake of the one is
 * seen by the other. Layouts: SPL Token `state.rs`, and Streamflow's IDL.
 */

export interface AuditedAddresses {
  readonly mint: string;
  readonly vault: string;
  readonly stakePool: string;
}

export interface OpenEntry {
  readonly address: string;
  readonly wallet: string;
  readonly nonce: number;
  readonly amount: bigint;
  /** Unix seconds. */
  readonly startsAt: bigint;
  readonly unlocksAt: bigint;
}

export interface AuditedAccounts {
  readonly slot: number;
  readonly decimals: number;
  readonly supply: bigint;
  readonly vaultAmount: bigint;
  readonly vaultLamports: number;
  readonly poolVault: string;
  readonly poolVaultAmount: bigint;
  readonly totalStake: bigint;
  readonly openEntries: readonly OpenEntry[];
}

export const STREAMFLOW = 'STAKEvGqQTtzJZH6BWDcbpzXXn2BBerPAgQ3EGLN2GH';
const ENTRY_BYTES = 220;
const SAME_SLOT_TRIES = 20;

/** The first eight bytes by which Anchor tells accounts and instructions apart. */
export function anchorTag(space: 'account' | 'global', name: string): Buffer {
  return createHash('sha256').update(`${space}:${name}`).digest().subarray(0, 8);
}

/**
 * Mint, vault, pool and open stake entries at one slot.
 * @throws {AuditUnreachableError} where they are not what the configuration says, or change faster than they are read
 */
export async function readAccounts(
  connection: Connection,
  addresses: AuditedAddresses,
): Promise<AuditedAccounts> {
  const { mint, vault, stakePool } = addresses;
  const keys = [mint, vault, stakePool].map((address) => new PublicKey(address));
  let poolVaultKey: PublicKey | null = null;
  const program = new PublicKey(STREAMFLOW);
  const filters = [
    { dataSize: ENTRY_BYTES },
    { memcmp: { offset: 0, bytes: bs58.encode(anchorTag('account', 'StakeEntry')) } },
    { memcmp: { offset: 12, bytes: stakePool } },
  ];
  for (let attempt = 0; attempt < SAME_SLOT_TRIES; attempt += 1) {
    const [accounts, listed] = await Promise.all([
      connection.getMultipleAccountsInfoAndContext(
        [...keys, ...(poolVaultKey ? [poolVaultKey] : [])],
        'confirmed',
      ),
      connection.getProgramAccounts(program, { commitment: 'confirmed', filters, withContext: true }),
    ]);
    const [mintAccount, vaultAccount, poolAccount, poolVaultAccount] = accounts.value;
    const mintData = sized(mintAccount, 82, 'BD_MINT').data;
    const vaultData = sized(vaultAccount, 165, 'BD_VAULT').data;
    const poolData = sized(poolAccount, 291, 'BD_STAKE_POOL').data;
    const poolVault = keyAt(poolData, 139);
    // The first reading tells where the pool keeps its tokens.
    const isWhole = poolVaultKey?.toBase58() === poolVault;
    poolVaultKey = new PublicKey(poolVault);
    if (!isWhole || accounts.context.slot !== listed.context.slot) continue;
    return {
      slot: accounts.context.slot,
      supply: mintData.readBigUInt64LE(36),
      decimals: mintData.readUInt8(44),
      vaultAmount: vaultData.readBigUInt64LE(64),
      vaultLamports: sized(vaultAccount, 165, 'BD_VAULT').lamports,
      poolVault,
      poolVaultAmount: sized(poolVaultAccount, 165, 'BD_STAKE_POOL').data.readBigUInt64LE(64),
      totalStake: poolData.readBigUInt64LE(203),
      openEntries: listed.value
        .map(({ pubkey, account }) => ({ address: pubkey.toBase58(), data: account.data }))
        .filter(({ data }) => data.readBigUInt64LE(148) === 0n)
        .map(openEntry),
    };
  }
  throw new AuditUnreachableError(
    'The endpoint did not tell all accounts at one slot. Try again, or another with --rpc.',
  );
}

function sized(account: AccountInfo<Buffer> | null | undefined, bytes: number, variable: string) {
  if (account && account.data.length >= bytes) return account;
  throw new AuditUnreachableError(
    `${variable} names no such account on this chain. Is --rpc an endpoint of the chain that the portal follows?`,
  );
}

function keyAt(data: Buffer, offset: number): string {
  return bs58.encode(data.subarray(offset, offset + 32));
}

function openEntry({ address, data }: { readonly address: string; readonly data: Buffer }): OpenEntry {
  const startsAt = data.readBigUInt64LE(140);
  return {
    address,
    wallet: keyAt(data, 76),
    nonce: data.readUInt32LE(8),
    amount: data.readBigUInt64LE(108),
    startsAt,
    unlocksAt: startsAt + data.readBigUInt64LE(116),
  };
}
