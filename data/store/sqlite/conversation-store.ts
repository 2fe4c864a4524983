import type Database from 'better-sqlite3';
import { FILE_LIMITS, type MessageKind } from '../../model/conversation.ts';
import type { SubmissionKind } from '../../model/submission-status.ts';
import type {
  ConversationStore,
  NewIncomingMessage,
  RecordMessage,
  ReplyOutcome,
  StoredFile,
} from '../conversation-port.ts';
import {
  CONTACT_STATUS_AFTER,
  type FileFacts,
  type FittingFiles,
  fittingFiles,
  incomingRows,
  type MessageRow,
  type MessageRowWithAuthor,
  markDeletedFiles,
  replyAttachments,
  replyRows,
  toMessage,
} from '../rules/conversation.ts';
import { mergedReferencesSql } from '../rules/record-merges.ts';
import { type DueCells, dueCellsAfterMessage } from '../rules/record-work.ts';
import type { AuditStatements } from './audit-trail.ts';
import type { QueueDelivery } from './delivery-store.ts';
import type { GroupCommit } from './group-commit.ts';
import { statementCache } from './list-statements.ts';
import { prepareContactStatusChange } from './record-work.ts';
import { APP_FILE, runInStore } from './store-files.ts';
import { kindOf, SUBMISSION_TABLES } from './submission-rows.ts';

const COLUMNS = `m.id, m.referenceNumber, m.kind, m.at, m.sender, m.subject, m.text, m.attachments, m.mailId,
  coalesce((select a.username from admins a where a.id = m.adminId), m.adminId) as "by"`;

interface ConversationOptions {
  readonly audit: AuditStatements;
  readonly queueDelivery: QueueDelivery;
  readonly group: GroupCommit;
}

export function openConversations(
  client: Database.Database,
  { audit, queueDelivery, group }: ConversationOptions,
): ConversationStore {
  const statements = statementCache(client);
  const addMessage = client.prepare<[MessageRow]>(`
    insert into record_messages (id, referenceNumber, kind, at, adminId, sender, subject, text, attachments, mailId)
    values (:id, :referenceNumber, :kind, :at, :adminId, :sender, :subject, :text, :attachments, :mailId)`);

  const addFile = client.prepare<
    [StoredFile & { readonly createdAt: number; readonly unsentBy: string | null }]
  >(`
    insert into message_files (id, referenceNumber, fileName, mediaType, byteLength, contentHash, masterKey, wrappedKey, content,
      createdAt, unsentBy)
    values (:id, :referenceNumber, :fileName, :mediaType, :byteLength, :contentHash, :masterKeyId, :wrappedKey, :content,
      :createdAt, :unsentBy)`);

  /** @returns null if the record is erased or unknown */
  function recordOf(
    referenceNumber: string,
  ): { readonly kind: SubmissionKind; readonly email: string } | null {
    const kind = kindOf(statements, referenceNumber);
    if (kind === undefined) return null;
    const email = statements(`select email from ${SUBMISSION_TABLES[kind].name} where referenceNumber = ?`)
      .pluck()
      .get(referenceNumber) as string | undefined;
    return email === undefined ? null : { kind, email };
  }

  const mergedIntoOf = (referenceNumber: string) =>
    (statements('select mergedInto from record_merges where referenceNumber = ?')
      .pluck()
      .get(referenceNumber) ?? null) as string | null;

  const find = (id: string): RecordMessage | null => {
    const row = statements(`select ${COLUMNS} from record_messages m where m.id = ?`).get(id);
    return row === undefined ? null : toMessage(row as MessageRowWithAuthor);
  };

  const isKnown = (mailId: string): boolean =>
    statements('select 1 from record_messages where mailId = ?').get(mailId) !== undefined;

  const moveContact = prepareContactStatusChange(statements, audit);

  function moveDueTime(
    recordKind: SubmissionKind,
    referenceNumber: string,
    kind: MessageKind,
    at: number,
  ): void {
    const table = SUBMISSION_TABLES[recordKind].name;
    const cells = statements(
      `select status, createdAt, dueAt, dueLeft from ${table} where referenceNumber = ?`,
    ).get(referenceNumber) as DueCells;
    const due = dueCellsAfterMessage(kind, cells, at);
    if (due === null) return;
    statements(`update ${table} set dueAt = ?, dueLeft = ? where referenceNumber = ?`).run(
      due.dueAt,
      due.dueLeft,
      referenceNumber,
    );
  }

  /** Selects those files of a message that fit within the record's limits and the quotas. */
  function selectFittingFiles(message: NewIncomingMessage): FittingFiles {
    const stored = statements(
      'select count(*) as files, coalesce(sum(length(content)), 0) as bytes from message_files where referenceNumber = ? and unsentBy is null',
    ).get(message.referenceNumber) as { readonly files: number; readonly bytes: number };
    const usedBytes = statements('select bytes from document_usage where subject = ?').pluck();
    return fittingFiles(message, stored, (subject) => Number(usedBytes.get(subject) ?? 0));
  }

  function addFiles(
    { quotas, referenceNumber, at }: NewIncomingMessage,
    { files, bytes }: FittingFiles,
  ): void {
    if (files.length === 0) return;
    for (const { subject, endsAt } of quotas) {
      statements(`
        insert into document_usage (subject, bytes, endsAt) values (?, ?, ?)
        on conflict (subject) do update set bytes = bytes + excluded.bytes`).run(subject, bytes, endsAt);
    }
    for (const file of files) addFile.run({ ...file, referenceNumber, createdAt: at, unsentBy: null });
  }

  const storeMessage = (
    recordKind: SubmissionKind,
    { row, deliveries, audit: auditRecord }: ReturnType<typeof replyRows>,
  ): void => {
    const { referenceNumber, kind, at, adminId } = row;
    addMessage.run(row);
    for (const delivery of deliveries) queueDelivery(delivery, at);
    audit.append(auditRecord);
    const status = CONTACT_STATUS_AFTER[kind];
    if (recordKind !== 'contact-message') moveDueTime(recordKind, referenceNumber, kind, at);
    else if (status !== null) {
      moveContact({ referenceNumber, status, actor: { at, adminId, address: auditRecord.address ?? null } });
    }
  };

  return {
    messagesOf: (referenceNumber) =>
      runInStore(client, APP_FILE, () => {
        const keptFileIds = statements(
          `select id from message_files where referenceNumber in ${mergedReferencesSql('', '?')}`,
        )
          .pluck()
          .all(referenceNumber) as string[];
        const messages = statements(
          `select ${COLUMNS} from record_messages m where m.referenceNumber in ${mergedReferencesSql('', '?')} order by m.sequence`,
        ).all(referenceNumber) as MessageRowWithAuthor[];
        return messages.map((row) => markDeletedFiles(toMessage(row), keptFileIds));
      }),
    find: (id) => runInStore(client, APP_FILE, () => find(id)),
    readFile: (id) =>
      runInStore(client, APP_FILE, () => {
        const file = statements(`
          select id, referenceNumber, fileName, mediaType, byteLength, contentHash, masterKey as masterKeyId, wrappedKey, content
          from message_files where id = ?`).get(id) as StoredFile | undefined;
        return file ?? null;
      }),
    attach: (file, { adminId, at }) =>
      group.run(() => {
        if (recordOf(file.referenceNumber) === null) return 'unknown';
        const unsentCount = statements('select count(*) from message_files where unsentBy = ?')
          .pluck()
          .get(adminId);
        if (Number(unsentCount) >= FILE_LIMITS.unsentPerAdmin) return 'full';
        addFile.run({ ...file, createdAt: at, unsentBy: adminId });
        return 'attached';
      }),
    detach: (id, adminId) =>
      group.run(
        () =>
          statements('delete from message_files where id = ? and unsentBy = ?').run(id, adminId).changes > 0,
      ),
    reply: (reply, actor) =>
      group.run((): ReplyOutcome => {
        const record = recordOf(reply.referenceNumber);
        if (record === null) return { kind: 'unknown' };
        if (mergedIntoOf(reply.referenceNumber) !== null) return { kind: 'merged' };
        const newestId = statements(
          `select id from record_messages where referenceNumber in ${mergedReferencesSql('', '?')} order by sequence desc limit 1`,
        )
          .pluck()
          .get(reply.referenceNumber);
        if ((newestId ?? null) !== reply.after) return { kind: 'changed' };
        const attachments = replyAttachments(
          reply.files,
          statements(`
            select id, fileName, mediaType, byteLength from message_files
            where referenceNumber = ? and unsentBy = ?`).all(
            reply.referenceNumber,
            actor.adminId,
          ) as FileFacts[],
        );
        if (typeof attachments === 'string') return { kind: attachments };
        for (const { fileId } of attachments) {
          statements('update message_files set unsentBy = null where id = ?').run(fileId);
        }
        const rows = replyRows(record, reply, actor, attachments);
        storeMessage(record.kind, rows);
        const message = find(rows.row.id);
        if (message === null) throw new Error('The stored message cannot be read.');
        return { kind: 'sent', message };
      }),
    receive: (receivedMessage) =>
      group.run(() => {
        const referenceNumber =
          mergedIntoOf(receivedMessage.referenceNumber) ?? receivedMessage.referenceNumber;
        const message = { ...receivedMessage, referenceNumber };
        if (isKnown(message.mailId)) return 'known';
        const record = recordOf(message.referenceNumber);
        if (record === null) return 'unknown';
        const filesToStore = selectFittingFiles(message);
        storeMessage(record.kind, incomingRows(record.kind, message, filesToStore));
        addFiles(message, filesToStore);
        return 'received';
      }),
    isKnown: (mailId) => runInStore(client, APP_FILE, () => isKnown(mailId)),
    referenceOfDelivery: (id) =>
      runInStore(
        client,
        APP_FILE,
        () =>
          (statements('select referenceNumber from deliveries where id = ?').pluck().get(id) ?? null) as
            | string
            | null,
      ),
  };
}
