import bs58 from 'bs58';
import type { ChainSnapshot, IndexIdentity, IndexWriter, StakeEntryRow } from '../../data/store/ports.ts';
import { STAKE_PROGRAM } from '../chain/addresses.ts';
import {
  decodeStakeEntry,
  decodeStakePool,
  STAKE_ENTRY_DISCRIMINATOR,
  STAKE_ENTRY_POOL_OFFSET,
  STAKE_ENTRY_SIZE,
} from '../chain/stake-layout.ts';
import { decodeMint, decodeTokenAccount } from '../chain/token-layout.ts';
import { type EndpointPool, type PoolReply, resultOf } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import {
  type AccountInfo,
  type AtSlot,
  getMultipleAccounts,
  getProgramAccounts,
} from '../rpc/solana-calls.ts';

/** The followed accounts as the node answered them: vault, stake pool, the pool's vault, mint. */
export type FollowedAccounts = AtSlot<readonly (AccountInfo | null)[]>;

/** Keeps the store's account snapshot at the state of the chain. */
export interface SnapshotKeeper {
  /** The call that reads the followed accounts, to travel with other calls. */
  accountsCall(): RpcCall<FollowedAccounts>;
  /**
   * Commits a snapshot where something changed or the last one has aged.
   * @returns the slot committed, or null where there was nothing to commit
   * @throws {SnapshotError} where an account is missing or is not what it was: no figure is better than a
   * wrong one
   */
  update(accounts: PoolReply<FollowedAccounts>, signal: AbortSignal): Promise<number | null>;
}

/** The followed accounts cannot be read as what they are. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

/**
 * A snapshot without a change is committed again after this, so that its age tells whether the chain is being
 * read.
 */
const HEARTBEAT_MS = 1_500;
/**
 * Entries are read again after this even where the pool did not change: an entry can be closed without it.
 */
const ENTRIES_MS = 30_000;
/** Tries to read accounts and entries at one slot before the next tick tries again. */
const SAME_SLOT_TRIES = 8;

interface Readings {
  readonly accounts: FollowedAccounts;
  readonly entries: readonly StakeEntryRow[];
}

export function createSnapshotKeeper(options: {
  readonly pool: EndpointPool;
  readonly writer: Pick<IndexWriter, 'commitSnapshot'>;
  readonly identity: IndexIdentity;
  /** Unix ms, for what a snapshot says of itself. */
  readonly now?: () => number;
  /** Milliseconds of a clock that never steps back, for what has to happen again after a while. */
  readonly elapsed?: () => number;
}): SnapshotKeeper {
  const { pool, writer, identity, now = Date.now, elapsed = performance.now.bind(performance) } = options;
  const addresses = [identity.vault, identity.stakePool, identity.poolVault, identity.mint];
  let held: Readings | null = null;
  let entriesReadAt = 0;
  let committedAt = 0;

  const readTogether = async (minSlot: number, signal: AbortSignal): Promise<Readings> => {
    const filter = {
      dataSize: STAKE_ENTRY_SIZE,
      memcmp: [
        { offset: 0, bytes: bs58.encode(STAKE_ENTRY_DISCRIMINATOR) },
        { offset: STAKE_ENTRY_POOL_OFFSET, bytes: identity.stakePool },
      ],
    };
    for (let attempt = 0; attempt < SAME_SLOT_TRIES; attempt += 1) {
      const replies = await pool.batch<[FollowedAccounts, AtSlot<readonly ProgramAccount[]>]>(
        [getMultipleAccounts(addresses, minSlot), getProgramAccounts(STAKE_PROGRAM, filter, minSlot)],
        signal,
      );
      const accounts = resultOf(replies[0]);
      const entries = resultOf(replies[1]);
      if (accounts.slot === entries.slot) return { accounts, entries: entries.value.map(entryRow) };
    }
    throw new SnapshotError(
      `Accounts and stake entries could not be read at one slot in ${SAME_SLOT_TRIES} tries.`,
    );
  };

  return {
    accountsCall: () => getMultipleAccounts(addresses, held?.accounts.slot),
    async update(reply, signal) {
      const accounts = resultOf(reply);
      const hasChanged =
        held === null ||
        accounts.value.some((account, index) => differs(account, held?.accounts.value[index]));
      if (!hasChanged && elapsed() - committedAt < HEARTBEAT_MS) return null;
      const readEntries =
        held === null ||
        [1, 2].some((index) => differs(accounts.value[index], held?.accounts.value[index])) ||
        elapsed() - entriesReadAt >= ENTRIES_MS;
      const readings =
        readEntries || held === null
          ? await readTogether(accounts.slot, signal)
          : { accounts, entries: held.entries };
      const readAt = elapsed();
      const snapshot = snapshotOf(readings, identity, now());
      await writer.commitSnapshot(snapshot);
      held = readings;
      if (readEntries) entriesReadAt = readAt;
      committedAt = readAt;
      return snapshot.slot;
    },
  };
}

type ProgramAccount = AccountInfo & { readonly address: string };

function differs(one: AccountInfo | null | undefined, other: AccountInfo | null | undefined): boolean {
  if (!one || !other) return one !== other;
  return one.lamports !== other.lamports || Buffer.compare(one.data, other.data) !== 0;
}

function entryRow({ address, data }: ProgramAccount): StakeEntryRow {
  const entry = decodeStakeEntry(data);
  if (!entry) throw new SnapshotError(`${address} is listed as a stake entry but is none.`);
  return {
    address,
    wallet: entry.authority,
    nonce: entry.nonce,
    amount: entry.amount,
    effectiveAmount: entry.effectiveAmount,
    createdAt: milliseconds(entry.createdAt),
    unlocksAt: milliseconds(entry.createdAt + entry.duration),
    closedAt: entry.closedAt === 0n ? null : milliseconds(entry.closedAt),
  };
}

/** Unix milliseconds; a lock beyond what a number holds exactly ends there (in the year 287396). */
function milliseconds(seconds: bigint): number {
  const value = seconds * 1_000n;
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}

function snapshotOf({ accounts, entries }: Readings, identity: IndexIdentity, readAt: number): ChainSnapshot {
  const [vault, stakePool, poolVault, mint] = accounts.value;
  const vaultTokens = vault && decodeTokenAccount(vault);
  const pool = stakePool && stakePool.owner === STAKE_PROGRAM && decodeStakePool(stakePool.data);
  const poolTokens = poolVault && decodeTokenAccount(poolVault);
  const supply = mint && decodeMint(mint);
  if (!vault || !vaultTokens || vaultTokens.mint !== identity.mint) throw lost('vault', identity.vault);
  if (!pool || pool.vault !== identity.poolVault) throw lost('stake pool', identity.stakePool);
  if (!poolTokens || poolTokens.mint !== identity.mint) throw lost("pool's vault", identity.poolVault);
  if (!supply || supply.decimals !== identity.decimals) throw lost('mint', identity.mint);
  return {
    slot: accounts.slot,
    readAt,
    vaultBalance: vaultTokens.amount,
    vaultLamports: vault.lamports,
    totalStaked: pool.totalStake,
    supply: supply.supply,
    entries,
  };
}

function lost(what: string, address: string): SnapshotError {
  return new SnapshotError(`The ${what} (${address}) is no longer the account that this index follows.`);
}
