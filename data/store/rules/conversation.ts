import type { MessageKind } from '../../model/conversation.ts';
import type { ContactStatus, SubmissionKind } from '../../model/submission-status.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { MessageAttachment, NewAnswer, NewReply, RecordMessage } from '../conversation-port.ts';
import type { Actor } from '../record-port.ts';
import { rowId } from '../row-id.ts';
import type { QueuedDelivery } from './receipts.ts';

/** A row of the table of messages. */
export interface MessageRow extends Omit<RecordMessage, 'by' | 'attachments'> {
  readonly adminId: string | null;
  /** As JSON. */
  readonly attachments: string;
}

/** A message as read: with the admin's name instead of the id. */
export type ReadMessage = Omit<MessageRow, 'adminId'> & Pick<RecordMessage, 'by'>;

interface MessageRows {
  readonly row: MessageRow;
  readonly deliveries: readonly QueuedDelivery[];
  readonly audit: AuditRecord;
}

export const toMessage = ({ attachments, ...message }: ReadMessage): RecordMessage => ({
  ...message,
  attachments: JSON.parse(attachments) as readonly MessageAttachment[],
});

/** The event of the deliveries about a message. */
export const messageEvent = (kind: SubmissionKind, happened: 'replied' | 'answered', id: string): string =>
  `${kind}.${happened}:${id}`;

/** The state of a contact message after each kind of message about it; null if it does not change. */
export const CONTACT_STATUS_AFTER: Readonly<Record<MessageKind, ContactStatus | null>> = {
  reply: 'answered',
  question: 'waiting',
  answer: 'open',
  'automatic-answer': null,
};

/** @param record the record that the reply is about */
export function replyRows(
  record: { readonly kind: SubmissionKind; readonly email: string },
  { referenceNumber, kind, subject, text }: NewReply,
  { adminId, address, at }: Actor,
): MessageRows {
  const id = rowId(at);
  const mailId = null;
  const row = { id, referenceNumber, kind, at, adminId, sender: null, subject, text, mailId };
  const event = messageEvent(record.kind, 'replied', id);
  const recipient = record.email;
  return {
    row: { ...row, attachments: '[]' },
    deliveries: [{ event, referenceNumber, channel: 'mail', audience: 'applicant', recipient }],
    audit: {
      id: rowId(at),
      at,
      actor: adminId,
      address,
      action: kind === 'question' ? 'record.information-requested' : 'record.replied',
      details: { referenceNumber, message: id },
    },
  };
}

/** @param recordKind the kind of the record that the answer is about */
export function answerRows(
  recordKind: SubmissionKind,
  { notifies, attachments, ...answer }: NewAnswer,
): MessageRows {
  const { referenceNumber, at } = answer;
  const id = rowId(at);
  const event = messageEvent(recordKind, 'answered', id);
  const notice = { event, referenceNumber, audience: 'team', recipient: null } as const;
  return {
    row: { ...answer, id, adminId: null, attachments: JSON.stringify(attachments) },
    deliveries: notifies
      ? [
          { ...notice, channel: 'mail' },
          { ...notice, channel: 'telegram' },
        ]
      : [],
    audit: {
      id: rowId(at),
      at,
      actor: 'visitor',
      action: 'record.answered',
      details: { referenceNumber, message: id, isAutomatic: answer.kind === 'automatic-answer' },
    },
  };
}
