import { FILE_LIMITS, type MessageKind } from '../../model/conversation.ts';
import { SUBMISSION_KINDS, type SubmissionKind, type TrackableKind } from '../../model/submission-status.ts';
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
  type MessageRowWithAuthor,
  markDeletedFiles,
  replyAttachments,
  replyRows,
  toMessage,
} from '../rules/conversation.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import { mergedReferencesSql } from '../rules/record-merges.ts';
import { dueCellsAfterMessage } from '../rules/record-work.ts';
import type { Database, Transaction } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';
import type { SearchWords } from './record-search.ts';
import { prepareContactStatusChange, prepareDueTimes } from './record-work.ts';
import { SELECT_KIND, SUBMISSION_TABLES } from './submission-rows.ts';

const COLUMNS = `m.id, m."referenceNumber", m.kind, m.at, m.sender, m.subject, m.text, m.attachments, m."mailId",
  coalesce((select a.username from $.admins a where a.id = m."adminId"), m."adminId") as "by"`;

function prepareStatements({ statement }: Database) {
  return {
    messagesOf: statement<MessageRowWithAuthor>(
      `select ${COLUMNS} from $.record_messages m where m."referenceNumber" in ${mergedReferencesSql('$.', '$1')} order by m.sequence`,
    ),
    find: statement<MessageRowWithAuthor>(`select ${COLUMNS} from $.record_messages m where m.id = $1`),
    kind: statement<{ kind: SubmissionKind }>(SELECT_KIND),
    newest: statement<{ id: string }>(
      `select id from $.record_messages where "referenceNumber" in ${mergedReferencesSql('$.', '$1')} order by sequence desc limit 1`,
    ),
    isKnown: statement('select from $.record_messages where "mailId" = $1'),
    add: statement(`
      insert into $.record_messages
        (id, "referenceNumber", kind, at, "adminId", sender, subject, text, attachments, "mailId")
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`),
    fileIds: statement<{ id: string }>(
      `select id from $.message_files where "referenceNumber" in ${mergedReferencesSql('$.', '$1')}`,
    ),
    mergeOf: statement<{ mergedInto: string }>(
      'select "mergedInto" from $.record_merges where "referenceNumber" = $1',
    ),
    storedFiles: statement<{ files: number; bytes: number }>(`
      select count(*) as files, coalesce(sum(length(content)), 0)::bigint as bytes
      from $.message_files where "referenceNumber" = $1 and "unsentBy" is null`),
    usedBytes: statement<{ subject: string; bytes: number }>(
      'select subject, bytes from $.document_usage where subject = any($1)',
    ),
    addUsage: statement(`
      insert into $.document_usage as used (subject, bytes, "endsAt") values ($1, $2, $3)
      on conflict (subject) do update set bytes = used.bytes + excluded.bytes`),
    addFile: statement(`
      insert into $.message_files (id, "referenceNumber", "fileName", "mediaType", "byteLength", "contentHash", "masterKey",
        "wrappedKey", content, "createdAt", "unsentBy")
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`),
    // Locked, so that a file that is due for deletion is not deleted before it is sent.
    unsentFiles: statement<FileFacts>(`
      select id, "fileName", "mediaType", "byteLength" from $.message_files
      where "referenceNumber" = $1 and "unsentBy" = $2 for update`),
    unsentCount: statement<{ files: number }>(
      'select count(*) as files from $.message_files where "unsentBy" = $1',
    ),
    markSent: statement('update $.message_files set "unsentBy" = null where id = any($1)'),
    removeFile: statement('delete from $.message_files where id = $1 and "unsentBy" = $2'),
    file: statement<StoredFile>(`
      select id, "referenceNumber", "fileName", "mediaType", "byteLength", "contentHash", "masterKey" as "masterKeyId", "wrappedKey", content
      from $.message_files where id = $1`),
    ofDelivery: statement<{ referenceNumber: string }>(
      'select "referenceNumber" from $.deliveries where id = $1',
    ),
  };
}

export function openConversations(
  db: Database,
  queueDeliveries: QueueDeliveries,
  searchWords: SearchWords,
  { announce }: Pick<QueueSignal, 'announce'>,
): ConversationStore {
  const statements = prepareStatements(db);
  const changeContactStatus = prepareContactStatusChange(db);
  // Locked, so that an erasure finds every message.
  const lockStatements = Object.fromEntries(
    SUBMISSION_KINDS.map((kind) => {
      const { name } = SUBMISSION_TABLES[kind];
      const text = `select email from $.${name} where "referenceNumber" = $1 for update`;
      return [kind, db.statement<{ email: string }>(text)];
    }),
  ) as Readonly<Record<SubmissionKind, ReturnType<typeof db.statement<{ email: string }>>>>;

  const dueTimes = prepareDueTimes(db);

  async function moveDueTime(
    transaction: Transaction,
    recordKind: TrackableKind,
    referenceNumber: string,
    kind: MessageKind,
    at: number,
  ): Promise<void> {
    const { read, write } = dueTimes[recordKind];
    const cells = await transaction.get(read, referenceNumber);
    const due = cells && dueCellsAfterMessage(kind, cells, at);
    if (due) await transaction.run(write, referenceNumber, due.dueAt, due.dueLeft);
  }

  /** Locks a record. @returns null if the record is erased or unknown */
  async function lockRecord(transaction: Transaction, referenceNumber: string) {
    const kindRow = await transaction.get(statements.kind, referenceNumber);
    const record = kindRow && (await transaction.get(lockStatements[kindRow.kind], referenceNumber));
    return record && kindRow ? { kind: kindRow.kind, email: record.email } : null;
  }

  async function storeMessage(
    transaction: Transaction,
    recordKind: SubmissionKind,
    { row, deliveries, audit }: ReturnType<typeof replyRows>,
  ): Promise<void> {
    const { id, referenceNumber, kind, at, adminId, sender, subject, text, attachments, mailId } = row;
    const values = [id, referenceNumber, kind, at, adminId, sender, subject, text, attachments, mailId];
    await transaction.run(statements.add, ...values);
    await searchWords.update(transaction, recordKind, referenceNumber);
    await queueDeliveries(
      transaction,
      deliveries.map((delivery) => ({ delivery, at })),
    );
    transaction.record(audit);
    const status = CONTACT_STATUS_AFTER[kind];
    if (recordKind !== 'contact-message') {
      await moveDueTime(transaction, recordKind, referenceNumber, kind, at);
    } else if (status !== null) {
      const actor = { at, adminId, address: audit.address ?? null };
      await changeContactStatus(transaction, { referenceNumber, status, actor });
    }
  }

  async function selectFittingFiles(
    transaction: Transaction,
    message: NewIncomingMessage,
  ): Promise<FittingFiles> {
    const stored = await transaction.get(statements.storedFiles, message.referenceNumber);
    const subjects = message.quotas.map(({ subject }) => subject);
    const used = await transaction.all(statements.usedBytes, subjects);
    return fittingFiles(
      message,
      stored ?? { files: 0, bytes: 0 },
      (subject) => used.find((one) => one.subject === subject)?.bytes ?? 0,
    );
  }

  async function addFiles(
    transaction: Transaction,
    { quotas, referenceNumber, at }: NewIncomingMessage,
    { files, bytes }: FittingFiles,
  ): Promise<void> {
    if (files.length === 0) return;
    for (const { subject, endsAt } of quotas)
      await transaction.run(statements.addUsage, subject, bytes, endsAt);
    for (const file of files) await addFile(transaction, { ...file, referenceNumber }, at, null);
  }

  async function addFile(
    transaction: Transaction,
    { id, referenceNumber, fileName, mediaType, byteLength, ...sealed }: StoredFile,
    at: number,
    unsentBy: string | null,
  ): Promise<void> {
    const { contentHash, masterKeyId, wrappedKey, content } = sealed;
    const fileValues = [fileName, mediaType, byteLength, contentHash, masterKeyId, wrappedKey, content];
    await transaction.run(statements.addFile, id, referenceNumber, ...fileValues, at, unsentBy);
  }

  async function find(queries: Pick<Database, 'get'>, id: string): Promise<RecordMessage | null> {
    const row = await queries.get(statements.find, id);
    return row && toMessage(row);
  }

  return {
    messagesOf: async (referenceNumber) => {
      // Read before the files. In the other order, a message that is stored between the two reads would seem to lack its files.
      const messages = await db.all(statements.messagesOf, referenceNumber);
      const keptFileIds = (await db.all(statements.fileIds, referenceNumber)).map(({ id }) => id);
      return messages.map((row) => markDeletedFiles(toMessage(row), keptFileIds));
    },
    find: (id) => find(db, id),
    readFile: (id) => db.get(statements.file, id),
    attach: (file, { adminId, at }) =>
      db.transaction([`files ${adminId}`], async (transaction) => {
        if ((await lockRecord(transaction, file.referenceNumber)) === null) return 'unknown';
        const unsent = await transaction.get(statements.unsentCount, adminId);
        if ((unsent?.files ?? 0) >= FILE_LIMITS.unsentPerAdmin) return 'full';
        await addFile(transaction, file, at, adminId);
        return 'attached';
      }),
    detach: async (id, adminId) => (await db.run(statements.removeFile, id, adminId)) > 0,
    async reply(reply, actor) {
      const { referenceNumber } = reply;
      const outcome = await db.transaction<ReplyOutcome>(
        [`conversation ${referenceNumber}`],
        async (transaction) => {
          const record = await lockRecord(transaction, referenceNumber);
          if (record === null) return { kind: 'unknown' };
          if (await transaction.get(statements.mergeOf, referenceNumber)) return { kind: 'merged' };
          const newest = await transaction.get(statements.newest, referenceNumber);
          if ((newest?.id ?? null) !== reply.after) return { kind: 'changed' };
          const unsent = await transaction.all(statements.unsentFiles, referenceNumber, actor.adminId);
          const attachments = replyAttachments(reply.files, unsent);
          if (typeof attachments === 'string') return { kind: attachments };
          await transaction.run(
            statements.markSent,
            attachments.map(({ fileId }) => fileId),
          );
          const rows = replyRows(record, reply, actor, attachments);
          await storeMessage(transaction, record.kind, rows);
          const message = await find(transaction, rows.row.id);
          if (message === null) throw new Error('The stored message cannot be read.');
          return { kind: 'sent', message };
        },
      );
      if (outcome.kind === 'sent') announce();
      return outcome;
    },
    async receive(receivedMessage) {
      const locks = [
        `conversation ${receivedMessage.referenceNumber}`,
        `mail ${receivedMessage.mailId}`,
        ...receivedMessage.quotas.map(({ subject }) => `quota ${subject}`),
      ];
      const outcome = await db.transaction(locks, async (transaction) => {
        if (await transaction.get(statements.isKnown, receivedMessage.mailId)) return 'known';
        const namedRecord = await lockRecord(transaction, receivedMessage.referenceNumber);
        if (namedRecord === null) return 'unknown';
        // Read after the record is locked, so that no merge happens in the meantime.
        const merge = await transaction.get(statements.mergeOf, receivedMessage.referenceNumber);
        const record = merge ? await lockRecord(transaction, merge.mergedInto) : namedRecord;
        if (record === null) return 'unknown';
        const message = {
          ...receivedMessage,
          referenceNumber: merge?.mergedInto ?? receivedMessage.referenceNumber,
        };
        const filesToStore = await selectFittingFiles(transaction, message);
        await storeMessage(transaction, record.kind, incomingRows(record.kind, message, filesToStore));
        await addFiles(transaction, message, filesToStore);
        return 'received';
      });
      if (outcome === 'received' && receivedMessage.notifies) announce();
      return outcome;
    },
    isKnown: async (mailId) => (await db.get(statements.isKnown, mailId)) !== null,
    referenceOfDelivery: async (id) => (await db.get(statements.ofDelivery, id))?.referenceNumber ?? null,
  };
}
