import type { ChainAlarmKind, EventKind } from '../../data/model/chain-events.ts';
import type { BalanceChange, DecodedTransaction } from './decode.ts';
import type { StakeCall } from './instructions.ts';
import type { TokenAccountAction } from './token-instructions.ts';

export interface WatchedAccount {
  readonly address: string;
  readonly role: 'vault' | 'stake-pool-vault';
}

export interface Movement {
  readonly kind: EventKind;
  /** The counterparty or, for a stake or unstake, the wallet of the stake entry; null if unknown. */
  readonly wallet: string | null;
  /** Base units, signed. */
  readonly delta: bigint;
  /** The stake entry that was opened or closed; null if none or unknown. */
  readonly stakeEntry: string | null;
}

/**
 * The movements of a watched account; none if the transaction failed. A transaction that only lists the account is not an
 * event, because anyone can list it. A transaction that moves tokens in and out again is not an event either. A transaction
 * that opens or closes the account, or changes its owner, is an event even if no tokens move (`other`, delta 0).
 *
 * The amounts come from balances; instructions only label them. Each call to the staking program that moved the pool's vault is
 * a movement, in order of execution. The rest of the balance change is one more movement (`other`): tokens sent directly to the
 * vault are not a stake, even in a transaction with a stake. All deltas add up to the balance change.
 */
export function classify(transaction: DecodedTransaction, watched: WatchedAccount): readonly Movement[] {
  const index = transaction.accounts.indexOf(watched.address);
  const change = transaction.changes.find(({ accountIndex }) => accountIndex === index);
  if (!change) return [];
  const calls =
    watched.role === 'vault' ? [] : transaction.stakeCalls.filter(({ vaultIndex }) => vaultIndex === index);
  return calls.length === 0
    ? movementsWithoutCalls(transaction, change, watched)
    : movementsWithCalls(transaction, change, calls);
}

function movementsWithoutCalls(
  transaction: DecodedTransaction,
  change: BalanceChange,
  { role }: WatchedAccount,
): readonly Movement[] {
  const { delta } = change;
  if (delta === 0n) {
    return isSameAccount(change) ? [] : [{ kind: 'other', wallet: null, delta, stakeEntry: null }];
  }
  const direction = delta > 0n ? 'deposit' : 'withdraw';
  const kind = role === 'vault' ? direction : 'other';
  const wallet = counterparty(transaction.changes, change, deltasOfStakes(transaction, change));
  return [{ kind, wallet, delta, stakeEntry: null }];
}

function movementsWithCalls(
  transaction: DecodedTransaction,
  change: BalanceChange,
  calls: readonly StakeCall[],
): readonly Movement[] {
  const { accounts, changes } = transaction;
  const amounts = amountsOfCalls(calls, change.delta);
  if (!amounts) return [combinedMovement(transaction, change, calls)];
  const callDeltas = calls.map((call, index) => ({ call, delta: amounts[index] ?? 0n }));
  const movements = callDeltas.map(({ call, delta }): Movement => {
    const wallet = accounts.addressAt(call.authorityIndex);
    return { kind: call.kind, wallet, delta, stakeEntry: accounts.addressAt(call.entryIndex) };
  });
  const unexplainedDelta = change.delta - amounts.reduce((sum, delta) => sum + delta, 0n);
  if (unexplainedDelta === 0n) return movements;
  const holders = callDeltas.map(({ call, delta }) => [accounts.addressAt(call.holderIndex), delta] as const);
  const wallet = counterparty(changes, { ...change, delta: unexplainedDelta }, holders);
  return [...movements, { kind: 'other', wallet, delta: unexplainedDelta, stakeEntry: null }];
}

/**
 * The signed amount of each call; null if an amount is missing and cannot be computed. A transfer fee does not reach the pool,
 * so it is subtracted from the stake's amount if there is exactly one stake.
 */
function amountsOfCalls(calls: readonly StakeCall[], delta: bigint): readonly bigint[] | null {
  const amounts = calls.map(({ kind, transfer }) =>
    transfer === null ? null : kind === 'stake' ? transfer.amount : -transfer.amount,
  );
  const unexplainedDelta = amounts.reduce<bigint>((left, one) => left - (one ?? 0n), delta);
  const callsWithoutAmount = calls.filter((_, index) => amounts[index] === null);
  const [only] = callsWithoutAmount;
  if (only) {
    if (
      callsWithoutAmount.length > 1 ||
      unexplainedDelta === 0n ||
      unexplainedDelta > 0n !== (only.kind === 'stake')
    )
      return null;
    return amounts.map((one) => one ?? unexplainedDelta);
  }
  const knownAmounts = amounts.map((one) => one ?? 0n);
  const [stake, ...more] = calls.filter(({ kind }) => kind === 'stake');
  const isFee = unexplainedDelta < 0n && more.length === 0 && stake?.transfer?.mayHaveFee;
  return isFee
    ? knownAmounts.map((one, index) => (calls[index] === stake ? one + unexplainedDelta : one))
    : knownAmounts;
}

/** One movement for the whole balance change, used if the amounts of the calls are not all known. */
function combinedMovement(
  { accounts, changes }: DecodedTransaction,
  change: BalanceChange,
  calls: readonly StakeCall[],
): Movement {
  const { delta } = change;
  const kind = delta > 0n ? 'stake' : 'unstake';
  const [call, ...more] = delta === 0n ? [] : calls.filter((one) => one.kind === kind);
  const wallet = delta === 0n ? null : counterparty(changes, change);
  if (!call) return { kind: 'other', wallet, delta, stakeEntry: null };
  if (more.length > 0) return { kind, wallet, delta, stakeEntry: null };
  return {
    kind,
    wallet: accounts.addressAt(call.authorityIndex),
    delta,
    stakeEntry: accounts.addressAt(call.entryIndex),
  };
}

/**
 * The amounts, by wallet, that undo the transaction's stakes and unstakes. Without them, the search for the counterparty would
 * miss a wallet that receives BD from the vault and stakes it in the same transaction. Stakes by the watched account's owner
 * are left out, because their counterparty is the pool.
 */
function deltasOfStakes(
  { accounts, changes, stakeCalls }: DecodedTransaction,
  watchedChange: BalanceChange,
): readonly WalletDelta[] {
  return changes.flatMap((change) => {
    const calls = stakeCalls.filter(
      ({ vaultIndex }) => vaultIndex === change.accountIndex && vaultIndex !== watchedChange.accountIndex,
    );
    const owner = walletOf(change);
    const amounts = amountsOfCalls(calls, change.delta);
    if (!amounts || owner === null) return [];
    return calls.flatMap((call, index): WalletDelta[] => {
      const delta = amounts[index] ?? 0n;
      const holder = accounts.addressAt(call.holderIndex);
      if (holder === walletOf(watchedChange)) return [];
      return [
        [holder, delta],
        [owner, -delta],
      ];
    });
  });
}

function isSameAccount(change: BalanceChange): boolean {
  return change.existedBefore && change.existsAfter && change.ownerBefore === change.ownerAfter;
}

function walletOf({ delta, ownerBefore, ownerAfter }: BalanceChange): string | null {
  return delta < 0n ? (ownerBefore ?? ownerAfter) : (ownerAfter ?? ownerBefore);
}

type WalletDelta = readonly [wallet: string, delta: bigint];

/**
 * The wallet on the other side of a balance change; null if unknown. Among the wallets whose balance changed in the opposite
 * direction, it is the one with exactly the same amount, or else the one with the largest amount (a transfer fee makes the two
 * sides differ). If amounts are equal, the address decides, so that the order of the accounts does not matter. The wallet owns
 * the tokens, but may not have signed: delegates and multisig members can move another wallet's tokens.
 *
 * @param explainedDeltas amounts, by wallet, that undo the calls to the staking program. They are added to the wallets'
 * changes, so that only the rest of each change counts.
 */
function counterparty(
  changes: readonly BalanceChange[],
  watchedChange: BalanceChange,
  explainedDeltas: readonly WalletDelta[] = [],
): string | null {
  const isOpposite = (delta: bigint) => delta !== 0n && delta < 0n !== watchedChange.delta < 0n;
  if (explainedDeltas.length === 0) {
    // A shortcut for the common case of a single counterparty.
    const [only, ...more] = changes.filter(
      ({ accountIndex, delta }) => accountIndex !== watchedChange.accountIndex && isOpposite(delta),
    );
    if (more.length === 0) return only ? walletOf(only) : null;
  }
  const deltaByWallet = new Map<string, bigint>();
  for (const change of changes) {
    const wallet = walletOf(change);
    if (
      wallet !== null &&
      change.accountIndex !== watchedChange.accountIndex &&
      (explainedDeltas.length > 0 || isOpposite(change.delta))
    ) {
      deltaByWallet.set(wallet, (deltaByWallet.get(wallet) ?? 0n) + change.delta);
    }
  }
  for (const [wallet, delta] of explainedDeltas) {
    const walletDelta = deltaByWallet.get(wallet);
    if (walletDelta !== undefined) deltaByWallet.set(wallet, walletDelta + delta);
  }
  let best: Candidate | null = null;
  for (const [wallet, delta] of deltaByWallet) {
    if (!isOpposite(delta)) continue;
    const candidate = {
      wallet,
      amount: delta < 0n ? -delta : delta,
      isExact: delta === -watchedChange.delta,
    };
    if (!best || isBetter(candidate, best)) best = candidate;
  }
  return best?.wallet ?? null;
}

type Candidate = { readonly wallet: string; readonly amount: bigint; readonly isExact: boolean };

function isBetter(left: Candidate, right: Candidate): boolean {
  if (left.isExact !== right.isExact) return left.isExact;
  if (left.amount !== right.amount) return left.amount > right.amount;
  return left.wallet < right.wallet;
}

/** A change to a watched account that the team must check. Balance changes are not alarms. */
export type AccountAlarm = Omit<TokenAccountAction, 'accountIndex'>;

/**
 * Returns the changes to a watched account that its balance does not show: a new owner, close authority or delegate, or a
 * closed account. Each change appears once, in the order of the instructions. Some nodes do not record inner instructions,
 * so the recorded balances are also checked: an alarm is raised if the account has a new owner or no longer exists.
 * Setting the same owner again raises no alarm.
 */
export function alarmsOfAccount(
  transaction: DecodedTransaction,
  watched: WatchedAccount,
): readonly AccountAlarm[] {
  const { accountActions, changes, accounts } = transaction;
  const index = accounts.indexOf(watched.address);
  if (index === -1) return [];
  const change = changes.find(({ accountIndex }) => accountIndex === index);
  if (accountActions.length === 0 && change && isSameAccount(change)) return [];
  const alarms: AccountAlarm[] = [];
  const raise = (kind: ChainAlarmKind, address: string | null): void => {
    if (!alarms.some((alarm) => alarm.kind === kind && alarm.address === address)) {
      alarms.push({ kind, address });
    }
  };
  const ownerBefore = change?.ownerBefore ?? null;
  for (const { kind, accountIndex, address } of accountActions) {
    const isNoChange = kind === 'owner-changed' && address !== null && address === ownerBefore;
    if (accountIndex === index && !isNoChange) raise(kind, address);
  }
  const ownerAfter = change?.ownerAfter ?? null;
  if (ownerBefore !== null && ownerAfter !== null && ownerBefore !== ownerAfter) {
    raise('owner-changed', ownerAfter);
  }
  if (change?.existedBefore && !change.existsAfter) raise('account-closed', null);
  return alarms;
}
