import type { EventStatus } from '../../data/model/chain-events.ts';
import type { ChainAlarm, ChainEvent } from '../../data/store/chain-rows.ts';
import { alarmsOn } from '../chain/alarms.ts';
import { classify, type WatchedAccount } from '../chain/classify.ts';
import { type DecodedTransaction, decodeTransaction, UndecodableTransactionError } from '../chain/decode.ts';
import type { SignatureInfo } from '../rpc/solana-calls.ts';

/** A transaction as the chain lists it among those of an account. */
export interface ListedTransaction extends SignatureInfo {
  /** Its place among those of the account in the same slot, from 0. */
  readonly position: number;
}

/** What an endpoint told of a transaction: the transaction, or why it cannot be read. */
export type Telling =
  | { readonly ok: true; readonly transaction: DecodedTransaction }
  | { readonly ok: false; readonly reason: string };

/** Reads the result of `getTransaction` for a signature, in whichever slot and state it is. */
export function readTelling(result: unknown, signature: string, mint: string): Telling {
  if (result === null) return { ok: false, reason: 'the node lists it but does not have it' };
  try {
    const transaction = decodeTransaction(result, mint);
    if (transaction.signature === signature) return { ok: true, transaction };
    return { ok: false, reason: 'the node answered another transaction than the one asked for' };
  } catch (error) {
    if (!(error instanceof UndecodableTransactionError)) throw error;
    return { ok: false, reason: error.message };
  }
}

/** Reads the result of `getTransaction` for a transaction that is listed as successful. */
export function readListed(result: unknown, { signature, slot }: SignatureInfo, mint: string): Telling {
  const telling = readTelling(result, signature, mint);
  if (!telling.ok) return telling;
  if (telling.transaction.slot !== slot) {
    return { ok: false, reason: 'the node answers it for another slot than it lists it in' };
  }
  if (telling.transaction.hasFailed) {
    return { ok: false, reason: 'the node lists it as successful but answers a failure' };
  }
  return telling;
}

/**
 * What a transaction did to a watched account: its events and its alarms, in the order it did them.
 * @param listed the text of its signature that is kept: one is enough of thousands that are on their way
 */
export function tellingsOf(
  transaction: DecodedTransaction,
  listed: Pick<ListedTransaction, 'signature' | 'position'>,
  status: EventStatus,
  watched: WatchedAccount,
): { readonly events: readonly ChainEvent[]; readonly alarms: readonly ChainAlarm[] } {
  const { slot, blockTime } = transaction;
  const { signature, position } = listed;
  const account = watched.address;
  const events = classify(transaction, watched).map((movement, part) => ({
    signature,
    account,
    slot,
    position,
    part,
    blockTime,
    ...movement,
    status,
  }));
  const alarms = alarmsOn(transaction, watched).map((alarm) => ({
    signature,
    account,
    slot,
    blockTime,
    ...alarm,
    status,
  }));
  return { events, alarms };
}
