import { createHash } from 'node:crypto';
import {
  type AccountInfo,
  type Connection,
  type GetProgramAccountsResponse,
  PublicKey,
} from '@solana/web3.js';
import bs58 from 'bs58';

/** Layout of a token account: SPL Token `state.rs`; mint, owner, amount. */
const MINT_AT = 0;
const OWNER_AT = 32;
const KEY_BYTES = 32;
const SPL_TOKEN_ACCOUNT_BYTES = 165;

/** The number of wallets that hold BD, at a slot. */
export interface ChainHolders {
  readonly slot: number;
  readonly wallets: number;
}

/**
 * Counts the owners of token accounts with an amount and the wallets with an open stake, each once, without the owners of
 * the vault and of the stake pool's vault.
 * @returns null if the endpoint does not list the token accounts of a mint
 */
export async function readHolders(
  connection: Connection,
  { mint, vault }: ChainAddresses,
  { poolVault, openEntries }: Pick<ChainAccounts, 'poolVault' | 'openEntries'>,
): Promise<ChainHolders | null> {
  const listed = await listTokenAccounts(connection, mint);
  if (listed === null) return null;
  const rows = listed.value.map(({ pubkey, account }) => ({
    address: pubkey.toBase58(),
    owner: new PublicKey(account.data.subarray(0, KEY_BYTES)).toBase58(),
    amount: account.data.readBigUInt64LE(KEY_BYTES),
  }));
  const ofPortal = rows
    .filter(({ address }) => [vault, poolVault].includes(address))
    .map(({ owner }) => owner);
  const holding = rows.filter(({ amount, owner }) => amount > 0n && !ofPortal.includes(owner));
  const wallets = [...holding.map(({ owner }) => owner), ...openEntries.map(({ wallet }) => wallet)];
  return { slot: listed.context.slot, wallets: new Set(wallets).size };
}

/** The amounts in wallets' token accounts of the mint, in base units. */
export async function readHoldings(
  connection: Connection,
  mint: string,
  wallets: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const held = wallets.map(async (wallet) => {
    const of = { mint: new PublicKey(mint) };
    const { value } = await connection.getTokenAccountsByOwner(new PublicKey(wallet), of, 'confirmed');
    const amounts = value.map(({ account }) => account.data.readBigUInt64LE(OWNER_AT + KEY_BYTES));
    return [wallet, amounts.reduce((sum, amount) => sum + amount, 0n)] as const;
  });
  return new Map(await Promise.all(held));
}

interface Listed {
  readonly context: { readonly slot: number };
  readonly value: GetProgramAccountsResponse;
}

async function listTokenAccounts(connection: Connection, mint: string): Promise<Listed | null> {
  const program = (await connection.getAccountInfo(new PublicKey(mint), 'confirmed'))?.owner;
  if (!program) return null;
  const isSplToken = program.toBase58() === SPL_TOKEN;
  try {
    return await connection.getProgramAccounts(program, {
      commitment: 'confirmed',
      withContext: true,
      dataSlice: { offset: OWNER_AT, length: KEY_BYTES + 8 },
      filters: [
        ...(isSplToken ? [{ dataSize: SPL_TOKEN_ACCOUNT_BYTES }] : []),
        { memcmp: { offset: MINT_AT, bytes: mint } },
      ],
    });
  } catch {
    // Many endpoints refuse such a listing or time out: the figure is then not compared.
    return null;
  }
}

/** The portal or the chain cannot be read. The message names hosts only. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/**
 * The accounts, decoded from their bytes. Verification shares no code with the indexer, so that each detects mistakes of the
 * other. Layouts: SPL Token `state.rs`, and Streamflow's IDL.
 */

export interface ChainAddresses {
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

export interface ChainAccounts {
  readonly slot: number;
  readonly decimals: number;
  readonly supply: bigint;
  /** Null if there is no such account, as after closing it. */
  readonly vaultAmount: bigint | null;
  readonly vaultLamports: number | null;
  readonly poolVault: string;
  readonly poolVaultAmount: bigint;
  readonly totalStake: bigint;
  readonly openEntries: readonly OpenEntry[];
  /** Accounts that are listed as stake entries but are too short to be. */
  readonly unreadEntries: number;
}

export const STREAMFLOW = 'STAKEvGqQTtzJZH6BWDcbpzXXn2BBerPAgQ3EGLN2GH';
export const SPL_TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
/** The members of a stake entry; reserved bytes may follow. */
const ENTRY_BYTES = 182;
const SAME_SLOT_ATTEMPTS = 20;

/** Anchor's eight-byte discriminator of an account or an instruction. */
export function anchorTag(space: 'account' | 'global', name: string): Buffer {
  return createHash('sha256').update(`${space}:${name}`).digest().subarray(0, 8);
}

/**
 * Mint, vault, pool and open stake entries at one slot.
 * @throws {UnreadableError} if an account is missing or too short, or the accounts are not read at one slot
 */
export async function readAccounts(
  connection: Connection,
  addresses: ChainAddresses,
): Promise<ChainAccounts> {
  const { mint, vault, stakePool } = addresses;
  const keys = [mint, vault, stakePool].map((address) => new PublicKey(address));
  let poolVaultKey: PublicKey | null = null;
  const program = new PublicKey(STREAMFLOW);
  const filters = [
    { memcmp: { offset: 0, bytes: bs58.encode(anchorTag('account', 'StakeEntry')) } },
    { memcmp: { offset: 12, bytes: stakePool } },
  ];
  for (let attempt = 0; attempt < SAME_SLOT_ATTEMPTS; attempt += 1) {
    const [accounts, listed] = await Promise.all([
      connection.getMultipleAccountsInfoAndContext(
        [...keys, ...(poolVaultKey ? [poolVaultKey] : [])],
        'confirmed',
      ),
      connection.getProgramAccounts(program, { commitment: 'confirmed', filters, withContext: true }),
    ]);
    const [mintAccount, vaultAccount, poolAccount, poolVaultAccount] = accounts.value;
    const mintData = sized(mintAccount, 82, 'BD_MINT').data;
    const vaultFound = vaultAccount && sized(vaultAccount, 165, 'BD_VAULT');
    const poolData = sized(poolAccount, 291, 'BD_STAKE_POOL').data;
    const poolVault = keyAt(poolData, 139);
    // The first reading yields the address of the pool's vault.
    const isWhole = poolVaultKey?.toBase58() === poolVault;
    poolVaultKey = new PublicKey(poolVault);
    if (!isWhole || accounts.context.slot !== listed.context.slot) continue;
    const entries = listed.value.filter(({ account }) => account.data.length >= ENTRY_BYTES);
    return {
      slot: accounts.context.slot,
      supply: mintData.readBigUInt64LE(36),
      decimals: mintData.readUInt8(44),
      vaultAmount: vaultFound?.data.readBigUInt64LE(64) ?? null,
      vaultLamports: vaultFound?.lamports ?? null,
      poolVault,
      poolVaultAmount: sized(poolVaultAccount, 165, 'BD_STAKE_POOL').data.readBigUInt64LE(64),
      totalStake: poolData.readBigUInt64LE(203),
      unreadEntries: listed.value.length - entries.length,
      openEntries: entries
        .map(({ pubkey, account }) => ({ address: pubkey.toBase58(), data: account.data }))
        .filter(({ data }) => data.readBigUInt64LE(148) === 0n)
        .map(openEntry),
    };
  }
  throw new UnreadableError(
    'The endpoint did not return all accounts at one slot. Try again, or name another endpoint with --rpc.',
  );
}

function sized(account: AccountInfo<Buffer> | null | undefined, bytes: number, variable: string) {
  if (account && account.data.length >= bytes) return account;
  throw new UnreadableError(
    `${variable} does not name such an account on this chain. Check that --rpc is an endpoint of the portal's chain.`,
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
