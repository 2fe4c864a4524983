import type { AuditRecord } from '../audit-port.ts';
import type { Actor, NoteOutcome, RecordStore } from '../record-port.ts';
import { auditOf } from './record-decisions.ts';

/** A row of the table `record_notes`. */
export interface NoteRow {
  readonly referenceNumber: string;
  readonly adminId: string;
  readonly text: string;
  readonly createdAt: number;
  readonly changedAt: number | null;
  readonly removedAt: number | null;
}

/** What a change of a note stores, or why there is none. */
export function changedNote(
  note: NoteRow | null | undefined,
  { noteId, seen, text }: Parameters<RecordStore['changeNote']>[0],
  actor: Actor,
):
  | Exclude<NoteOutcome, 'done'>
  | {
      readonly referenceNumber: string;
      readonly text: string;
      readonly changedAt: number;
      readonly removedAt: number | null;
      readonly version: { readonly at: number; readonly text: string };
      readonly audit: AuditRecord;
    } {
  if (!note || note.removedAt !== null) return 'unknown';
  if (note.adminId !== actor.adminId) return 'not-yours';
  if (note.text !== seen) return 'changed';
  const { referenceNumber } = note;
  const action = text === null ? 'note.removed' : 'note.changed';
  return {
    referenceNumber,
    text: text ?? '',
    changedAt: actor.at,
    removedAt: text === null ? actor.at : null,
    version: { at: note.changedAt ?? note.createdAt, text: note.text },
    audit: auditOf(action, actor, { referenceNumber, note: noteId }),
  };
}
