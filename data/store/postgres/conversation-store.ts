import { SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
import type { ConversationStore, RecordMessage, ReplyOutcome } from '../conversation-port.ts';
import {
  answerRows,
  CONTACT_STATUS_AFTER,
  type ReadMessage,
  replyRows,
  toMessage,
} from '../rules/conversation.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import type { Database, Transaction } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';
import type { SearchWords } from './record-search.ts';
import { prepareContactMove } from './record-work.ts';
import { SUBMISSION_TABLES } from './submission-rows.ts';

const COLUMNS = `m.id, m."referenceNumber", m.kind, m.at, m.sender, m.subject, m.text, m.attachments, m."mailId",
  coalesce((select a.username from $.admins a where a.id = m."adminId"), m."adminId") as "by"`;

function prepareStatements({ statement }: Database) {
  return {
    of: statement<ReadMessage>(
      `select ${COLUMNS} from $.record_messages m where m."referenceNumber" = $1 order by m.sequence`,
    ),
    find: statement<ReadMessage>(`select ${COLUMNS} from $.record_messages m where m.id = $1`),
    kind: statement<{ kind: SubmissionKind }>(
      'select kind from $.reference_numbers where "referenceNumber" = $1',
    ),
    newest: statement<{ id: string }>(
      'select id from $.record_messages where "referenceNumber" = $1 order by sequence desc limit 1',
    ),
    isKnown: statement('select from $.record_messages where "mailId" = $1'),
    add: statement(`
      insert into $.record_messages
        (id, "referenceNumber", kind, at, "adminId", sender, subject, text, attachments, "mailId")
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`),
    ofDelivery: statement<{ referenceNumber: string }>(
      'select "referenceNumber" from $.deliveries where id = $1',
    ),
  };
}

/** Messages about records. */
export function openConversations(
  db: Database,
  queueDeliveries: QueueDeliveries,
  searchWords: SearchWords,
  { announce }: Pick<QueueSignal, 'announce'>,
): ConversationStore {
  const rows = prepareStatements(db);
  const moveContact = prepareContactMove(db);
  // Locked, so that an erasure finds every message.
  const locking = Object.fromEntries(
    SUBMISSION_KINDS.map((kind) => {
      const { name } = SUBMISSION_TABLES[kind];
      const text = `select email from $.${name} where "referenceNumber" = $1 for update`;
      return [kind, db.statement<{ email: string }>(text)];
    }),
  ) as Readonly<Record<SubmissionKind, ReturnType<typeof db.statement<{ email: string }>>>>;

  /** The kind and the mail address of a record that is not erased. */
  async function recordOf(transaction: Transaction, referenceNumber: string) {
    const found = await transaction.get(rows.kind, referenceNumber);
    const record = found && (await transaction.get(locking[found.kind], referenceNumber));
    return record && found ? { kind: found.kind, email: record.email } : null;
  }

  async function store(
    transaction: Transaction,
    recordKind: SubmissionKind,
    { row, deliveries, audit }: ReturnType<typeof replyRows>,
  ): Promise<void> {
    const { id, referenceNumber, kind, at, adminId, sender, subject, text, attachments, mailId } = row;
    const written = [id, referenceNumber, kind, at, adminId, sender, subject, text, attachments, mailId];
    await transaction.run(rows.add, ...written);
    await searchWords.update(transaction, recordKind, referenceNumber);
    await queueDeliveries(
      transaction,
      deliveries.map((delivery) => ({ delivery, at })),
    );
    transaction.record(audit);
    const status = CONTACT_STATUS_AFTER[kind];
    if (recordKind === 'contact-message' && status !== null) {
      const actor = { at, adminId, address: audit.address ?? null };
      await moveContact(transaction, { referenceNumber, status, actor });
    }
  }

  async function find(on: Pick<Database, 'get'>, id: string): Promise<RecordMessage | null> {
    const row = await on.get(rows.find, id);
    return row && toMessage(row);
  }

  return {
    of: async (referenceNumber) => (await db.all(rows.of, referenceNumber)).map(toMessage),
    find: (id) => find(db, id),
    async reply(reply, actor) {
      const { referenceNumber } = reply;
      const outcome = await db.transaction<ReplyOutcome>(
        [`conversation ${referenceNumber}`],
        async (transaction) => {
          const record = await recordOf(transaction, referenceNumber);
          if (record === null) return { kind: 'unknown' };
          const newest = await transaction.get(rows.newest, referenceNumber);
          if ((newest?.id ?? null) !== reply.after) return { kind: 'changed' };
          const added = replyRows(record, reply, actor);
          await store(transaction, record.kind, added);
          const message = await find(transaction, added.row.id);
          if (message === null) throw new Error('The stored message cannot be read.');
          return { kind: 'sent', message };
        },
      );
      if (outcome.kind === 'sent') announce();
      return outcome;
    },
    async receive(answer) {
      const locks = [`conversation ${answer.referenceNumber}`, `mail ${answer.mailId}`];
      const outcome = await db.transaction(locks, async (transaction) => {
        if (await transaction.get(rows.isKnown, answer.mailId)) return 'known';
        const record = await recordOf(transaction, answer.referenceNumber);
        if (record === null) return 'unknown';
        await store(transaction, record.kind, answerRows(record.kind, answer));
        return 'received';
      });
      if (outcome === 'received' && answer.notifies) announce();
      return outcome;
    },
    referenceOfDelivery: async (id) => (await db.get(rows.ofDelivery, id))?.referenceNumber ?? null,
  };
}
