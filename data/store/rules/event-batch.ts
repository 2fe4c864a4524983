import type { EventStatus } from '../../model/chain-events.ts';
import type { ChainAlarm, ChainEvent, QuarantinedTransaction } from '../chain-rows.ts';
import type { EventBatch, TransactionRows } from '../ports.ts';

const rowsIn = ({ events, alarms = [], quarantined = [] }: TransactionRows) => [
  ...events,
  ...alarms,
  ...quarantined,
];

/** @throws {RangeError} when the batch contradicts itself */
export function assertConsistent(batch: EventBatch): void {
  const { account, cursor, provisional = { events: [] } } = batch;
  if (cursor !== null && cursor.account !== account)
    throw new RangeError(`A batch for ${account} has the cursor of ${cursor.account}.`);
  const cursorSlot = cursor?.slot ?? -1;
  const check = (
    rows: TransactionRows,
    isAllowedSlot: (slot: number) => boolean,
    status: EventStatus,
  ): void => {
    for (const row of rowsIn(rows)) {
      const { signature, slot } = row;
      if (row.account !== account)
        throw new RangeError(
          `A batch for account ${account} contains transaction ${signature} of account ${row.account}.`,
        );
      if (!isAllowedSlot(slot) || ('status' in row && row.status !== status)) {
        throw new RangeError(
          `${signature} in slot ${slot} cannot be ${status}: the cursor is at slot ${cursorSlot}.`,
        );
      }
    }
  };
  check(batch, (slot) => slot <= cursorSlot, 'finalized');
  check(provisional, (slot) => slot > cursorSlot, 'confirmed');
}

/** The rows that a quarantined transaction produces. They are known only once an endpoint returns the transaction. */
export interface ReleasedRows {
  readonly events: readonly ChainEvent[];
  readonly alarms: readonly ChainAlarm[];
}

/** @throws {RangeError} when `rows` belongs to another transaction or account */
export function assertReleasable(
  { signature, account }: Pick<QuarantinedTransaction, 'signature' | 'account'>,
  rows: ReleasedRows,
): void {
  const foreignRow = [...rows.events, ...rows.alarms].find(
    (one) => one.signature !== signature || one.account !== account,
  );
  if (foreignRow === undefined) return;
  throw new RangeError(
    `${signature} of ${account} cannot be released with ${foreignRow.signature} of ${foreignRow.account}.`,
  );
}

/** How far an account's history is indexed. The two fields of the cursor are either both set or both null. */
export interface IndexProgress {
  readonly cursorSignature: string | null;
  readonly cursorSlot: number | null;
  readonly caughtUpAt: number | null;
}

/**
 * How far the history is indexed after a batch. The cursor never goes back. `caughtUpAt` comes from the latest batch that has
 * one. It may go back, because the clock may have been ahead when an earlier batch was stored.
 */
export function progressAfter(
  { cursorSignature, cursorSlot, caughtUpAt }: IndexProgress,
  batch: Pick<EventBatch, 'cursor' | 'caughtUpAt'>,
): IndexProgress {
  const { cursor } = batch;
  const isAdvanced = cursor !== null && (cursorSlot === null || cursor.slot > cursorSlot);
  return {
    cursorSignature: isAdvanced ? cursor.signature : cursorSignature,
    cursorSlot: isAdvanced ? cursor.slot : cursorSlot,
    caughtUpAt: batch.caughtUpAt ?? caughtUpAt,
  };
}

interface ProvisionalRows<Row> {
  readonly events: readonly (Row | ChainEvent)[];
  /** New provisional alarms. Stored alarms after `removedUpToSlot` are kept as well. */
  readonly alarms: readonly ChainAlarm[];
  readonly quarantined: readonly QuarantinedTransaction[];
  /** The stored provisional alarms and quarantined transactions up to this slot are removed. */
  readonly removedUpToSlot: number;
}

/**
 * The provisional rows after a batch: the batch's provisional rows or, if `provisional` is absent, the stored ones after `slot`.
 * If a transaction became final in an earlier slot than the one in its stored row, the stored rows are from a fork that the chain
 * dropped, and all of them are removed.
 * @param stored the account's provisional events
 * @param slot the slot of the cursor or of the newest final row, whichever is later
 */
export function provisionalAfter<Row extends Pick<ChainEvent, 'slot' | 'signature'>>(
  batch: Pick<EventBatch, 'events' | 'provisional'>,
  stored: readonly Row[],
  slot: number,
): ProvisionalRows<Row> {
  const isAfter = (row: { readonly slot: number }): boolean => row.slot > slot;
  const finalSignatures = new Set(batch.events.map(({ signature }) => signature));
  const isForkDropped = stored.some((row) => isAfter(row) && finalSignatures.has(row.signature));
  const replacement = batch.provisional ?? (isForkDropped ? { events: [] } : undefined);
  return {
    events: (replacement?.events ?? stored).filter(isAfter),
    alarms: replacement?.alarms?.filter(isAfter) ?? [],
    quarantined: replacement?.quarantined?.filter(isAfter) ?? [],
    removedUpToSlot: replacement ? Number.MAX_SAFE_INTEGER : slot,
  };
}
