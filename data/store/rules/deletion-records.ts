import type { AuditRecord } from '../audit-port.ts';
import { rowId } from '../row-id.ts';

export interface Deletion extends Pick<AuditRecord, 'at' | 'actor'> {
  readonly address: string | null;
  readonly why: 'erasure' | 'retention' | 'mailbox not confirmed';
}

const bySystem = (at: number) => ({ at, actor: 'system', address: null });

export const retentionDeletion = (at: number): Deletion => ({ ...bySystem(at), why: 'retention' });
export const unconfirmedDeletion = (at: number): Deletion => ({
  ...bySystem(at),
  why: 'mailbox not confirmed',
});

/** The kind of document that is named in the audit record when a message's file is deleted. */
export const MESSAGE_FILE = 'message-file';

/** The audit record for deleting a loan application's document or a message's attachment. */
export function documentDeletionRecord(
  referenceNumber: string,
  { kind, contentHash }: { readonly kind: string; readonly contentHash: string },
  { why, ...origin }: Deletion,
): AuditRecord {
  const details = { referenceNumber, document: kind, contentHash, why };
  const action = kind === MESSAGE_FILE ? 'message-file.deleted' : 'loan-document.deleted';
  return { ...origin, id: rowId(origin.at), action, details };
}

/** The audit record for closing a loan application because its mailbox was not confirmed in time. */
export const applicationClosingRecord = (
  referenceNumber: string,
  documentCount: number,
  at: number,
): AuditRecord => ({
  ...bySystem(at),
  id: rowId(at),
  action: 'loan-application.documents-deleted',
  details: { referenceNumber, documents: documentCount },
});

export const messageDeletionRecord = (referenceNumber: string, at: number): AuditRecord => ({
  ...bySystem(at),
  id: rowId(at),
  action: 'contact-message.deleted',
  details: { referenceNumber, why: 'retention' },
});
