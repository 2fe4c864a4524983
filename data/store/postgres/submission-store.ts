import {
  isLoanOpen,
  mapKinds,
  SUBMISSION_KINDS,
  type SubmissionKind,
  TRACKABLE_KINDS,
} from '../../model/submission-status.ts';
import { rowId } from '../row-id.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import { exceededQuota } from '../rules/received-submission.ts';
import { type RawRow, toSubmission } from '../rules/submission-rows.ts';
import type {
  LoanApplication,
  LoanDocument,
  MailboxConfirmation,
  SubmissionStore,
  Submissions,
  SubmissionTimeline,
  WalletSubmission,
} from '../submission-port.ts';
import type { Database } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';
import { createGroupRunner } from './group-runner.ts';
import { prepareSubmissionGroups } from './submission-group.ts';
import { columnList, SELECT_KIND, SUBMISSION_TABLES } from './submission-rows.ts';

type ConfirmableApplication = Pick<
  LoanApplication,
  'referenceNumber' | 'status' | 'confirmBy' | 'mailboxConfirmedAt'
>;
type StoredDocument = LoanDocument & { readonly referenceNumber: string };

function prepareStatements({ statement }: Database) {
  const prepareFind = (kind: SubmissionKind) => {
    const table = SUBMISSION_TABLES[kind];
    return statement<RawRow & { details: RawRow }>(
      `select ${columnList(table)} from $.${table.name} where "referenceNumber" = $1`,
    );
  };
  // The `changedAt` of a record can change while its status stays the same, as in a merge.
  const statusSince = (table: string) => `(
    select at from $.submission_events e where e."referenceNumber" = ${table}."referenceNumber"
    order by sequence desc limit 1) as "changedAt"`;
  return {
    find: mapKinds(SUBMISSION_KINDS, prepareFind),
    kindOf: statement<{ kind: SubmissionKind }>(SELECT_KIND),
    events: statement<SubmissionTimeline['events'][number]>(`
      select at, status, note from $.submission_events where "referenceNumber" = $1 order by sequence`),
    selectMergedInto: statement<{ mergedInto: string }>(
      'select "mergedInto" from $.record_merges where "referenceNumber" = $1',
    ),
    hasAnswer: statement('select from $.idempotent_answers where "keyHash" = $1'),
    usedBytes: statement<{ subject: string; bytes: number }>(
      'select subject, bytes from $.document_usage where subject = any($1)',
    ),
    ofWallet: statement<WalletSubmission>(`
      select 'card-application' as kind, "referenceNumber", status, ${statusSince('card_applications')}, "createdAt"
      from $.card_applications where "walletAddress" = $1 and status <> 'merged'
      union all select 'verification-request', "referenceNumber", status, ${statusSince('verification_requests')}, "createdAt"
      from $.verification_requests where "walletAddress" = $1 and status <> 'merged'
      union all select 'contact-message', "referenceNumber", 'received', "createdAt", "createdAt"
      from $.contact_messages where "walletAddress" = $1 and status <> 'merged'
      order by "createdAt" desc, "referenceNumber" desc limit $2`),
    document: statement<StoredDocument>(`
      select id, "referenceNumber", kind, "fileName", "mediaType", "byteLength", "contentHash", "masterKey" as "masterKeyId",
        "wrappedKey", content
      from $.loan_documents where id = $1`),
    countByMasterKey: statement<{ masterKeyId: string; documents: number }>(
      `select "masterKey" as "masterKeyId", count(*) as documents from (
        select "masterKey" from $.loan_documents union all select "masterKey" from $.message_files
      ) sealed group by "masterKey"`,
    ),
    // For a merged application, reads the status and the deadline of the kept application, because the documents of both are
    // deleted together.
    byDigest: statement<ConfirmableApplication>(`
      select a."referenceNumber", k.status, k."confirmBy", a."mailboxConfirmedAt" from $.loan_applications a
      join $.loan_applications k on k."referenceNumber" = coalesce(
        (select "mergedInto" from $.record_merges m where m."referenceNumber" = a."referenceNumber"), a."referenceNumber")
      where a."confirmationDigest" = $1 for update`),
    // Confirms the kept application too, if it has the same mailbox. The mailboxes can differ after an address was corrected.
    setKeptConfirmed: statement(`
      update $.loan_applications set "mailboxConfirmedAt" = $2, "confirmBy" = null
      where "referenceNumber" in (
        select m."mergedInto" from $.record_merges m join $.reference_numbers r using ("referenceNumber")
        join $.reference_numbers k on k."referenceNumber" = m."mergedInto" and k.mailbox = r.mailbox
        where m."referenceNumber" = $1
      ) and "mailboxConfirmedAt" is null and status <> 'documents-deleted'`),
    setConfirmed: statement(`
      update $.loan_applications set "mailboxConfirmedAt" = $2, "confirmBy" = null where "referenceNumber" = $1`),
  };
}

export function openSubmissions(
  db: Database,
  queueDeliveries: QueueDeliveries,
  signal: Pick<QueueSignal, 'announce'>,
): SubmissionStore {
  const statements = prepareStatements(db);
  const submit = createGroupRunner(prepareSubmissionGroups(db, queueDeliveries));

  const find = async <Kind extends SubmissionKind>(
    kind: Kind,
    referenceNumber: string,
  ): Promise<Submissions[Kind] | null> => {
    const row = await db.get(statements.find[kind], referenceNumber);
    return row && toSubmission(kind, row, row.details);
  };

  const confirmMailbox = (digest: string, at: number): Promise<MailboxConfirmation> =>
    db.transaction([], async (transaction) => {
      const application = await transaction.get(statements.byDigest, digest);
      if (!application) return { kind: 'unknown' };
      const { referenceNumber, status, confirmBy, mailboxConfirmedAt } = application;
      if (mailboxConfirmedAt !== null) return { kind: 'again', referenceNumber };
      const isExpired = isLoanOpen(status) && confirmBy !== null && confirmBy <= at;
      if (isExpired || status === 'documents-deleted') return { kind: 'expired' };
      await transaction.run(statements.setConfirmed, referenceNumber, at);
      await transaction.run(statements.setKeptConfirmed, referenceNumber, at);
      const action = 'loan-application.mailbox-confirmed';
      transaction.record({ id: rowId(at), at, actor: 'visitor', action, details: { referenceNumber } });
      return { kind: 'confirmed', referenceNumber };
    });

  return {
    async submit(kind, submission, options, documents = []) {
      // Throws here if the answer cannot be stored, so that the call does not become part of a group.
      JSON.stringify(options.answer);
      const outcome = await submit({ kind, submission, options, documents });
      if (outcome.kind === 'accepted') signal.announce();
      return outcome;
    },
    async exceededQuota(quotas, bytes, keyHash) {
      if (keyHash !== null && (await db.get(statements.hasAnswer, keyHash))) return null;
      const subjects = quotas.map(({ subject }) => subject);
      const used = new Map(
        (await db.all(statements.usedBytes, subjects)).map((row) => [row.subject, row.bytes]),
      );
      return exceededQuota(quotas, bytes, (subject) => used.get(subject) ?? 0);
    },
    confirmMailbox,
    find,
    async timelineOf(referenceNumber, email) {
      const storedKind = (await db.get(statements.kindOf, referenceNumber))?.kind;
      const kind = TRACKABLE_KINDS.find((followed) => followed === storedKind);
      const submission = kind && (await find(kind, referenceNumber));
      if (!kind || submission?.email.toLowerCase() !== email.toLowerCase()) return null;
      const { mergedInto = null } = (await db.get(statements.selectMergedInto, referenceNumber)) ?? {};
      const events = await db.all(statements.events, mergedInto ?? referenceNumber);
      return { referenceNumber, kind, mergedInto, events };
    },
    ofWallet: (walletAddress, limit) => db.all(statements.ofWallet, walletAddress, limit),
    readDocument: (id) => db.get(statements.document, id),
    countByMasterKey: () => db.all(statements.countByMasterKey),
  };
}
