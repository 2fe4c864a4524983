import { type Connection, type GetProgramAccountsResponse, PublicKey } from '@solana/web3.js';
import type { AuditedAccounts, AuditedAddresses } from './chain-accounts.ts';
import { SPL_TOKEN } from './chain-tokens.ts';

/** Layout of a token account: SPL Token `state.rs`; mint, owner, amount. */
const MINT_AT = 0;
const OWNER_AT = 32;
const KEY_BYTES = 32;
const SPL_TOKEN_ACCOUNT_BYTES = 165;

/** Wallets that hold BD, and the slot that they were counted at. */
export interface AuditedHolders {
  readonly slot: number;
  readonly wallets: number;
}

/**
 * Counts the owners of token accounts with an amount and the wallets with an open stake, each once, without the owners of
 * the vault and of the stake pool's vault.
 * @returns null where the endpoint does not list the token accounts of a mint
 */
export async function readHolders(
  connection: Connection,
  { mint, vault }: AuditedAddresses,
  { poolVault, openEntries }: Pick<AuditedAccounts, 'poolVault' | 'openEntries'>,
): Promise<AuditedHolders | null> {
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

/** What wallets hold in token accounts of the mint, in base units. */
export async function readHeld(
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
    // Many endpoints refuse such a listing, or do not end it in time: the figure is then not compared.
    return null;
  }
}
