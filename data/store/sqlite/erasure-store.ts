import type Database from 'better-sqlite3';
import { FILE_LIMITS } from '../../model/conversation.ts';
import { mailboxOf } from '../../model/mail-address.ts';
import type { AuditRecord } from '../audit-port.ts';
import type {
  ErasureCounts,
  ErasureStore,
  ErasureSubject,
  PersonalData,
  RetentionStore,
} from '../erasure-port.ts';
import type { SavedFilter } from '../filter-port.ts';
import { SPEND_RETENTION_MS } from '../rules/card-changes.ts';
import { isFileToSendSql } from '../rules/conversation.ts';
import {
  applicationClosingRecord,
  type Deletion,
  documentDeletionRecord,
  MESSAGE_FILE,
  messageDeletionRecord,
  retentionDeletion,
  unconfirmedDeletion,
} from '../rules/deletion-records.ts';
import { filtersWithNames, personalRows } from '../rules/personal-rows.ts';
import { WEBHOOK_RETENTION_MS } from '../rules/webhooks.ts';
import type { AuditStatements } from './audit-trail.ts';
import type { GroupCommit } from './group-commit.ts';
import { APP_FILE, runInStore } from './store-files.ts';

const ROWS = personalRows({
  isReference: (column) => `${column} in (select value from json_each(:references))`,
  references: 'json_each(:references)',
  isMessage: (column) => `${column} in (select value from json_each(:messages))`,
  isFilter: (column) => `${column} in (select value from json_each(:filters))`,
  isEarlierAddress: (column) => `${column} in (select value from json_each(:earlierAddresses))`,
  matchesEmail: 'email = :email collate nocase',
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  emptyList: "'[]'",
});

const sqliteSql = (sql: string) => sql.replaceAll('$.', '');
export const PERSON_EMAILS = sqliteSql(ROWS.emails);
export const PERSON_WALLETS = sqliteSql(ROWS.wallets);

const WORD_TABLES = ['application_words', 'contact_words', 'request_words', 'loan_words'];

type Values = Readonly<Record<string, string | number | null>>;

function prepareErasureStatements(client: Database.Database) {
  const prepare = <Row>(sql: string) => client.prepare<[Values], Row>(sqliteSql(sql));
  return {
    counts: ROWS.countStatements.map(([part, sql]) => [part, prepare<number>(sql).pluck()] as const),
    records: prepare<PersonalData['records'][number]>(ROWS.records),
    invitations: prepare<{ readonly id: string; readonly email: string }>(ROWS.invitations),
    received: prepare<{ readonly id: string; readonly sender: string }>(ROWS.received),
    earlierAddresses: prepare<string>(ROWS.earlierAddresses).pluck(),
    names: prepare<string>(ROWS.names).pluck(),
    savedFilters: prepare<Pick<SavedFilter, 'id' | 'name' | 'view'>>(ROWS.savedFilters),
    deleteFiles: prepare<{ readonly referenceNumber: string; readonly contentHash: string }>(
      ROWS.deleteFiles,
    ),
    wallets: prepare<string>(ROWS.namedWallets).pluck(),
    deliveries: prepare<string>(ROWS.deliveries).pluck(),
    liveCards: prepare<number>(ROWS.liveCards).pluck(),
    adminMails: prepare<string>(ROWS.adminEmails).pluck(),
  };
}

function prepareEraseAll(client: Database.Database): (values: Values) => void {
  // Without this option, a word table only marks entries as deleted and keeps their text for a while.
  const secureWords = WORD_TABLES.map((table) =>
    client.prepare(`insert into ${table} (${table}, rank) values ('secure-delete', 1)`),
  );
  const eraseSteps = ROWS.eraseStatements.map(({ sql }) => client.prepare<[Values]>(sqliteSql(sql)));
  return (values) => {
    for (const secure of secureWords) secure.run();
    for (const erase of eraseSteps) erase.run(values);
  };
}

export function openErasures(
  client: Database.Database,
  audit: AuditStatements,
  deleteDocuments: DeleteDocuments,
  group: GroupCommit,
): ErasureStore {
  const statements = prepareErasureStatements(client);
  const eraseAll = prepareEraseAll(client);

  const find = (
    { email, walletAddress }: ErasureSubject,
    at = 0,
  ): { readonly found: PersonalData; readonly values: Values } => {
    const mailbox = email === null ? null : mailboxOf(email);
    const subject = { email, mailbox, wallet: walletAddress, at };
    const records = statements.records.all(subject);
    const allInvitations = mailbox === null ? [] : statements.invitations.all({});
    const invitations = allInvitations.filter((one) => mailboxOf(one.email) === mailbox).map(({ id }) => id);
    const references = [...records.map(({ referenceNumber }) => referenceNumber), ...invitations];
    const received = mailbox === null ? [] : statements.received.all({});
    const messages = received.filter(({ sender }) => mailboxOf(sender) === mailbox).map(({ id }) => id);
    const addresses = mailbox === null ? [] : statements.earlierAddresses.all({});
    const named = { references: JSON.stringify(references) };
    const filters = filtersWithNames(statements.savedFilters.all({}), statements.names.all(named));
    const values = {
      ...subject,
      ...named,
      messages: JSON.stringify(messages),
      filters: JSON.stringify(filters),
      earlierAddresses: JSON.stringify(addresses.filter((address) => mailboxOf(address) === mailbox)),
    };
    const counts = Object.fromEntries(
      statements.counts.map(([part, statement]) => [part, statement.get(values) ?? 0]),
    ) as unknown as ErasureCounts;
    const found = {
      records,
      counts,
      otherWallets: statements.wallets.all(values).filter((wallet) => wallet !== walletAddress),
      kept: {
        liveCards: statements.liveCards.get(values) ?? 0,
        adminAccounts: statements.adminMails.all({}).filter((admin) => mailboxOf(admin) === mailbox).length,
      },
      deliveries: statements.deliveries.all(values),
    };
    return { found, values };
  };

  const erase = (
    subject: ErasureSubject,
    at: number,
    recordOf: (erased: PersonalData) => AuditRecord,
  ): PersonalData => {
    const { found, values } = find(subject, at);
    const record = recordOf(found);
    const { actor, address = null } = record;
    const deletion = { at, actor, address, why: 'erasure' } as const;
    for (const { referenceNumber } of found.records) deleteDocuments(referenceNumber, deletion);
    for (const { referenceNumber, contentHash } of statements.deleteFiles.all(values)) {
      const file = { kind: MESSAGE_FILE, contentHash };
      audit.append(documentDeletionRecord(referenceNumber, file, deletion));
    }
    eraseAll(values);
    audit.append(record);
    return found;
  };

  return {
    find: (subject) =>
      runInStore(
        client,
        APP_FILE,
        client.transaction(() => find(subject).found),
      ),
    erase: (subject, at, recordOf) => group.run(() => erase(subject, at, recordOf)),
  };
}

/**
 * Prepares a function that deletes a record's documents and the files of its messages, except files that are still to be
 * sent. The function adds an audit record for each deleted document or file. Call it in a transaction.
 */
export function prepareDocumentDeletion(client: Database.Database, audit: AuditStatements) {
  const remove = client.prepare<[string], { readonly kind: string; readonly contentHash: string }>(
    'delete from loan_documents where referenceNumber = ? returning kind, contentHash',
  );
  const removeFiles = client.prepare<[string], { readonly kind: string; readonly contentHash: string }>(
    `delete from message_files as f where referenceNumber = ? and not ${isFileToSendSql('')}
     returning '${MESSAGE_FILE}' as kind, contentHash`,
  );
  return (referenceNumber: string, deletion: Deletion): number => {
    const deleted = [...remove.all(referenceNumber), ...removeFiles.all(referenceNumber)];
    for (const document of deleted) audit.append(documentDeletionRecord(referenceNumber, document, deletion));
    return deleted.length;
  };
}
type DeleteDocuments = ReturnType<typeof prepareDocumentDeletion>;

export function openRetention(
  client: Database.Database,
  audit: AuditStatements,
  deleteDocuments: DeleteDocuments,
  group: GroupCommit,
): RetentionStore {
  // A merged application's documents are deleted together with those of the record that it was merged into.
  const isRetentionOver = `(a.decidedAt <= :by or a.status = 'documents-deleted' or a.referenceNumber in (
    select m.referenceNumber from record_merges m join loan_applications k on k.referenceNumber = m.mergedInto
    where k.decidedAt <= :by or k.status = 'documents-deleted'))`;
  const applicationsDue = client
    .prepare<[{ by: number }], string>(
      `select referenceNumber from loan_applications a where ${isRetentionOver}
       and (exists (select 1 from loan_documents d where d.referenceNumber = a.referenceNumber)
         or exists (select 1 from message_files f where f.referenceNumber = a.referenceNumber and not ${isFileToSendSql('')}))
       order by coalesce(decidedAt, changedAt), referenceNumber`,
    )
    .pluck();
  const isDue = client
    .prepare<[{ by: number; reference: string }]>(
      `select 1 from loan_applications a where referenceNumber = :reference and ${isRetentionOver}`,
    )
    .pluck();
  const isUnconfirmed = `confirmBy <= ? and status in ('received', 'in-review')`;
  const unconfirmedApplications = client
    .prepare<[number], string>(
      `select referenceNumber from loan_applications where ${isUnconfirmed} order by confirmBy`,
    )
    .pluck();
  const closeUnconfirmed = client.prepare<[number, string, number]>(
    `update loan_applications set status = 'documents-deleted', changedAt = max(?, changedAt + 1), confirmBy = null
     where referenceNumber = ? and ${isUnconfirmed}`,
  );
  const addEvent = client.prepare<[string, number]>(
    `insert into submission_events (referenceNumber, at, status) values (?, ?, 'documents-deleted')`,
  );
  const deleteUnconfirmed = (referenceNumber: string, at: number): number => {
    if (closeUnconfirmed.run(at, referenceNumber, at).changes === 0) return 0;
    addEvent.run(referenceNumber, at);
    const documents = deleteDocuments(referenceNumber, unconfirmedDeletion(at));
    audit.append(applicationClosingRecord(referenceNumber, documents, at));
    return documents;
  };
  const messagesDue = client
    .prepare<[number], string>(
      'select referenceNumber from contact_messages where closedAt <= ? order by closedAt',
    )
    .pluck();
  const isClosed = client
    .prepare<[string, number]>('select 1 from contact_messages where referenceNumber = ? and closedAt <= ?')
    .pluck();
  const mergedRecords = client
    .prepare<[string], string>('select referenceNumber from record_merges where mergedInto = ?')
    .pluck();
  const eraseAll = prepareEraseAll(client);
  const deleteMessage = (referenceNumber: string, closedUntil: number, at: number): number => {
    if (isClosed.get(referenceNumber, closedUntil) === undefined) return 0;
    const references = [referenceNumber, ...mergedRecords.all(referenceNumber)];
    const subject = { email: null, mailbox: null, wallet: null, at };
    // `filters` is empty, so saved filters that contain the sender's name stay. The sender may have entered any word as
    // a name, so such a filter may have nothing to do with the sender.
    const values = {
      ...subject,
      references: JSON.stringify(references),
      ...{ messages: '[]', filters: '[]', earlierAddresses: '[]' },
    };
    eraseAll(values);
    for (const reference of references) audit.append(messageDeletionRecord(reference, at));
    return references.length;
  };
  const deleteSessions = client.prepare<[number]>(
    'delete from wallet_sessions where expiresAt <= ? or endedAt is not null',
  );
  const deleteChallenges = client.prepare<[number]>('delete from proof_challenges where expiresAt <= ?');
  const deleteAnswers = client.prepare<[number]>('delete from idempotent_answers where createdAt < ?');
  const deleteUsage = client.prepare<[number]>('delete from document_usage where endsAt <= ?');
  const deleteUndos = client.prepare<[number]>('delete from record_undos where until <= ?');
  const deleteFiles = client.prepare<[number]>(
    'delete from message_files where unsentBy is not null and createdAt <= ?',
  );
  const deleteWebhooks = client.prepare<[number]>(
    "delete from webhook_deliveries where createdAt < ? and state <> 'leased'",
  );
  const deleteSpends = client.prepare<[number]>('delete from card_spends where toldAt < ?');

  return {
    applicationsWithDocumentsDue: (decidedUntil) =>
      runInStore(client, APP_FILE, () => applicationsDue.all({ by: decidedUntil })),
    deleteDocuments: (referenceNumber, decidedUntil, at) =>
      group.run(() =>
        isDue.get({ by: decidedUntil, reference: referenceNumber }) === undefined
          ? 0
          : deleteDocuments(referenceNumber, retentionDeletion(at)),
      ),
    unconfirmedApplicationsDue: (now) => runInStore(client, APP_FILE, () => unconfirmedApplications.all(now)),
    deleteUnconfirmed: (referenceNumber, now) => group.run(() => deleteUnconfirmed(referenceNumber, now)),
    messagesDue: (closedUntil) => runInStore(client, APP_FILE, () => messagesDue.all(closedUntil)),
    deleteMessage: (referenceNumber, closedUntil, at) =>
      group.run(() => deleteMessage(referenceNumber, closedUntil, at)),
    deleteExpired: (now, answersBefore) =>
      group.run(
        () =>
          deleteSessions.run(now).changes +
          deleteChallenges.run(now).changes +
          deleteUsage.run(now).changes +
          deleteUndos.run(now).changes +
          deleteFiles.run(now - FILE_LIMITS.unsentMs).changes +
          deleteWebhooks.run(now - WEBHOOK_RETENTION_MS).changes +
          deleteSpends.run(now - SPEND_RETENTION_MS).changes +
          deleteAnswers.run(answersBefore).changes,
      ),
    reusableBytes: () =>
      runInStore(client, APP_FILE, () => {
        const pages = Number(client.pragma('freelist_count', { simple: true }));
        return pages * Number(client.pragma('page_size', { simple: true }));
      }),
    truncateLog: () =>
      runInStore(client, APP_FILE, () => {
        client.pragma('wal_checkpoint(TRUNCATE)');
      }),
  };
}
