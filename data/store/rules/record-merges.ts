import { mailboxOf } from '../../model/mail-address.ts';
import { PORTAL_LIMITS } from '../../model/portal-terms.ts';
import { MERGEABLE_STATUSES, MERGED_STATUS, type SubmissionKind } from '../../model/submission-status.ts';
import type { Actor, MergeOutcome, RecordStore } from '../record-port.ts';
import { nextChangedAt } from './changed-at.ts';
import { toAuditRecord } from './record-decisions.ts';

const CONFIRMATION_MS = PORTAL_LIMITS.mailboxConfirmationHours * 3_600_000;

export const mergeColumns = (kind: SubmissionKind): readonly string[] => [
  ...['referenceNumber', 'status', 'changedAt', 'email', 'dueAt'],
  ...(kind === 'contact-message' ? [] : ['dueLeft']),
  ...(kind === 'loan-application' ? ['mailboxConfirmedAt', 'confirmBy'] : ['walletAddress']),
  ...(kind === 'card-application' || kind === 'verification-request' ? ['isOwnershipProven'] : []),
];

export interface MergeCells {
  readonly referenceNumber: string;
  readonly status: string;
  readonly changedAt: number;
  readonly email: string;
  readonly dueAt: number | null;
  readonly dueLeft?: number | null;
  readonly walletAddress?: string | null;
  readonly isOwnershipProven?: boolean | number;
  /** Only for loan applications. */
  readonly mailboxConfirmedAt?: number | null;
  /** Only for loan applications. */
  readonly confirmBy?: number | null;
}

export interface MergeRow {
  readonly referenceNumber: string;
  readonly mergedInto: string;
  readonly adminId: string;
  readonly at: number;
  /** The status before the merge. */
  readonly status: string;
}

/**
 * SQL for the reference numbers of a record and of the records merged into it.
 * @param schema the prefix of table names
 * @param reference the SQL placeholder for the record's reference number
 */
export const mergedReferencesSql = (schema: string, reference: string): string =>
  `(with named as (select ${reference} as reference) select reference from named
    union all select m."referenceNumber" from ${schema}record_merges m join named on m."mergedInto" = reference)`;

const isSamePerson = (one: MergeCells, other: MergeCells): boolean =>
  mailboxOf(one.email) === mailboxOf(other.email) ||
  Boolean(
    one.walletAddress &&
      one.walletAddress === other.walletAddress &&
      one.isOwnershipProven &&
      other.isOwnershipProven,
  );

type MergeRequest = Parameters<RecordStore['merge']>[0];
type MergeRefusal = Extract<MergeOutcome, { readonly referenceNumber: string }>;

/**
 * Why records cannot be merged, and which of them prevents the merge; null if they can be merged.
 * @param cellsOf returns the stored record with a given reference number, if it is of the same kind as the kept record
 * @param hasMerged whether other records are merged into a record
 */
export function mergeRefusal(
  kind: SubmissionKind,
  { kept, merged }: MergeRequest,
  cellsOf: (referenceNumber: string) => MergeCells | undefined,
  hasMerged: (referenceNumber: string) => boolean,
): MergeRefusal | null {
  const keptCells = cellsOf(kept.referenceNumber);
  for (const { referenceNumber, changedAt } of [kept, ...merged]) {
    const cells = cellsOf(referenceNumber);
    if (!keptCells || !cells) return { kind: 'unknown', referenceNumber };
    if (cells.status === MERGED_STATUS) return { kind: 'merged-before', referenceNumber };
    if (cells.changedAt !== changedAt) return { kind: 'changed', referenceNumber };
    if (!MERGEABLE_STATUSES[kind].includes(cells.status)) return { kind: 'closed', referenceNumber };
    if (cells === keptCells) continue;
    if (hasMerged(referenceNumber)) return { kind: 'has-merged', referenceNumber };
    if (!isSamePerson(keptCells, cells)) return { kind: 'other-person', referenceNumber };
    // Without this check, nobody would decide about this wallet after the merge.
    if (cells.walletAddress && cells.walletAddress !== keptCells.walletAddress)
      return { kind: 'other-wallet', referenceNumber };
  }
  return null;
}

/**
 * The kept record's due time after a merge: the earliest due time of the records, because the person has been waiting since the
 * first one. Unchanged unless the kept record is waiting for the team.
 */
export function mergedDueAt(kept: MergeCells, merged: readonly MergeCells[]): number | null {
  const isDue = ({ status, dueLeft = null }: MergeCells): boolean =>
    dueLeft === null && (status === 'open' || status === 'received' || status === 'in-review');
  if (!isDue(kept)) return kept.dueAt;
  const dueTimes = [kept, ...merged.filter(isDue)].flatMap(({ dueAt }) => dueAt ?? []);
  return dueTimes.length === 0 ? null : Math.min(...dueTimes);
}

/**
 * The mailbox state of the kept loan application after a merge. The mailbox counts as confirmed if it was confirmed through any
 * of the records that have it. Otherwise, the kept application's deadline (if any) moves to the latest deadline of these records,
 * because their documents are deleted together.
 */
export function mergedMailbox(kept: MergeCells, merged: readonly MergeCells[]) {
  const ofMailbox = [kept, ...merged].filter(({ email }) => mailboxOf(email) === mailboxOf(kept.email));
  const confirmedAt = ofMailbox.find((cells) => cells.mailboxConfirmedAt)?.mailboxConfirmedAt ?? null;
  const { confirmBy = null } = kept;
  if (confirmedAt !== null || confirmBy === null) return { confirmedAt, confirmBy: null };
  return { confirmedAt, confirmBy: Math.max(...ofMailbox.map((cells) => cells.confirmBy ?? 0)) };
}

export function mergedRows(kind: SubmissionKind, cells: MergeCells, mergedInto: string, actor: Actor) {
  const { referenceNumber, status: from, changedAt } = cells;
  const row: MergeRow = { referenceNumber, mergedInto, adminId: actor.adminId, at: actor.at, status: from };
  return {
    row,
    status: MERGED_STATUS,
    changedAt: nextChangedAt(changedAt, actor.at),
    audit: toAuditRecord(`${kind}.merged`, actor, { referenceNumber, from, into: mergedInto }),
  };
}

/**
 * The mailbox state of a loan application after a split. The mailbox counts as confirmed if it was confirmed through this
 * application, or through the kept one if both have the same mailbox. Otherwise, the application's deadline (if any) moves to at
 * least `CONFIRMATION_MS` after the split, because it may have passed while the two were merged.
 */
export function splitMailbox(cells: MergeCells, kept: MergeCells, at: number) {
  const { confirmedAt, confirmBy } = mergedMailbox(cells, [kept]);
  return { confirmedAt, confirmBy: confirmBy && Math.max(confirmBy, at + CONFIRMATION_MS) };
}

export function splitRows(
  kind: SubmissionKind,
  changedAt: number,
  { referenceNumber, mergedInto, status }: MergeRow,
  actor: Actor,
) {
  const details = { referenceNumber, from: mergedInto, to: status };
  return {
    status,
    changedAt: nextChangedAt(changedAt, actor.at),
    audit: toAuditRecord(`${kind}.split`, actor, details),
  };
}
