import type { AttachmentRefusal, IncomingKind, MessageKind, OutgoingKind } from '../model/conversation.ts';
import type { Actor } from './record-port.ts';
import type { DocumentQuota, LoanDocument } from './submission-port.ts';

export interface MessageAttachment {
  readonly fileName: string;
  readonly mediaType: string;
  readonly byteLength: number;
  /** Null if the file is not kept. */
  readonly fileId: string | null;
  /** Null if the file is kept. Also null for emails that arrived before the portal kept files. */
  readonly refusal: AttachmentRefusal | null;
}

/** The encrypted content of an attachment. The store does not have the key. */
export type MessageFile = Omit<LoanDocument, 'kind'>;

export interface StoredFile extends MessageFile {
  readonly referenceNumber: string;
}

/** A message to or from the person who submitted a record. */
export interface RecordMessage {
  readonly id: string;
  readonly referenceNumber: string;
  readonly kind: MessageKind;
  /** Unix ms. */
  readonly at: number;
  /** The admin's username, or the id if there is no such account; null for an incoming message. */
  readonly by: string | null;
  /** The email address or the messaging account that the message came from; null for a message from the team. */
  readonly sender: string | null;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  readonly attachments: readonly MessageAttachment[];
  /** The Message-ID of an incoming email, or `chatMessageId`; null for a message from the team. */
  readonly mailId: string | null;
}

export interface NewReply extends Pick<RecordMessage, 'referenceNumber' | 'subject' | 'text'> {
  readonly kind: OutgoingKind;
  /** The ids of files that the admin attached to the record. */
  readonly files: readonly string[];
  /**
   * The id of the newest message that the admin saw; null if there was none. If there is a newer message, the reply is refused.
   */
  readonly after: string | null;
}

export interface NewIncomingMessage extends Omit<RecordMessage, 'id' | 'kind' | 'by' | 'sender' | 'mailId'> {
  readonly kind: IncomingKind;
  readonly sender: string;
  readonly mailId: string;
  /**
   * The content of the attachments that have a `fileId`. The store keeps the files that fit the limits. For each other file,
   * it sets the attachment's `refusal` and removes its `fileId`.
   */
  readonly files: readonly MessageFile[];
  readonly quotas: readonly DocumentQuota[];
  /** Whether the team is notified. */
  readonly notifies: boolean;
}

export type ReplyOutcome =
  | { readonly kind: 'sent'; readonly message: RecordMessage }
  /**
   * `unknown`: there is no such record. `changed`: there is a newer message, which the admin has not seen. `merged`: the
   * record is merged into another one. `file-missing`: a file is not among the files that the admin attached. `too-large`:
   * the files are too many, or too large in total, for one email.
   */
  | { readonly kind: 'unknown' | 'changed' | 'merged' | 'file-missing' | 'too-large' };

export interface ConversationStore {
  /** The messages about a record and about the records merged into it, oldest first. */
  messagesOf(referenceNumber: string): Promise<readonly RecordMessage[]>;
  find(id: string): Promise<RecordMessage | null>;
  readFile(id: string): Promise<StoredFile | null>;
  /**
   * Stores a file for a reply to a record. The file is deleted after a day unless the admin sends it.
   * @returns `full`, without writing anything, if the admin has too many unsent files; `unknown` if there is no such record
   */
  attach(file: StoredFile, actor: Pick<Actor, 'adminId' | 'at'>): Promise<'attached' | 'full' | 'unknown'>;
  /** Deletes a file that the admin attached and did not send. @returns whether there was such a file */
  detach(id: string, adminId: string): Promise<boolean>;
  /**
   * Stores a reply with its files and queues its email. If the record is a contact message, changes the record's status. All of
   * this and an audit record are written in one transaction.
   */
  reply(reply: NewReply, actor: Actor): Promise<ReplyOutcome>;
  /**
   * Stores an incoming message with the files that fit, and queues the notices to the team. If the record is a contact message,
   * reopens the record. All of this and an audit record are written in one transaction. If the record is merged into another
   * one, the message is stored with that other record.
   * @returns `known`, without writing anything, if a message with this `mailId` is stored; `unknown` if there is no such record
   */
  receive(message: NewIncomingMessage): Promise<'received' | 'known' | 'unknown'>;
  isKnown(mailId: string): Promise<boolean>;
  referenceOfDelivery(id: string): Promise<string | null>;
}
