import bs58 from 'bs58';
import { STAKE_ENTRY, STAKE_POOL, stakeOfEntry } from '../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import type { ChainSnapshot, IndexIdentity, StakeEntryRow } from '../../data/store/chain-rows.ts';
import { decodeMint, decodeTokenAccount } from '../chain/accounts.ts';
import type { RpcCalls } from '../rpc/json-rpc.ts';
import {
  type AccountInfo,
  type AtSlot,
  getMultipleAccounts,
  getProgramAccounts,
} from '../rpc/solana-calls.ts';

/** The followed accounts: vault, stake pool, the pool's vault, mint. */
export type FollowedAccounts = AtSlot<readonly (AccountInfo | null)[]>;

/** A followed account is missing or of the wrong kind. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

export interface Readings {
  readonly accounts: FollowedAccounts;
  readonly entries: readonly StakeEntryRow[];
}

/** The results of a snapshot's calls: the followed accounts, and the pool's stake entries. */
export type SnapshotAnswers = [FollowedAccounts, AtSlot<readonly ProgramAccount[]>];

/** The addresses of the followed accounts, in their order. */
export function followedAddresses({ vault, stakePool, poolVault, mint }: IndexIdentity): readonly string[] {
  return [vault, stakePool, poolVault, mint];
}

/** The calls that read a snapshot. Their results match only at the same slot. */
export function snapshotCalls(identity: IndexIdentity, minSlot?: number): RpcCalls<SnapshotAnswers> {
  const filter = {
    memcmp: [
      { offset: 0, bytes: bs58.encode(STAKE_ENTRY.discriminator) },
      { offset: STAKE_ENTRY.offsetOf('stakePool'), bytes: identity.stakePool },
    ],
  };
  return [
    getMultipleAccounts(followedAddresses(identity), minSlot),
    getProgramAccounts(STAKING_PROGRAM, filter, minSlot),
  ];
}

/** @throws {SnapshotError} if a listed account is not a stake entry */
export function entriesOf({ value }: AtSlot<readonly ProgramAccount[]>): readonly StakeEntryRow[] {
  return value.map(entryRow);
}

type ProgramAccount = AccountInfo & { readonly address: string };

function entryRow({ address, data }: ProgramAccount): StakeEntryRow {
  const entry = STAKE_ENTRY.decode(data);
  if (!entry) throw new SnapshotError(`${address} is listed as a stake entry but is not one.`);
  return { address, ...stakeOfEntry(entry) };
}

/** Computes the snapshot from readings at one slot. @throws {SnapshotError} if an account is missing or of the wrong kind */
export function snapshotOf(
  { accounts, entries }: Readings,
  identity: IndexIdentity,
  readAt: number,
): ChainSnapshot {
  const [vault, stakePool, poolVault, mint] = accounts.value;
  const vaultTokens = vault && decodeTokenAccount(vault);
  const pool = stakePool && stakePool.owner === STAKING_PROGRAM && STAKE_POOL.decode(stakePool.data);
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
    stakesProblem: null,
  };
}

function lost(what: string, address: string): SnapshotError {
  return new SnapshotError(
    `The ${what} (${address}) is missing or is no longer the account that this index follows.`,
  );
}
