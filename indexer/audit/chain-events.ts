import type { VersionedTransactionResponse } from '@solana/web3.js';
import { type BalanceChange, balanceChanges, otherSide, sums, walletOf } from './chain-balances.ts';
import { addressesOf, runGroups } from './chain-instructions.ts';
import { type StakeCall, stakeCalls } from './stake-calls.ts';

/** What a transaction did to the vault or the pool's vault, told anew from the chain's own words. */
export interface AuditedEvent {
  readonly signature: string;
  readonly account: 'vault' | 'stake-pool';
  /** Its place among the events of the transaction and account, from 0. */
  readonly part: number;
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number | null;
  readonly type: 'deposit' | 'withdraw' | 'stake' | 'unstake' | 'other';
  /** Base units, signed. */
  readonly change: bigint;
  readonly wallet: string | null;
  /** The stake entry that was opened or ended. */
  readonly stakeEntry: string | null;
}

export interface Watched {
  readonly address: string;
  readonly account: 'vault' | 'stake-pool';
  readonly mint: string;
}

type Deed = Pick<AuditedEvent, 'type' | 'change' | 'wallet' | 'stakeEntry'>;

/** A call of the staking program whose amount is known. */
type KnownCall = StakeCall & { readonly change: bigint };

/**
 * The events of a transaction on a watched account, in order; none where it did nothing to it. Their changes add up to
 * what the balance changed by. Each stake and unstake of the pool is one; what they do not explain is one more.
 */
export function eventsOf(response: VersionedTransactionResponse, watched: Watched): readonly AuditedEvent[] {
  const { meta, transaction, slot, blockTime = null } = response;
  if (!meta || meta.err) return [];
  const addressAt = addressesOf(response);
  const changes = balanceChanges(response, watched.mint, addressAt);
  const own = changes.find(({ address }) => address === watched.address);
  if (!own) return [];
  const calls =
    watched.account === 'vault' ? [] : stakeCalls(runGroups(response, addressAt), watched.address);
  const deeds = calls.length === 0 ? plainDeed(own, changes, watched) : stakeDeeds(own, changes, calls);
  const signature = transaction.signatures[0] ?? '';
  return deeds.map((deed, part) => ({
    ...deed,
    signature,
    account: watched.account,
    part,
    slot,
    blockTime,
  }));
}

const movedBy = (changes: readonly BalanceChange[]) =>
  changes.map((change) => [walletOf(change), change.change] as const);

/** What a transaction without stakes did: tokens came or went, or the account was opened, closed or handed over. */
function plainDeed(
  own: BalanceChange,
  changes: readonly BalanceChange[],
  { account }: Watched,
): readonly Deed[] {
  const { was, is, change } = own;
  if (change === 0n) {
    const isTouched = !was || !is || was.owner !== is.owner;
    return isTouched ? [{ type: 'other', change, wallet: null, stakeEntry: null }] : [];
  }
  const direction = change > 0n ? 'deposit' : 'withdraw';
  const type = account === 'vault' ? direction : 'other';
  return [{ type, change, wallet: otherSide(movedBy(changes), change), stakeEntry: null }];
}

function stakeDeeds(
  own: BalanceChange,
  changes: readonly BalanceChange[],
  calls: readonly StakeCall[],
): readonly Deed[] {
  const known = withAmounts(calls, own.change);
  if (known === null) return [netDeed(own, changes, calls)];
  const rest = own.change - totalOf(known);
  const stakes = known.filter(({ word }) => word === 'stake');
  // A transfer fee is withheld on the way: what arrived counts.
  const isFee = rest < 0n && stakes.length === 1 && stakes[0]?.isToken2022 === true;
  const deeds = known.map(({ word, change, authority, entry }) => ({
    type: word,
    change: isFee && word === 'stake' ? change + rest : change,
    wallet: authority,
    stakeEntry: entry,
  }));
  if (rest === 0n || isFee) return deeds;
  const others = movedBy(changes.filter(({ address }) => address !== own.address));
  // What a call moved is no part of the rest: neither on this side nor on the other.
  const explained = known.map(({ payer, change }) => [payer, change] as const);
  const wallet = otherSide(sums([...others, ...explained]), rest);
  return [...deeds, { type: 'other', change: rest, wallet, stakeEntry: null }];
}

const totalOf = (calls: readonly KnownCall[]) => calls.reduce((sum, { change }) => sum + change, 0n);

const isKnown = (call: StakeCall): call is KnownCall => call.change !== null;

/** The calls with their amounts: one that was not recorded is what the others leave. Null where that cannot be. */
function withAmounts(calls: readonly StakeCall[], change: bigint): readonly KnownCall[] | null {
  const known = calls.filter(isKnown);
  const missing = calls.filter((call) => !isKnown(call));
  if (missing.length === 0) return known;
  const [only] = missing;
  const left = change - totalOf(known);
  const isFitting = only?.word === 'stake' ? left > 0n : left < 0n;
  if (missing.length > 1 || !isFitting) return null;
  return calls.map((call) => ({ ...call, change: call.change ?? left }));
}

/** All that a transaction did as one event, where its calls cannot be told apart. */
function netDeed(
  { change }: BalanceChange,
  changes: readonly BalanceChange[],
  calls: readonly StakeCall[],
): Deed {
  if (change === 0n) return { type: 'other', change, wallet: null, stakeEntry: null };
  const word = change > 0n ? 'stake' : 'unstake';
  const fitting = calls.filter((call) => call.word === word);
  const only = fitting.length === 1 ? fitting[0] : undefined;
  return {
    type: fitting.length > 0 ? word : 'other',
    change,
    wallet: only ? only.authority : otherSide(movedBy(changes), change),
    stakeEntry: only?.entry ?? null,
  };
}
