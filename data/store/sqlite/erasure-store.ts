import type Database from 'better-sqlite3';
import { FILE_LIMITS } from '../../model/conversation.ts';
import { ERASED_PARTS, type ErasedPart } from '../../model/erased-parts.ts';
import { mailboxOf } from '../../model/mail-address.ts';
import type { AuditRecord } from '../audit-port.ts';
import type {
  ErasureCounts,
  ErasureStore,
  ErasureSubject,
  PersonalData,
  RetentionStore,
} from '../erasure-port.ts';
import { SPEND_RETENTION } from '../rules/card-changes.ts';
import {
  closedApplication,
  type Deletion,
  deletedDocument,
  deletedMessage,
  MESSAGE_FILE,
  retentionAt,
  unconfirmedAt,
} from '../rules/deletion-records.ts';
import { hasName, NAMING_COLUMNS } from '../rules/naming-columns.ts';
import { WEBHOOK_KEPT_MS } from '../rules/webhooks.ts';
import type { AuditStatements } from './audit-trail.ts';
import type { GroupCommit } from './group-commit.ts';
import { APP_FILE, inStore } from './store-files.ts';

/** The rows of one part of a person's data, and how they are erased. */
interface PartRows {
  readonly table: string;
  /** The condition for a row. `:references` is a JSON list of reference numbers, `:wallet` an address or null. */
  readonly rows: string;
  /** The new values; absent if the rows are deleted. `:at` is the time of the erasure. */
  readonly set?: string;
}

const BY_RECORD = 'referenceNumber in (select value from json_each(:references))';
const BY_ADDRESS = 'email = :email collate nocase';
const BY_WALLET = 'walletAddress = :wallet';
const BY_SUBSCRIPTION =
  'subject = :wallet or subject in (select value from json_each(:references)) or mailbox = :mailbox';
const IS_DELIVERED = `(${BY_RECORD} or referenceNumber in (select id from subscriptions where ${BY_SUBSCRIPTION}))`;

const OF_CLOSED_CARD = `cardId in (select id from cards where ${BY_WALLET} and state in ('closed', 'failed'))`;

/** The parts in the order of erasure: rows that reference a record are erased before the record. */
const PART_ROWS: Readonly<Record<ErasedPart, PartRows>> = {
  loanDocuments: { table: 'loan_documents', rows: BY_RECORD },
  loanVotes: { table: 'loan_votes', rows: BY_RECORD },
  noteVersions: { table: 'record_note_versions', rows: BY_RECORD },
  notes: { table: 'record_notes', rows: BY_RECORD },
  mentions: { table: 'note_mentions', rows: BY_RECORD },
  merges: { table: 'record_merges', rows: BY_RECORD },
  messageFiles: { table: 'message_files', rows: BY_RECORD },
  conversation: { table: 'record_messages', rows: BY_RECORD },
  decisionReasons: {
    table: 'record_decisions',
    rows: `${BY_RECORD} and reason is not null`,
    set: 'reason = null',
  },
  timelineNotes: {
    table: 'submission_events',
    rows: `${BY_RECORD} and note is not null`,
    set: 'note = null',
  },
  openUndos: { table: 'record_undos', rows: BY_RECORD },
  // The higher fence makes the store refuse an outcome from a worker that still has a lease.
  cancelledDeliveries: {
    table: 'deliveries',
    rows: `${IS_DELIVERED} and state in ('waiting', 'leased')`,
    set: "state = 'dead', leasedUntil = null, fence = fence + 1, finishedAt = :at",
  },
  // Erased before the recipients and the subscriptions, by which they are found.
  reminderNotices: {
    table: 'subscription_notices',
    rows: `subscriptionId in (select id from subscriptions where ${BY_SUBSCRIPTION})`,
  },
  // A request that names only a corrected address erases that address from the deliveries, because it may belong to another
  // person.
  recipients: {
    table: 'deliveries',
    rows: `recipient is not null and (${IS_DELIVERED} or (referenceNumber, recipient) in (select referenceNumber, email from address_corrections where ${BY_ADDRESS}))`,
    set: 'recipient = null',
  },
  earlierAddresses: { table: 'address_corrections', rows: `(${BY_RECORD} or ${BY_ADDRESS})` },
  deliveryAttempts: {
    table: 'delivery_attempts',
    rows: `deliveryId in (select id from deliveries where ${IS_DELIVERED}) and maskedRecipient <> '…'`,
    set: "maskedRecipient = '…', error = null, providerId = null",
  },
  reminders: { table: 'subscriptions', rows: `(${BY_SUBSCRIPTION})` },
  // Erased before the records, because their names are compared.
  savedFilters: {
    table: 'saved_filters',
    rows: `(${[
      'instr(lower(name || view), lower(:email)) > 0',
      'instr(name || view, :wallet) > 0',
      'exists (select 1 from json_each(:references) where instr(name || view, value) > 0)',
      // Only the search in a view is compared with names, because a short name could be part of the ids and values that the
      // view also contains.
      ...NAMING_COLUMNS.map(([table, column]) => {
        const names =
          column === 'name'
            ? `has_name(saved_filters.name || ' ' || coalesce(view ->> 'q', ''), p.name)`
            : 'instr(lower(saved_filters.name || view), lower(p.email)) > 0';
        return `exists (select 1 from ${table} p where p.${BY_RECORD} and length(p.${column}) > 2 and ${names})`;
      }),
    ].join(' or ')})`,
  },
  // Includes waiting events, because a later attempt would store the receiver's response again.
  webhookEvents: { table: 'webhook_deliveries', rows: BY_RECORD },
  repeatedAnswers: {
    table: 'idempotent_answers',
    rows: "json_extract(answer, '$.referenceNumber') in (select value from json_each(:references))",
  },
  mailboxEntries: {
    table: 'reference_numbers',
    rows: `${BY_RECORD} and mailbox is not null`,
    set: 'mailbox = null',
  },
  cardApplications: { table: 'card_applications', rows: BY_RECORD },
  verificationRequests: { table: 'verification_requests', rows: BY_RECORD },
  contactMessages: { table: 'contact_messages', rows: BY_RECORD },
  loanApplications: { table: 'loan_applications', rows: BY_RECORD },
  walletSessions: { table: 'wallet_sessions', rows: BY_WALLET },
  walletChallenges: { table: 'proof_challenges', rows: BY_WALLET },
  provenWallets: { table: 'proven_wallets', rows: BY_WALLET },
  whitelistedWallets: { table: 'whitelisted_wallets', rows: `(${BY_WALLET} or ${BY_RECORD})` },
  cardReasons: {
    table: 'card_decisions',
    rows: `cardId in (select id from cards where ${BY_WALLET}) and reason is not null`,
    set: 'reason = null',
  },
  // Erased even while the card is being created: the issuer has the data already, or refuses the card at the next attempt.
  cardholders: {
    table: 'cards',
    rows: `${BY_WALLET} and cardholder is not null`,
    set: 'cardholder = null',
  },
  cardSpends: { table: 'card_spends', rows: `cardId in (select id from cards where ${BY_WALLET})` },
  cardTags: { table: 'top_up_tags', rows: OF_CLOSED_CARD },
  cardTopUps: {
    table: 'usdt_transfers',
    rows: OF_CLOSED_CARD,
    set: `cardId = null, counterparty = ''`,
  },
  closedCards: { table: 'cards', rows: `${BY_WALLET} and state in ('closed', 'failed')` },
};

const FORMS = ['card_applications', 'verification_requests', 'contact_messages', 'loan_applications'];
const WITH_WALLET = FORMS.slice(0, 3);
const selectReferences = (column: string, value: string) => (table: string) =>
  `union select referenceNumber from ${table} where ${column} = ${value}`;

/** Finds a person's records by mailbox, by the mail address as it was typed, or by wallet, and those merged with them. */
const PERSON_RECORDS = `with recursive person (referenceNumber) as (
  select referenceNumber from reference_numbers where mailbox = :mailbox
  ${FORMS.map(selectReferences('email', ':email collate nocase')).join(' ')}
  ${WITH_WALLET.map(selectReferences('walletAddress', ':wallet')).join(' ')}
  union select iif(m.referenceNumber = p.referenceNumber, m.mergedInto, m.referenceNumber)
  from person p join record_merges m on p.referenceNumber in (m.referenceNumber, m.mergedInto)
) select referenceNumber, kind from reference_numbers where referenceNumber in (select referenceNumber from person)
order by createdAt, referenceNumber`;

/** The wallets that the records name. */
const NAMED_WALLETS = WITH_WALLET.map(
  (table) => `select walletAddress from ${table} where ${BY_RECORD} and walletAddress is not null`,
).join(' union ');

const WORD_TABLES = ['application_words', 'contact_words', 'request_words', 'loan_words'];

type Values = Readonly<Record<string, string | number | null>>;

function prepareErasing(client: Database.Database) {
  client.function('has_name', { deterministic: true }, (text, name) =>
    Number(hasName(String(text), String(name))),
  );
  const one = (sql: string) => client.prepare<[Values], number>(sql).pluck();
  const all = (sql: string) => client.prepare<[Values], string>(sql).pluck();
  return {
    counts: ERASED_PARTS.map((part) => {
      const { table, rows } = PART_ROWS[part];
      return [part, one(`select count(*) from ${table} where ${rows}`)] as const;
    }),
    erase: Object.values(PART_ROWS).map(({ table, rows, set }) =>
      client.prepare<[Values]>(
        `${set ? `update ${table} set ${set}` : `delete from ${table}`} where ${rows}`,
      ),
    ),
    records: client.prepare<[Values], PersonalData['records'][number]>(PERSON_RECORDS),
    wallets: all(NAMED_WALLETS),
    deliveries: all(`select id from deliveries where ${IS_DELIVERED}`),
    liveCards: one(`select count(*) from cards where ${BY_WALLET} and state not in ('closed', 'failed')`),
    adminMails: client.prepare<[], string>('select email from admins where email is not null').pluck(),
    // Without this option, a word table only marks entries as deleted and keeps their text for a while.
    secureWords: WORD_TABLES.map((table) =>
      client.prepare(`insert into ${table} (${table}, rank) values ('secure-delete', 1)`),
    ),
  };
}

/** The part of `app.db` that finds and erases a person's data. */
export function openErasures(
  client: Database.Database,
  audit: AuditStatements,
  deleteDocuments: DeleteDocuments,
  group: GroupCommit,
): ErasureStore {
  const rows = prepareErasing(client);

  const find = (
    { email, walletAddress }: ErasureSubject,
    at = 0,
  ): { readonly found: PersonalData; readonly values: Values } => {
    const mailbox = email === null ? null : mailboxOf(email);
    const subject = { email, mailbox, wallet: walletAddress, at };
    const records = rows.records.all(subject);
    const references = records.map(({ referenceNumber }) => referenceNumber);
    const values = { ...subject, references: JSON.stringify(references) };
    const counts = Object.fromEntries(
      rows.counts.map(([part, statement]) => [part, statement.get(values) ?? 0]),
    ) as unknown as ErasureCounts;
    const found = {
      records,
      counts,
      otherWallets: rows.wallets.all(values).filter((wallet) => wallet !== walletAddress),
      kept: {
        liveCards: rows.liveCards.get(values) ?? 0,
        adminAccounts: rows.adminMails.all().filter((admin) => mailboxOf(admin) === mailbox).length,
      },
      deliveries: rows.deliveries.all(values),
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
    for (const statement of rows.secureWords) statement.run();
    for (const { referenceNumber } of found.records) deleteDocuments(referenceNumber, deletion);
    for (const statement of rows.erase) statement.run(values);
    audit.append(record);
    return found;
  };

  return {
    find: (subject) =>
      inStore(
        client,
        APP_FILE,
        client.transaction(() => find(subject).found),
      ),
    erase: (subject, at, recordOf) => group.run(() => erase(subject, at, recordOf)),
  };
}

/**
 * Prepares a function that deletes a record's documents and the files of its messages in a transaction, with an audit record for
 * each.
 */
export function prepareDocumentDeletion(client: Database.Database, audit: AuditStatements) {
  const remove = client.prepare<[string], { readonly kind: string; readonly contentHash: string }>(
    'delete from loan_documents where referenceNumber = ? returning kind, contentHash',
  );
  const removeFiles = client.prepare<[string], { readonly kind: string; readonly contentHash: string }>(
    `delete from message_files where referenceNumber = ? returning '${MESSAGE_FILE}' as kind, contentHash`,
  );
  return (referenceNumber: string, deletion: Deletion): number => {
    const deleted = [...remove.all(referenceNumber), ...removeFiles.all(referenceNumber)];
    for (const document of deleted) audit.append(deletedDocument(referenceNumber, document, deletion));
    return deleted.length;
  };
}
type DeleteDocuments = ReturnType<typeof prepareDocumentDeletion>;

/** The part of `app.db` that deletes data when its retention period ends. */
export function openRetention(
  client: Database.Database,
  audit: AuditStatements,
  deleteDocuments: DeleteDocuments,
  group: GroupCommit,
): RetentionStore {
  // The documents of a merged application are deleted together with those of the kept record.
  const isPast = `(a.decidedAt <= :by or a.status = 'documents-deleted' or a.referenceNumber in (
    select m.referenceNumber from record_merges m join loan_applications k on k.referenceNumber = m.mergedInto
    where k.decidedAt <= :by or k.status = 'documents-deleted'))`;
  const due = client
    .prepare<[{ by: number }], string>(
      `select referenceNumber from loan_applications a where ${isPast}
       and (exists (select 1 from loan_documents d where d.referenceNumber = a.referenceNumber)
         or exists (select 1 from message_files f where f.referenceNumber = a.referenceNumber))
       order by coalesce(decidedAt, changedAt), referenceNumber`,
    )
    .pluck();
  const isDecided = client
    .prepare<[{ by: number; reference: string }]>(
      `select 1 from loan_applications a where referenceNumber = :reference and ${isPast}`,
    )
    .pluck();
  const isUnconfirmed = `confirmBy <= ? and status in ('received', 'in-review')`;
  const unconfirmed = client
    .prepare<[number], string>(
      `select referenceNumber from loan_applications where ${isUnconfirmed} order by confirmBy`,
    )
    .pluck();
  const close = client.prepare<[number, string, number]>(
    `update loan_applications set status = 'documents-deleted', changedAt = max(?, changedAt + 1), confirmBy = null
     where referenceNumber = ? and ${isUnconfirmed}`,
  );
  const addEvent = client.prepare<[string, number]>(
    `insert into submission_events (referenceNumber, at, status) values (?, ?, 'documents-deleted')`,
  );
  const deleteUnconfirmed = (referenceNumber: string, at: number): number => {
    if (close.run(at, referenceNumber, at).changes === 0) return 0;
    addEvent.run(referenceNumber, at);
    const documents = deleteDocuments(referenceNumber, unconfirmedAt(at));
    audit.append(closedApplication(referenceNumber, documents, at));
    return documents;
  };
  const messages = client
    .prepare<[number], string>(
      'select referenceNumber from contact_messages where closedAt <= ? order by closedAt',
    )
    .pluck();
  const isClosed = client
    .prepare<[string, number]>('select 1 from contact_messages where referenceNumber = ? and closedAt <= ?')
    .pluck();
  const mergedInto = client
    .prepare<[string], string>('select referenceNumber from record_merges where mergedInto = ?')
    .pluck();
  const erasing = prepareErasing(client);
  const deleteMessage = (referenceNumber: string, closedBy: number, at: number): number => {
    if (isClosed.get(referenceNumber, closedBy) === undefined) return 0;
    const references = [referenceNumber, ...mergedInto.all(referenceNumber)];
    const values = { references: JSON.stringify(references), email: null, mailbox: null, wallet: null, at };
    for (const statement of erasing.secureWords) statement.run();
    for (const statement of erasing.erase) statement.run(values);
    for (const one of references) audit.append(deletedMessage(one, at));
    return references.length;
  };
  const sessions = client.prepare<[number]>(
    'delete from wallet_sessions where expiresAt <= ? or endedAt is not null',
  );
  const challenges = client.prepare<[number]>('delete from proof_challenges where expiresAt <= ?');
  const answers = client.prepare<[number]>('delete from idempotent_answers where createdAt < ?');
  const usage = client.prepare<[number]>('delete from document_usage where endsAt <= ?');
  const undos = client.prepare<[number]>('delete from record_undos where until <= ?');
  const files = client.prepare<[number]>(
    'delete from message_files where unsentBy is not null and createdAt <= ?',
  );
  const webhooks = client.prepare<[number]>(
    "delete from webhook_deliveries where createdAt < ? and state <> 'leased'",
  );
  const spends = client.prepare<[number]>('delete from card_spends where toldAt < ?');

  return {
    documentsDue: (decidedBy) => inStore(client, APP_FILE, () => due.all({ by: decidedBy })),
    deleteDocuments: (referenceNumber, decidedBy, at) =>
      group.run(() =>
        isDecided.get({ by: decidedBy, reference: referenceNumber }) === undefined
          ? 0
          : deleteDocuments(referenceNumber, retentionAt(at)),
      ),
    unconfirmedDue: (now) => inStore(client, APP_FILE, () => unconfirmed.all(now)),
    deleteUnconfirmed: (referenceNumber, now) => group.run(() => deleteUnconfirmed(referenceNumber, now)),
    messagesDue: (closedBy) => inStore(client, APP_FILE, () => messages.all(closedBy)),
    deleteMessage: (referenceNumber, closedBy, at) =>
      group.run(() => deleteMessage(referenceNumber, closedBy, at)),
    deleteExpired: (now, answersBefore) =>
      group.run(
        () =>
          sessions.run(now).changes +
          challenges.run(now).changes +
          usage.run(now).changes +
          undos.run(now).changes +
          files.run(now - FILE_LIMITS.unsentMs).changes +
          webhooks.run(now - WEBHOOK_KEPT_MS).changes +
          spends.run(now - SPEND_RETENTION).changes +
          answers.run(answersBefore).changes,
      ),
    reusableBytes: () =>
      inStore(client, APP_FILE, () => {
        const pages = Number(client.pragma('freelist_count', { simple: true }));
        return pages * Number(client.pragma('page_size', { simple: true }));
      }),
    truncateLog: () =>
      inStore(client, APP_FILE, () => {
        client.pragma('wal_checkpoint(TRUNCATE)');
      }),
  };
}
