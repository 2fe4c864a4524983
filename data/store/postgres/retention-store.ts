import { FILE_LIMITS } from '../../model/conversation.ts';
import type { RetentionStore } from '../erasure-port.ts';
import { SPEND_RETENTION_MS } from '../rules/card-changes.ts';
import { nextChangedAt } from '../rules/changed-at.ts';
import { isFileToSendSql } from '../rules/conversation.ts';
import {
  applicationClosingRecord,
  messageDeletionRecord,
  retentionDeletion,
  unconfirmedDeletion,
} from '../rules/deletion-records.ts';
import { WEBHOOK_RETENTION_MS } from '../rules/webhooks.ts';
import { DELETE_ENDED_COUNTS } from './call-counts.ts';
import type { Database } from './database.ts';
import { type DeleteDocuments, prepareEraseAll } from './erasure-store.ts';

// The documents of a merged application are deleted together with the documents of the record that it was merged into.
const HAS_DOCUMENTS_DUE = `(a."decidedAt" <= $1 or a.status = 'documents-deleted' or a."referenceNumber" in (
  select m."referenceNumber" from $.record_merges m
  join $.loan_applications k on k."referenceNumber" = m."mergedInto"
  where k."decidedAt" <= $1 or k.status = 'documents-deleted'))`;
const IS_UNCONFIRMED = `"confirmBy" <= $1 and status in ('received', 'in-review')`;

type ClosableApplication = { readonly status: string; readonly changedAt: number };

function prepareStatements({ statement }: Database) {
  return {
    documentsDue: statement<{ referenceNumber: string }>(`
      select "referenceNumber" from $.loan_applications a where ${HAS_DOCUMENTS_DUE}
        and (exists (select from $.loan_documents d where d."referenceNumber" = a."referenceNumber")
          or exists (select from $.message_files f where f."referenceNumber" = a."referenceNumber" and not ${isFileToSendSql('$.')}))
      order by coalesce("decidedAt", "changedAt"), "referenceNumber"`),
    // Locks the application and the one that it is merged into, so that neither is reopened before their documents are deleted.
    lockApplication: statement(`
      select from $.loan_applications where "referenceNumber" = $1
        or "referenceNumber" = (select "mergedInto" from $.record_merges where "referenceNumber" = $1)
      order by "referenceNumber" for update`),
    hasDocumentsDue: statement(
      `select from $.loan_applications a where ${HAS_DOCUMENTS_DUE} and "referenceNumber" = $2`,
    ),
    unconfirmed: statement<{ referenceNumber: string }>(`
      select "referenceNumber" from $.loan_applications where ${IS_UNCONFIRMED} order by "confirmBy", "referenceNumber"`),
    closable: statement<ClosableApplication>(`
      select status, "changedAt" from $.loan_applications where ${IS_UNCONFIRMED} and "referenceNumber" = $2 for update`),
    close: statement(`
      with closed as (
        update $.loan_applications set status = 'documents-deleted', "changedAt" = $2, "confirmBy" = null
        where "referenceNumber" = $1
      )
      insert into $.count_changes (kind, status, rows)
      values ('loan-application', $3, -1), ('loan-application', 'documents-deleted', 1)`),
    addEvent: statement(`
      insert into $.submission_events ("referenceNumber", at, status) values ($1, $2, 'documents-deleted')`),
    messages: statement<{ referenceNumber: string }>(
      'select "referenceNumber" from $.contact_messages where "closedAt" <= $1 order by "closedAt", "referenceNumber"',
    ),
    isClosed: statement(
      'select from $.contact_messages where "referenceNumber" = $1 and "closedAt" <= $2 for update',
    ),
    // Locked, so that a message that is split off at the same time is not deleted.
    mergedRecords: statement<{ referenceNumber: string }>(
      'select "referenceNumber" from $.record_merges where "mergedInto" = $1 for update',
    ),
    deleteExpired: [
      'delete from $.wallet_sessions where "expiresAt" <= $1 or "endedAt" is not null',
      'delete from $.proof_challenges where "expiresAt" <= $1',
      'delete from $.document_usage where "endsAt" <= $1',
      'delete from $.record_undos where until <= $1',
    ].map((text) => statement(text)),
    deleteUnsentFiles: statement(
      'delete from $.message_files where "unsentBy" is not null and "createdAt" <= $1',
    ),
    deleteWebhooks: statement(`
      delete from $.webhook_deliveries where "createdAt" < $1 and state <> 'leased'`),
    deleteSpends: statement('delete from $.card_spends where "toldAt" < $1'),
    deleteEndedCounts: statement(DELETE_ENDED_COUNTS),
    deleteAnswers: statement('delete from $.idempotent_answers where "createdAt" < $1'),
  };
}

/** @param vacuum removes deleted rows from the tables with personal data */
export function openRetention(
  db: Database,
  deleteDocuments: DeleteDocuments,
  vacuum: () => Promise<void>,
): RetentionStore {
  const statements = prepareStatements(db);
  const erase = prepareEraseAll(db);
  const referenceNumbers = (rows: readonly { readonly referenceNumber: string }[]) =>
    rows.map(({ referenceNumber }) => referenceNumber);
  return {
    applicationsWithDocumentsDue: async (decidedUntil) =>
      referenceNumbers(await db.all(statements.documentsDue, decidedUntil)),
    deleteDocuments: (referenceNumber, decidedUntil, at) =>
      db.transaction([], async (transaction) => {
        await transaction.all(statements.lockApplication, referenceNumber);
        if (!(await transaction.get(statements.hasDocumentsDue, decidedUntil, referenceNumber))) return 0;
        return deleteDocuments(transaction, referenceNumber, retentionDeletion(at));
      }),
    unconfirmedApplicationsDue: async (now) => referenceNumbers(await db.all(statements.unconfirmed, now)),
    deleteUnconfirmed: (referenceNumber, now) =>
      db.transaction([], async (transaction) => {
        const application = await transaction.get(statements.closable, now, referenceNumber);
        if (!application) return 0;
        await transaction.run(
          statements.close,
          referenceNumber,
          nextChangedAt(application.changedAt, now),
          application.status,
        );
        await transaction.run(statements.addEvent, referenceNumber, now);
        const documents = await deleteDocuments(transaction, referenceNumber, unconfirmedDeletion(now));
        transaction.record(applicationClosingRecord(referenceNumber, documents, now));
        return documents;
      }),
    messagesDue: async (closedUntil) => referenceNumbers(await db.all(statements.messages, closedUntil)),
    deleteMessage: (referenceNumber, closedUntil, at) =>
      db.transaction([], async (transaction) => {
        if (!(await transaction.get(statements.isClosed, referenceNumber, closedUntil))) return 0;
        const references = [
          referenceNumber,
          ...referenceNumbers(await transaction.all(statements.mergedRecords, referenceNumber)),
        ];
        // No `filters`: saved filters with the sender's name stay, because the sender may have typed any word as the name.
        await erase(transaction, { references, wallet: null, at });
        for (const one of references) transaction.record(messageDeletionRecord(one, at));
        return references.length;
      }),
    deleteExpired: async (now, answersBefore) => {
      const deleted = await db.transaction([], async (transaction) => {
        let rowCount = await transaction.run(statements.deleteAnswers, answersBefore);
        for (const expired of statements.deleteExpired) rowCount += await transaction.run(expired, now);
        rowCount += await transaction.run(statements.deleteUnsentFiles, now - FILE_LIMITS.unsentMs);
        rowCount += await transaction.run(statements.deleteSpends, now - SPEND_RETENTION_MS);
        return rowCount + (await transaction.run(statements.deleteWebhooks, now - WEBHOOK_RETENTION_MS));
      });
      // Not part of the transaction, because calls that are being counted would have to wait until it ends.
      return deleted + (await db.run(statements.deleteEndedCounts));
    },
    // The database is not on the portal's disk.
    reusableBytes: async () => 0,
    truncateLog: vacuum,
  };
}
