import type { TransactionRow } from '../../data/contract/metrics.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import type { ChainEvent, IndexIdentity } from '../../data/store/chain-rows.ts';
import { watchedAccount } from './facts.ts';

/** A movement of a watched account as lists tell it. */
export function transactionRow(event: ChainEvent, identity: IndexIdentity): TransactionRow {
  return {
    type: event.kind,
    account: watchedAccount(identity, event.account),
    amount: toDecimalText(event.delta < 0n ? -event.delta : event.delta, identity.decimals),
    signature: event.signature,
    part: event.part,
    status: event.status,
    blockTime: event.blockTime === null ? null : Math.floor(event.blockTime / 1_000),
    wallet: event.wallet,
    slot: event.slot,
  };
}
