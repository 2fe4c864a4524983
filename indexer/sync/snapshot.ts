import bs58 from 'bs58';
import { STAKE_ENTRY, STAKE_POOL, stakeOfEntry } from '../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import { isClockOff } from '../../data/model/value-state.ts';
import type { ChainSnapshot, IndexIdentity, StakeEntryRow } from '../../data/store/chain-rows.ts';
import { decodeMint, decodeTokenAccount } from '../chain/accounts.ts';
import type { RpcCall, RpcCalls } from '../rpc/json-rpc.ts';
import {
  type AccountInfo,
  type AtSlot,
  multipleAccountsCall,
  programAccountsCall,
} from '../rpc/solana-calls.ts';

/** The followed accounts: vault, stake pool, the pool's vault, mint. */
export interface FollowedAccounts extends AtSlot<readonly (AccountInfo | null)[]> {
  /** The chain's time at that slot (Unix ms); null if the node has no clock account. */
  readonly chainTime: number | null;
}

/** A followed account is missing or of the wrong kind, or the readings do not match. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

export interface Readings {
  readonly accounts: FollowedAccounts;
  readonly entries: readonly StakeEntryRow[];
  /** The number of accounts that the node lists as the pool's stake entries but that cannot be decoded. */
  readonly unreadEntries: number;
}

/** The followed accounts, and the pool's stake entries. */
export type SnapshotAnswers = [FollowedAccounts, AtSlot<readonly ProgramAccount[]>];

export function followedAddresses({ vault, stakePool, poolVault, mint }: IndexIdentity): readonly string[] {
  return [vault, stakePool, poolVault, mint];
}

/**
 * The clock account contains four 8-byte numbers, followed by the time in Unix seconds
 * (https://solana.com/docs/references/runtime#clock).
 */
const CLOCK = { address: 'SysvarC1ock11111111111111111111111111111111', unixTimeOffset: 32 };

function accountsCall(identity: IndexIdentity, minSlot?: number): RpcCall<FollowedAccounts> {
  const call = multipleAccountsCall([...followedAddresses(identity), CLOCK.address], minSlot);
  return {
    ...call,
    read: (result, onSlot) => {
      const { slot, value } = call.read(result, onSlot);
      const clock = value.at(-1);
      const isKnown = clock && clock.data.length >= CLOCK.unixTimeOffset + 8;
      const seconds = isKnown ? Number(Buffer.from(clock.data).readBigInt64LE(CLOCK.unixTimeOffset)) : null;
      return { slot, value: value.slice(0, -1), chainTime: seconds === null ? null : seconds * 1_000 };
    },
  };
}

/** The calls that read a snapshot. The results may be from different slots: the caller must check that they match. */
export function snapshotCalls(identity: IndexIdentity, minSlot?: number): RpcCalls<SnapshotAnswers> {
  const filter = {
    memcmp: [
      { offset: 0, bytes: bs58.encode(STAKE_ENTRY.discriminator) },
      { offset: STAKE_ENTRY.offsetOf('stakePool'), bytes: identity.stakePool },
    ],
  };
  return [accountsCall(identity, minSlot), programAccountsCall(STAKING_PROGRAM, filter, minSlot)];
}

type ProgramAccount = AccountInfo & { readonly address: string };

export function decodeEntries({
  value,
}: AtSlot<readonly ProgramAccount[]>): Pick<Readings, 'entries' | 'unreadEntries'> {
  const entries = value.flatMap(({ address, data }) => {
    const entry = STAKE_ENTRY.decode(data);
    return entry ? [{ address, ...stakeOfEntry(entry) }] : [];
  });
  return { entries, unreadEntries: value.length - entries.length };
}

/**
 * Computes the snapshot at the slot of the accounts. The caller must have checked that the entries match the accounts.
 * @param hostTime when the slot was first read (Unix ms). If it is far from the chain's time, because the host's clock is wrong
 * or the endpoints are behind, the snapshot gets the chain's time.
 * @throws {SnapshotError} if an account other than the vault is missing or of the wrong kind
 */
export function snapshotOf(
  { accounts, entries, unreadEntries }: Readings,
  identity: IndexIdentity,
  hostTime: number,
): ChainSnapshot {
  const { chainTime } = accounts;
  const clockDifference = chainTime === null ? null : hostTime - chainTime;
  const [vault, stakePool, poolVault, mint] = accounts.value;
  const pool = stakePool && stakePool.owner === STAKING_PROGRAM && STAKE_POOL.decode(stakePool.data);
  const poolTokens = poolVault && decodeTokenAccount(poolVault);
  const mintState = mint && decodeMint(mint);
  if (!pool || pool.vault !== identity.poolVault) throw lostAccountError('stake pool', identity.stakePool);
  if (!poolTokens || poolTokens.mint !== identity.mint)
    throw lostAccountError("pool's vault", identity.poolVault);
  if (!mintState || mintState.decimals !== identity.decimals) throw lostAccountError('mint', identity.mint);
  return {
    slot: accounts.slot,
    readAt: isClockOff(clockDifference) ? hostTime - clockDifference : hostTime,
    clockDifference,
    ...vaultFiguresOf(vault ?? null, identity),
    totalStaked: pool.totalStake,
    poolVaultBalance: poolTokens.amount,
    supply: mintState.supply,
    entries,
    unreadEntries,
    stakesProblem: null,
  };
}

/**
 * The vault's balances. If the vault is missing or of the wrong kind, they are null, and the rest of the snapshot is still
 * valid.
 */
function vaultFiguresOf(
  vault: AccountInfo | null,
  identity: IndexIdentity,
): Pick<ChainSnapshot, 'vaultBalance' | 'vaultLamports' | 'vaultProblem'> {
  const tokens = vault && decodeTokenAccount(vault);
  if (tokens?.mint !== identity.mint) {
    return {
      vaultBalance: null,
      vaultLamports: null,
      vaultProblem: lostAccountError('vault', identity.vault).message,
    };
  }
  return { vaultBalance: tokens.amount, vaultLamports: vault?.lamports ?? null, vaultProblem: null };
}

function lostAccountError(what: string, address: string): SnapshotError {
  return new SnapshotError(
    `The ${what} (${address}) is missing or is no longer the account that this index follows.`,
  );
}
