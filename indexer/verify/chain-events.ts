import type { VersionedTransactionResponse } from '@solana/web3.js';
import bs58 from 'bs58';
import type { EventKind } from '../../data/model/chain-events.ts';
import {
  addressLookup,
  type BalanceChange,
  balanceChanges,
  counterpartyOf,
  type ExecutedInstruction,
  findStakeCalls,
  instructionGroups,
  isTokenProgram,
  type StakeCall,
  sumByWallet,
  walletOf,
} from './chain-transactions.ts';

/** A change to a watched account that does not show in its balance. */
export interface ChainAlarm {
  readonly kind: 'owner-changed' | 'close-authority-changed' | 'delegate-approved' | 'account-closed';
  readonly account: WatchedTokenAccount['account'];
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number | null;
  /** The new owner, authority or delegate; null if an authority was removed or the account was closed. */
  readonly address: string | null;
}

type AccountAction = Pick<ChainAlarm, 'kind' | 'address'>;
type TokenCall = Pick<ExecutedInstruction, 'accounts' | 'data'>;

/** Source: `TokenInstruction` and `AuthorityType` in `spl-token`, and p-token's `Batch` instruction. */
const APPROVE = 4;
const SET_AUTHORITY = 6;
const CLOSE_ACCOUNT = 9;
const APPROVE_CHECKED = 13;
const BATCH = 255;
const AUTHORITIES: ReadonlyMap<number | undefined, AccountAction['kind']> = new Map([
  [2, 'owner-changed'],
  [3, 'close-authority-changed'],
]);
const KEY_BYTES = 32;

/** Splits a batch. Each instruction is preceded by two bytes: its number of accounts and the length of its data. */
function splitBatch({ accounts, data }: TokenCall): readonly TokenCall[] {
  if (data[0] !== BATCH) return [{ accounts, data }];
  const calls: TokenCall[] = [];
  let accountPosition = 0;
  for (let at = 1; at + 1 < data.length; ) {
    const [accountCount = 0, bytes = 0] = data.subarray(at, at + 2);
    calls.push({
      accounts: accounts.slice(accountPosition, accountPosition + accountCount),
      data: data.subarray(at + 2, at + 2 + bytes),
    });
    accountPosition += accountCount;
    at += 2 + bytes;
  }
  return calls.flatMap(splitBatch);
}

function decodeAction(address: string, { accounts, data }: TokenCall): AccountAction | null {
  if (accounts[0] !== address) return null;
  switch (data[0]) {
    case APPROVE:
      return { kind: 'delegate-approved', address: accounts[1] ?? null };
    case APPROVE_CHECKED:
      return { kind: 'delegate-approved', address: accounts[2] ?? null };
    case CLOSE_ACCOUNT:
      return { kind: 'account-closed', address: null };
    case SET_AUTHORITY: {
      const kind = AUTHORITIES.get(data[1]);
      const hasNewAuthority = data[2] === 1;
      return kind
        ? { kind, address: hasNewAuthority ? bs58.encode(data.subarray(3, 3 + KEY_BYTES)) : null }
        : null;
    }
    default:
      return null;
  }
}

/** The alarms that a transaction raises for a watched account, without duplicates. */
export function decodeAlarms(
  response: VersionedTransactionResponse,
  watched: WatchedTokenAccount,
): readonly ChainAlarm[] {
  const { meta, transaction, slot, blockTime = null } = response;
  if (!meta || meta.err) return [];
  const addressAt = addressLookup(response);
  const watchedChange = balanceChanges(response, watched.mint, addressAt).find(
    ({ address }) => address === watched.address,
  );
  const ownerBefore = watchedChange?.before?.owner ?? null;
  const ownerAfter = watchedChange?.after?.owner ?? null;
  const fromInstructions = instructionGroups(response, addressAt)
    .flat()
    .filter(({ program }) => isTokenProgram(program))
    .flatMap(splitBatch)
    .map((call) => decodeAction(watched.address, call))
    .filter((action) => action !== null)
    .filter(({ kind, address }) => kind !== 'owner-changed' || address === null || address !== ownerBefore);
  // Some nodes do not record inner instructions. A new owner or a closed account also shows in the token balances.
  const fromBalances: readonly AccountAction[] = [
    ...(ownerBefore !== null && ownerAfter !== null && ownerBefore !== ownerAfter
      ? [{ kind: 'owner-changed', address: ownerAfter } as const]
      : []),
    ...(watchedChange?.before && !watchedChange.after
      ? [{ kind: 'account-closed', address: null } as const]
      : []),
  ];
  const actions = new Map(
    [...fromInstructions, ...fromBalances].map((action) => [`${action.kind} ${action.address}`, action]),
  );
  const signature = transaction.signatures[0] ?? '';
  return [...actions.values()].map((action) => ({
    ...action,
    account: watched.account,
    signature,
    slot,
    blockTime,
  }));
}

export interface ChainEvent {
  readonly signature: string;
  readonly account: 'vault' | 'stake-pool';
  /** The event's index among the transaction's events on this account, from 0. */
  readonly part: number;
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number | null;
  readonly type: EventKind;
  /** Base units, signed. */
  readonly change: bigint;
  readonly wallet: string | null;
  readonly stakeEntry: string | null;
}

export interface WatchedTokenAccount {
  readonly address: string;
  readonly account: 'vault' | 'stake-pool';
  readonly mint: string;
}

type Movement = Pick<ChainEvent, 'type' | 'change' | 'wallet' | 'stakeEntry'>;

type CallWithAmount = StakeCall & { readonly change: bigint };

/**
 * A transaction's events on a watched account, in order: one for each stake and unstake, and one for the rest of the balance
 * change. The amounts of the events add up to the balance change.
 */
export function decodeEvents(
  response: VersionedTransactionResponse,
  watched: WatchedTokenAccount,
): readonly ChainEvent[] {
  const { meta, transaction, slot, blockTime = null } = response;
  if (!meta || meta.err) return [];
  const addressAt = addressLookup(response);
  const changes = balanceChanges(response, watched.mint, addressAt);
  const watchedChange = changes.find(({ address }) => address === watched.address);
  if (!watchedChange) return [];
  const groups = instructionGroups(response, addressAt);
  const calls = watched.account === 'vault' ? [] : findStakeCalls(groups, watched.address);
  const movements =
    calls.length === 0
      ? movementWithoutStakes(watchedChange, changes, groups, watched)
      : stakeMovements(watchedChange, changes, calls);
  const signature = transaction.signatures[0] ?? '';
  return movements.map((movement, part) => ({
    ...movement,
    signature,
    account: watched.account,
    part,
    slot,
    blockTime,
  }));
}

const changesByWallet = (changes: readonly BalanceChange[]) =>
  changes.map((change) => [walletOf(change), change.change] as const);

/**
 * The movement in a transaction without stakes: a transfer, or an account that was opened, closed or
 * given a new owner.
 */
function movementWithoutStakes(
  watchedChange: BalanceChange,
  changes: readonly BalanceChange[],
  groups: Parameters<typeof findStakeCalls>[0],
  { account }: WatchedTokenAccount,
): readonly Movement[] {
  const { before, after, change } = watchedChange;
  if (change === 0n) {
    const isTouched = !before || !after || before.owner !== after.owner;
    return isTouched ? [{ type: 'other', change, wallet: null, stakeEntry: null }] : [];
  }
  const direction = change > 0n ? 'deposit' : 'withdraw';
  const type = account === 'vault' ? direction : 'other';
  const others = changes.filter(({ address }) => address !== watchedChange.address);
  // A wallet may receive an amount and stake it in the same transaction. Undoing the stake shows which wallet that is.
  const stakedDeltas = others.flatMap((pool) => {
    const knownCalls = explainChange(findStakeCalls(groups, pool.address), pool.change)?.knownCalls ?? [];
    const byOthers = knownCalls.filter(({ payer }) => payer !== walletOf(watchedChange));
    return byOthers.flatMap((call) => [
      [call.payer, call.change] as const,
      [walletOf(pool), -call.change] as const,
    ]);
  });
  const walletChanges = changesByWallet(others);
  const withoutStakes =
    stakedDeltas.length === 0 ? walletChanges : sumByWallet([...walletChanges, ...stakedDeltas]);
  return [{ type, change, wallet: counterpartyOf(withoutStakes, change), stakeEntry: null }];
}

function stakeMovements(
  watchedChange: BalanceChange,
  changes: readonly BalanceChange[],
  calls: readonly StakeCall[],
): readonly Movement[] {
  const explanation = explainChange(calls, watchedChange.change);
  if (explanation === null) return [netMovement(watchedChange, changes, calls)];
  const { knownCalls, unexplainedChange } = explanation;
  const movements = knownCalls.map(({ kind, change, authority, entry }) => ({
    type: kind,
    change,
    wallet: authority,
    stakeEntry: entry,
  }));
  if (unexplainedChange === 0n) return movements;
  const others = changesByWallet(changes.filter(({ address }) => address !== watchedChange.address));
  // Undoes the payers' stakes and unstakes. The remaining changes show which wallet caused the unexplained change.
  const explained = knownCalls.map(({ payer, change }) => [payer, change] as const);
  const wallet = counterpartyOf(sumByWallet([...others, ...explained]), unexplainedChange);
  return [...movements, { type: 'other', change: unexplainedChange, wallet, stakeEntry: null }];
}

/**
 * The calls with their amounts, after deducting any withheld transfer fee. `unexplainedChange` is the part of the balance
 * change that comes from other transfers. Null if the amounts are unknown.
 */
function explainChange(calls: readonly StakeCall[], change: bigint) {
  const knownCalls = withAmounts(calls, change);
  if (knownCalls === null) return null;
  const unexplainedChange = change - totalOf(knownCalls);
  const stakes = knownCalls.filter(({ kind }) => kind === 'stake');
  const isFee = unexplainedChange < 0n && stakes.length === 1 && stakes[0]?.isToken2022 === true;
  if (!isFee) return { knownCalls, unexplainedChange };
  return {
    knownCalls: knownCalls.map((call) =>
      call.kind === 'stake' ? { ...call, change: call.change + unexplainedChange } : call,
    ),
    unexplainedChange: 0n,
  };
}

const totalOf = (calls: readonly CallWithAmount[]) => calls.reduce((sum, { change }) => sum + change, 0n);

const hasAmount = (call: StakeCall): call is CallWithAmount => call.change !== null;

/**
 * The calls, each with its amount. If exactly one amount is missing, it is `change` minus the other amounts. Null if several
 * are missing, or if the computed amount is zero or has the wrong sign.
 */
function withAmounts(calls: readonly StakeCall[], change: bigint): readonly CallWithAmount[] | null {
  const knownCalls = calls.filter(hasAmount);
  const callsWithoutAmount = calls.filter((call) => !hasAmount(call));
  if (callsWithoutAmount.length === 0) return knownCalls;
  const [only] = callsWithoutAmount;
  const missingAmount = change - totalOf(knownCalls);
  const hasRightSign = only?.kind === 'stake' ? missingAmount > 0n : missingAmount < 0n;
  if (callsWithoutAmount.length > 1 || !hasRightSign) return null;
  return calls.map((call) => ({ ...call, change: call.change ?? missingAmount }));
}

/** One event for the whole transaction, because the amounts of its calls are unknown. */
function netMovement(
  { change }: BalanceChange,
  changes: readonly BalanceChange[],
  calls: readonly StakeCall[],
): Movement {
  if (change === 0n) return { type: 'other', change, wallet: null, stakeEntry: null };
  const direction = change > 0n ? 'stake' : 'unstake';
  const matching = calls.filter((call) => call.kind === direction);
  const only = matching.length === 1 ? matching[0] : undefined;
  return {
    type: matching.length > 0 ? direction : 'other',
    change,
    wallet: only ? only.authority : counterpartyOf(changesByWallet(changes), change),
    stakeEntry: only?.entry ?? null,
  };
}
