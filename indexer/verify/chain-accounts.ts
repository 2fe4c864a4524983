import { createHash } from 'node:crypto';
import {
  type AccountInfo,
  type Connection,
  type GetProgramAccountsResponse,
  PublicKey,
  type RpcResponseAndContext,
} from '@solana/web3.js';
import bs58 from 'bs58';

// Verification shares no code with the indexer, so that it detects the indexer's mistakes.

/** Offsets in a token account (SPL Token `state.rs`): mint, owner, then the amount. */
const MINT_AT = 0;
const OWNER_AT = 32;
const KEY_BYTES = 32;
const SPL_TOKEN_ACCOUNT_BYTES = 165;

export interface ChainHolders {
  readonly slot: number;
  readonly walletCount: number;
}

/**
 * Counts the wallets that hold or stake BD, except the owners of the vault and of the stake pool's vault.
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
  const vaults = rows.filter(({ address }) => [vault, poolVault].includes(address));
  const vaultOwners = vaults.map(({ owner }) => owner);
  const holderRows = rows.filter(({ amount, owner }) => amount > 0n && !vaultOwners.includes(owner));
  const wallets = [...holderRows.map(({ owner }) => owner), ...openEntries.map(({ wallet }) => wallet)];
  return { slot: listed.context.slot, walletCount: new Set(wallets).size };
}

/** Reads how many base units of the mint each wallet holds in its token accounts. */
export async function readHoldings(
  connection: Connection,
  mint: string,
  wallets: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const filter = { mint: new PublicKey(mint) };
  const holdings = wallets.map(async (wallet) => {
    const { value } = await connection.getTokenAccountsByOwner(new PublicKey(wallet), filter, 'confirmed');
    const amounts = value.map(({ account }) => account.data.readBigUInt64LE(OWNER_AT + KEY_BYTES));
    return [wallet, amounts.reduce((sum, amount) => sum + amount, 0n)] as const;
  });
  return new Map(await Promise.all(holdings));
}

async function listTokenAccounts(
  connection: Connection,
  mint: string,
): Promise<RpcResponseAndContext<GetProgramAccountsResponse> | null> {
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
    // Many endpoints reject this call or time out. If the result is null, the number of holders is not compared.
    return null;
  }
}

/** The portal or the chain cannot be read. The message never contains an endpoint's full URL, only its host. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

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
  /** Null if the account does not exist, for example after it was closed. */
  readonly vaultAmount: bigint | null;
  readonly vaultLamports: number | null;
  readonly poolVault: string;
  readonly poolVaultAmount: bigint;
  readonly totalStake: bigint;
  readonly openEntries: readonly OpenEntry[];
  /** Accounts that have the discriminator of a stake entry but are too short to be a stake entry. */
  readonly unreadEntryCount: number;
}

export const STREAMFLOW = 'STAKEvGqQTtzJZH6BWDcbpzXXn2BBerPAgQ3EGLN2GH';
export const SPL_TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
/** The size of a stake entry's fields; reserved bytes may follow. */
const ENTRY_BYTES = 182;
const SAME_SLOT_ATTEMPTS = 20;

/** Anchor's eight-byte discriminator of an account or an instruction. */
export function anchorDiscriminator(space: 'account' | 'global', name: string): Buffer {
  return createHash('sha256').update(`${space}:${name}`).digest().subarray(0, 8);
}

/**
 * Reads the mint, vault, pool and open stake entries at one slot. Layouts: SPL Token `state.rs`, Streamflow's IDL.
 * @throws {UnreadableError} if an account is missing or too short, or if the accounts cannot be read at one slot
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
    { memcmp: { offset: 0, bytes: bs58.encode(anchorDiscriminator('account', 'StakeEntry')) } },
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
    const mintData = requireSize(mintAccount, 82, 'BD_MINT').data;
    const existingVault = vaultAccount && requireSize(vaultAccount, 165, 'BD_VAULT');
    const poolData = requireSize(poolAccount, 291, 'BD_STAKE_POOL').data;
    const poolVault = keyAt(poolData, 139);
    // The address of the pool's vault comes from the pool account, so the first attempt cannot read that vault.
    const isComplete = poolVaultKey?.toBase58() === poolVault;
    poolVaultKey = new PublicKey(poolVault);
    if (!isComplete || accounts.context.slot !== listed.context.slot) continue;
    const entries = listed.value.filter(({ account }) => account.data.length >= ENTRY_BYTES);
    return {
      slot: accounts.context.slot,
      supply: mintData.readBigUInt64LE(36),
      decimals: mintData.readUInt8(44),
      vaultAmount: existingVault?.data.readBigUInt64LE(64) ?? null,
      vaultLamports: existingVault?.lamports ?? null,
      poolVault,
      poolVaultAmount: requireSize(poolVaultAccount, 165, 'BD_STAKE_POOL').data.readBigUInt64LE(64),
      totalStake: poolData.readBigUInt64LE(203),
      unreadEntryCount: listed.value.length - entries.length,
      openEntries: entries
        .map(({ pubkey, account }) => ({ address: pubkey.toBase58(), data: account.data }))
        .filter(({ data }) => data.readBigUInt64LE(148) === 0n)
        .map(decodeOpenEntry),
    };
  }
  throw new UnreadableError(
    'The endpoint did not return all accounts at one slot. Try again, or specify another endpoint with --rpc.',
  );
}

function requireSize(account: AccountInfo<Buffer> | null | undefined, bytes: number, variable: string) {
  if (account && account.data.length >= bytes) return account;
  throw new UnreadableError(
    `${variable} is not the address of an account of the expected kind on this chain. Check that --rpc is an endpoint of the portal's chain.`,
  );
}

function keyAt(data: Buffer, offset: number): string {
  return bs58.encode(data.subarray(offset, offset + 32));
}

function decodeOpenEntry({ address, data }: { readonly address: string; readonly data: Buffer }): OpenEntry {
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
