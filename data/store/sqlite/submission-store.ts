import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { mailboxOf } from '../../model/mail-address.ts';
import { isLoanOpen, type SubmissionKind, TRACKABLE_KINDS } from '../../model/submission-status.ts';
import { rowId } from '../row-id.ts';
import {
  allTakenError,
  exceededQuota,
  MAX_DRAWS,
  receivedAuditRecord,
  receivedDeliveries,
} from '../rules/received-submission.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import type {
  LoanApplication,
  LoanDocument,
  MailboxConfirmation,
  NewSubmissions,
  SubmissionOptions,
  SubmissionOutcome,
  SubmissionStore,
  WalletSubmission,
} from '../submission-port.ts';
import type { AuditStatements } from './audit-trail.ts';
import type { QueueDelivery } from './delivery-store.ts';
import {
  and,
  asc,
  count,
  equalsPlaceholder,
  getTableColumns,
  gte,
  lt,
  placeholder,
  rowPlaceholders,
  sql,
} from './drizzle.ts';
import type { GroupCommit } from './group-commit.ts';
import { APP_FILE, runInStore } from './store-files.ts';
import { SUBMISSION_TABLES, submissionOfRow, submissionRow } from './submission-rows.ts';
import {
  documentUsage,
  idempotentAnswers,
  loanDocuments,
  referenceNumbers,
  submissionEvents,
} from './submission-schema.ts';

function prepareTable(client: Database.Database, kind: SubmissionKind) {
  const { name, columns } = SUBMISSION_TABLES[kind];
  const values = columns.map((column) => `@${column}`);
  return {
    // `sequence` is the row id in `record_search`. It is set here, because an update would write many indexes again.
    add: client.prepare<[RawRow]>(
      `insert into ${name} (${columns.join(', ')}, sequence) select ${values.join(', ')},
        max(upTo, coalesce((select max(sequence) from record_search), 0)) + 1 from indexed_words`,
    ),
    find: client.prepare<[string], RawRow>(`select * from ${name} where referenceNumber = ?`),
  };
}

function prepareStatements(db: BetterSQLite3Database) {
  const { id } = loanDocuments;
  const { createdAt, ...document } = getTableColumns(loanDocuments);
  const ofReference = equalsPlaceholder(referenceNumbers.referenceNumber, 'referenceNumber');
  return {
    kindOf: db.select({ kind: referenceNumbers.kind }).from(referenceNumbers).where(ofReference).prepare(),
    countSubmittedSince: db
      .select({ rows: count() })
      .from(referenceNumbers)
      .where(
        and(
          equalsPlaceholder(referenceNumbers.mailbox, 'mailbox'),
          equalsPlaceholder(referenceNumbers.kind, 'kind'),
          gte(referenceNumbers.createdAt, placeholder('since')),
        ),
      )
      .prepare(),
    addReference: db
      .insert(referenceNumbers)
      .values(rowPlaceholders(referenceNumbers))
      .onConflictDoNothing({ target: referenceNumbers.referenceNumber })
      .prepare(),
    events: db
      .select({ at: submissionEvents.at, status: submissionEvents.status, note: submissionEvents.note })
      .from(submissionEvents)
      .where(equalsPlaceholder(submissionEvents.referenceNumber, 'referenceNumber'))
      .orderBy(asc(submissionEvents.sequence))
      .prepare(),
    addEvent: db
      .insert(submissionEvents)
      .values({ referenceNumber: placeholder('referenceNumber'), at: placeholder('at'), status: 'received' })
      .prepare(),
    answerOf: db
      .select({ bodyHash: idempotentAnswers.bodyHash, answer: idempotentAnswers.answer })
      .from(idempotentAnswers)
      .where(equalsPlaceholder(idempotentAnswers.keyHash, 'keyHash'))
      .prepare(),
    addAnswer: db.insert(idempotentAnswers).values(rowPlaceholders(idempotentAnswers)).prepare(),
    deleteAnswers: db
      .delete(idempotentAnswers)
      .where(lt(idempotentAnswers.createdAt, placeholder('before')))
      .prepare(),
    addDocument: db.insert(loanDocuments).values(rowPlaceholders(loanDocuments)).prepare(),
    usedBytes: db
      .select({ bytes: documentUsage.bytes })
      .from(documentUsage)
      .where(equalsPlaceholder(documentUsage.subject, 'subject'))
      .prepare(),
    addUsage: db
      .insert(documentUsage)
      .values(rowPlaceholders(documentUsage))
      .onConflictDoUpdate({
        target: documentUsage.subject,
        set: { bytes: sql`${documentUsage.bytes} + excluded.bytes` },
      })
      .prepare(),
    document: db.select(document).from(loanDocuments).where(equalsPlaceholder(id, 'id')).prepare(),
  };
}

interface Options {
  readonly db: BetterSQLite3Database;
  readonly audit: AuditStatements;
  readonly queueDelivery: QueueDelivery;
  readonly group: GroupCommit;
}

export function openSubmissions(
  client: Database.Database,
  { db, audit, queueDelivery, group }: Options,
): SubmissionStore {
  const statements = prepareStatements(db);
  const tables: Readonly<Record<SubmissionKind, ReturnType<typeof prepareTable>>> = {
    'card-application': prepareTable(client, 'card-application'),
    'verification-request': prepareTable(client, 'verification-request'),
    'contact-message': prepareTable(client, 'contact-message'),
    'loan-application': prepareTable(client, 'loan-application'),
  };

  function reserveReference(
    row: { readonly kind: SubmissionKind; readonly createdAt: number; readonly mailbox: string },
    draw: () => string,
  ): string {
    for (let draws = 0; draws < MAX_DRAWS; draws += 1) {
      const referenceNumber = draw();
      if (statements.addReference.run({ ...row, referenceNumber }).changes > 0) return referenceNumber;
    }
    throw allTakenError();
  }

  const usedBytes = (subject: string) => statements.usedBytes.get({ subject })?.bytes ?? 0;

  /**
   * Call this in a transaction. If two requests with the same idempotency key arrive at once, the second then finds the stored
   * response to the first.
   */
  function submit<Kind extends SubmissionKind>(
    kind: Kind,
    submission: NewSubmissions[Kind],
    { idempotency, confirmations, ...options }: SubmissionOptions,
    documents: readonly LoanDocument[],
  ): SubmissionOutcome {
    const { email, createdAt } = submission;
    if (idempotency) statements.deleteAnswers.run({ before: options.forgetAnswersBefore });
    const storedAnswer = idempotency && statements.answerOf.get({ keyHash: idempotency.keyHash });
    if (storedAnswer) {
      return storedAnswer.bodyHash === idempotency.bodyHash
        ? { kind: 'repeated', answer: storedAnswer.answer }
        : { kind: 'key-reused' };
    }
    const mailbox = mailboxOf(email);
    const earlierCount =
      statements.countSubmittedSince.get({ mailbox, kind, since: confirmations.since })?.rows ?? 0;
    const { quotas = [], maxSubmissions = Number.POSITIVE_INFINITY } = options;
    if (earlierCount >= maxSubmissions) return { kind: 'too-many' };
    const bytes = documents.reduce((sum, { content }) => sum + content.length, 0);
    const exceeded = exceededQuota(quotas, bytes, usedBytes);
    if (exceeded) return exceeded;
    for (const { subject, endsAt } of quotas) statements.addUsage.run({ subject, endsAt, bytes });
    const referenceNumber = reserveReference({ kind, createdAt, mailbox }, options.drawReference);
    tables[kind].add.run(submissionRow(kind, submission, referenceNumber));
    for (const document of documents) statements.addDocument.run({ ...document, referenceNumber, createdAt });
    statements.addEvent.run({ referenceNumber, at: createdAt });
    audit.append(receivedAuditRecord(kind, submission, referenceNumber, documents));
    const confirmationRecipient = earlierCount < confirmations.limit ? email : null;
    for (const delivery of receivedDeliveries(kind, referenceNumber, confirmationRecipient)) {
      queueDelivery(delivery, createdAt);
    }
    const answer = { ...options.answer, referenceNumber };
    if (idempotency) statements.addAnswer.run({ ...idempotency, answer, createdAt });
    return { kind: 'accepted', answer };
  }

  const countByMasterKey = client.prepare<[], { masterKeyId: string; documents: number }>(`
    select masterKey as masterKeyId, count(*) as documents
    from (select masterKey from loan_documents union all select masterKey from message_files) group by masterKey`);
  const byDigest = client.prepare<
    [string],
    Pick<LoanApplication, 'referenceNumber' | 'status' | 'confirmBy' | 'mailboxConfirmedAt'>
  >(
    // A merged application's documents are deleted with those of the kept record, so the kept one's deadline applies.
    `select a.referenceNumber, k.status, k.confirmBy, a.mailboxConfirmedAt from loan_applications a
     join loan_applications k on k.referenceNumber = coalesce(
       (select mergedInto from record_merges m where m.referenceNumber = a.referenceNumber), a.referenceNumber)
     where a.confirmationDigest = ?`,
  );
  const selectMergedInto = client
    .prepare<[string], string>('select mergedInto from record_merges where referenceNumber = ?')
    .pluck();
  // Not the record's own `changedAt`, which can change while the status stays the same, for example in a merge.
  const statusSince = (table: string) => `(
    select at from submission_events e where e.referenceNumber = ${table}.referenceNumber
    order by sequence desc limit 1) as changedAt`;
  const ofWallet = client.prepare<{ wallet: string; limit: number }, WalletSubmission>(`
    select 'card-application' as kind, referenceNumber, status, ${statusSince('card_applications')}, createdAt
    from card_applications where walletAddress = :wallet and status <> 'merged'
    union all select 'verification-request', referenceNumber, status, ${statusSince('verification_requests')}, createdAt
    from verification_requests where walletAddress = :wallet and status <> 'merged'
    union all select 'contact-message', referenceNumber, 'received', createdAt, createdAt
    from contact_messages where walletAddress = :wallet and status <> 'merged'
    order by createdAt desc, referenceNumber desc limit :limit`);
  const setConfirmed = client.prepare<[number, string]>(
    'update loan_applications set mailboxConfirmedAt = ?, confirmBy = null where referenceNumber = ?',
  );

  // Also confirms the kept record, unless its mailbox differs because the address in one of the records was corrected.
  const setKeptConfirmed = client.prepare<[number, string]>(`
    update loan_applications set mailboxConfirmedAt = ?, confirmBy = null
    where referenceNumber in (
      select m.mergedInto from record_merges m join reference_numbers r using (referenceNumber)
      join reference_numbers k on k.referenceNumber = m.mergedInto and k.mailbox = r.mailbox
      where m.referenceNumber = ?
    ) and mailboxConfirmedAt is null and status <> 'documents-deleted'`);

  function confirmMailbox(digest: string, at: number): MailboxConfirmation {
    const application = byDigest.get(digest);
    if (!application) return { kind: 'unknown' };
    const { referenceNumber, status, confirmBy, mailboxConfirmedAt } = application;
    if (mailboxConfirmedAt !== null) return { kind: 'again', referenceNumber };
    const isExpired = isLoanOpen(status) && confirmBy !== null && confirmBy <= at;
    if (isExpired || status === 'documents-deleted') return { kind: 'expired' };
    setConfirmed.run(at, referenceNumber);
    setKeptConfirmed.run(at, referenceNumber);
    const details = { referenceNumber };
    const action = 'loan-application.mailbox-confirmed';
    audit.append({ id: rowId(at), at, actor: 'visitor', action, details });
    return { kind: 'confirmed', referenceNumber };
  }

  return {
    submit: (kind, submission, options, documents = []) =>
      group.run(() => submit(kind, submission, options, documents)),
    exceededQuota: (quotas, bytes, keyHash) =>
      runInStore(client, APP_FILE, () =>
        keyHash !== null && statements.answerOf.get({ keyHash })
          ? null
          : exceededQuota(quotas, bytes, usedBytes),
      ),
    confirmMailbox: (digest, at) => group.run(() => confirmMailbox(digest, at)),
    find: (kind, referenceNumber) =>
      runInStore(client, APP_FILE, () => {
        const row = tables[kind].find.get(referenceNumber);
        return row ? submissionOfRow(kind, row) : null;
      }),
    timelineOf: (referenceNumber, email) =>
      runInStore(client, APP_FILE, () => {
        const storedKind = statements.kindOf.get({ referenceNumber })?.kind;
        const kind = TRACKABLE_KINDS.find((trackable) => trackable === storedKind);
        const row = kind && tables[kind].find.get(referenceNumber);
        if (!kind || !row || String(row.email).toLowerCase() !== email.toLowerCase()) return null;
        const mergedInto = selectMergedInto.get(referenceNumber) ?? null;
        const events = statements.events.all({ referenceNumber: mergedInto ?? referenceNumber });
        return { referenceNumber, kind, mergedInto, events };
      }),
    ofWallet: (wallet, limit) => runInStore(client, APP_FILE, () => ofWallet.all({ wallet, limit })),
    readDocument: (id) => runInStore(client, APP_FILE, () => statements.document.get({ id }) ?? null),
    countByMasterKey: () => runInStore(client, APP_FILE, () => countByMasterKey.all()),
  };
}
