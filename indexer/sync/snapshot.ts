import bs58 from 'bs58';
import {
  decodeStakeEntry,
  decodeStakePool,
  STAKE_ENTRY_DISCRIMINATOR,
  STAKE_ENTRY_POOL_OFFSET,
  STAKE_ENTRY_SIZE,
  stakeOfEntry,
} from '../../data/model/stake-layout.ts';
import type { ChainSnapshot, IndexIdentity, StakeEntryRow } from '../../data/store/chain-rows.ts';
import { STAKE_PROGRAM } from '../chain/addresses.ts';
import { decodeMint, decodeTokenAccount } from '../chain/token-layout.ts';
import type { RpcCalls } from '../rpc/json-rpc.ts';
import {
  type AccountInfo,
  type AtSlot,
  getMultipleAccounts,
  getProgramAccounts,
} from '../rpc/solana-calls.ts';

/** The followed accounts as the node answered them: vault, stake pool, the pool's vault, mint. */
export type FollowedAccounts = AtSlot<readonly (AccountInfo | null)[]>;

/** The followed accounts cannot be read as what they are. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

export interface Readings {
  readonly accounts: FollowedAccounts;
  readonly entries: readonly StakeEntryRow[];
}

/** What the calls of a snapshot answer: the followed accounts, and the pool's stake entries. */
export type SnapshotAnswers = [FollowedAccounts, AtSlot<readonly ProgramAccount[]>];

/** The calls that read a snapshot. It is one where both answer at one slot. */
export function snapshotCalls(identity: IndexIdentity, minSlot?: number): RpcCalls<SnapshotAnswers> {
  const filter = {
    dataSize: STAKE_ENTRY_SIZE,
    memcmp: [
      { offset: 0, bytes: bs58.encode(STAKE_ENTRY_DISCRIMINATOR) },
      { offset: STAKE_ENTRY_POOL_OFFSET, bytes: identity.stakePool },
    ],
  };
  const addresses = [identity.vault, identity.stakePool, identity.poolVault, identity.mint];
  return [getMultipleAccounts(addresses, minSlot), getProgramAccounts(STAKE_PROGRAM, filter, minSlot)];
}

/** The stake entries among the accounts that a node listed as such. @throws {SnapshotError} where one is none */
export function entriesOf({ value }: AtSlot<readonly ProgramAccount[]>): readonly StakeEntryRow[] {
  return value.map(entryRow);
}

type ProgramAccount = AccountInfo & { readonly address: string };

function entryRow({ address, data }: ProgramAccount): StakeEntryRow {
  const entry = decodeStakeEntry(data);
  if (!entry) throw new SnapshotError(`${address} is listed as a stake entry but is none.`);
  return { address, ...stakeOfEntry(entry) };
}

/** The snapshot that readings at one slot make. @throws {SnapshotError} where an account is not what is followed */
export function snapshotOf(
  { accounts, entries }: Readings,
  identity: IndexIdentity,
  readAt: number,
): ChainSnapshot {
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
    poolVaultBalance: poolTokens.amount,
    supply: supply.supply,
    entries,
  };
}

function lost(what: string, address: string): SnapshotError {
  return new SnapshotError(`The ${what} (${address}) is no longer the account that this index follows.`);
}
