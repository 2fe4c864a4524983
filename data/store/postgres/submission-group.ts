import { mailboxOf } from '../../model/mail-address.ts';
import { mapKinds, SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
import {
  allTakenError,
  exceededQuota,
  MAX_DRAWS,
  receivedAuditRecord,
  receivedDeliveries,
} from '../rules/received-submission.ts';
import { type RawRow, submissionCells } from '../rules/submission-rows.ts';
import type {
  LoanDocument,
  NewSubmissions,
  SubmissionOptions,
  SubmissionOutcome,
} from '../submission-port.ts';
import { rowCountingSql } from './count-changes.ts';
import type { Database, Queries, Transaction } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';
import type { GroupOutcome } from './group-runner.ts';
import { SEARCH_VERSION, searchCells } from './record-search.ts';
import { storableJson } from './storable-text.ts';
import { columnList, SUBMISSION_TABLES } from './submission-rows.ts';

interface SubmissionCall {
  readonly kind: SubmissionKind;
  readonly submission: NewSubmissions[SubmissionKind];
  readonly options: SubmissionOptions;
  readonly documents: readonly LoanDocument[];
}

interface StoredAnswer {
  readonly keyHash: string;
  readonly bodyHash: string;
  readonly answer: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
}

/** A submission that has passed all checks. Its reference number is null until one is reserved. */
interface AcceptedSubmission extends SubmissionCall {
  readonly call: SubmissionCall;
  readonly mailbox: string;
  readonly sendsConfirmation: boolean;
  referenceNumber: string | null;
}

type Outcome = GroupOutcome<SubmissionOutcome>;

const totalBytes = (documents: readonly LoanDocument[]) =>
  documents.reduce((sum, { content }) => sum + content.length, 0);

function locksOf({ kind, submission, options }: SubmissionCall): readonly string[] {
  const { idempotency, quotas = [] } = options;
  return [
    `mailbox ${kind} ${mailboxOf(submission.email)}`,
    ...(idempotency ? [`answer ${idempotency.keyHash}`] : []),
    ...quotas.map(({ subject }) => `quota ${subject}`),
  ];
}

function prepareStatements({ statement }: Database) {
  const prepareInsert = (kind: SubmissionKind) => {
    const table = SUBMISSION_TABLES[kind];
    const columns = `${columnList(table)}, words, trigrams, "searchVersion"`;
    const insertSql = `
      insert into $.${table.name} (${columns})
      select ${columns} from json_populate_recordset(null::$.${table.name}, $1) returning status`;
    return statement(rowCountingSql(kind, insertSql, 1));
  };
  return {
    deleteAnswers: statement(`
      delete from $.idempotent_answers where "keyHash" in (
        select "keyHash" from $.idempotent_answers where "createdAt" < $1 limit 100 for update skip locked)`),
    answers: statement<StoredAnswer>(`
      select "keyHash", "bodyHash", answer, "createdAt" from $.idempotent_answers where "keyHash" = any($1)`),
    addAnswers: statement(`
      insert into $.idempotent_answers ("keyHash", "bodyHash", answer, "createdAt")
      select "keyHash", "bodyHash", answer, "createdAt" from json_populate_recordset(null::$.idempotent_answers, $1)
      on conflict ("keyHash") do update set
        "bodyHash" = excluded."bodyHash", answer = excluded.answer, "createdAt" = excluded."createdAt"`),
    usedBytes: statement<{ subject: string; bytes: number }>(
      'select subject, bytes from $.document_usage where subject = any($1)',
    ),
    addUsage: statement(`
      insert into $.document_usage as used (subject, bytes, "endsAt")
      select subject, sum(bytes), max("endsAt") from json_populate_recordset(null::$.document_usage, $1) group by subject
      on conflict (subject) do update set bytes = used.bytes + excluded.bytes`),
    earlier: statement<{ mailbox: string; kind: SubmissionKind; createdAt: number }>(`
      select mailbox, kind, "createdAt" from $.reference_numbers where mailbox = any($1) and "createdAt" >= $2`),
    addReferences: statement<{ referenceNumber: string }>(`
      insert into $.reference_numbers ("referenceNumber", kind, "createdAt", mailbox)
      select "referenceNumber", kind, "createdAt", mailbox
      from json_populate_recordset(null::$.reference_numbers, $1)
      on conflict ("referenceNumber") do nothing returning "referenceNumber"`),
    addEvents: statement(`
      insert into $.submission_events ("referenceNumber", at, status)
      select "referenceNumber", at, 'received' from json_populate_recordset(null::$.submission_events, $1)`),
    addDocument: statement(`
      insert into $.loan_documents (id, "referenceNumber", kind, "fileName", "mediaType", "byteLength", "contentHash",
        "masterKey", "wrappedKey", content, "createdAt")
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`),
    add: mapKinds(SUBMISSION_KINDS, prepareInsert),
  };
}

async function readDecidingRows(
  on: Queries,
  statements: ReturnType<typeof prepareStatements>,
  calls: readonly SubmissionCall[],
) {
  const keys = calls.flatMap(({ options }) => options.idempotency?.keyHash ?? []);
  const subjects = calls.flatMap(({ options }) => (options.quotas ?? []).map(({ subject }) => subject));
  const mailboxes = calls.map(({ submission }) => mailboxOf(submission.email));
  const since = Math.min(...calls.map(({ options }) => options.confirmations.since));
  const answers = keys.length > 0 ? await on.all(statements.answers, keys) : [];
  const used = subjects.length > 0 ? await on.all(statements.usedBytes, subjects) : [];
  return {
    answers: new Map(answers.map((answer) => [answer.keyHash, answer])),
    used: new Map(used.map(({ subject, bytes }) => [subject, bytes])),
    received: [...(await on.all(statements.earlier, mailboxes, since))],
  };
}

/**
 * Prepares to store submissions in groups. A group is one transaction, in which one statement per table adds all rows, except
 * that each document has its own statement.
 * @returns a function that runs a group and returns the outcomes in the same order
 */
export function prepareSubmissionGroups(
  db: Database,
  queueDeliveries: QueueDeliveries,
): (calls: readonly SubmissionCall[]) => Promise<readonly Outcome[]> {
  const statements = prepareStatements(db);

  /**
   * Decides on the calls in the order in which they arrived, as if each had its own transaction. A call with the same
   * idempotency key as an accepted call gets no outcome yet, because it has to run in a later transaction.
   */
  async function decide(
    on: Queries,
    calls: readonly SubmissionCall[],
    outcomes: Map<SubmissionCall, Outcome>,
  ): Promise<readonly AcceptedSubmission[]> {
    const { answers, used, received } = await readDecidingRows(on, statements, calls);
    const acceptedKeys = new Set<string>();
    const accepted: AcceptedSubmission[] = [];
    for (const call of calls) {
      const { kind, submission, options, documents } = call;
      const { idempotency, quotas = [], confirmations, forgetAnswersBefore } = options;
      const { maxSubmissions = Number.POSITIVE_INFINITY } = options;
      const storedAnswer = idempotency && answers.get(idempotency.keyHash);
      if (storedAnswer && storedAnswer.createdAt >= forgetAnswersBefore) {
        const isSame = storedAnswer.bodyHash === idempotency.bodyHash;
        outcomes.set(call, {
          value: isSame ? { kind: 'repeated', answer: storedAnswer.answer } : { kind: 'key-reused' },
        });
        continue;
      }
      if (idempotency && acceptedKeys.has(idempotency.keyHash)) continue;
      const mailbox = mailboxOf(submission.email);
      const earlier = received.filter(
        (one) => one.mailbox === mailbox && one.kind === kind && one.createdAt >= confirmations.since,
      );
      if (earlier.length >= maxSubmissions) {
        outcomes.set(call, { value: { kind: 'too-many' } });
        continue;
      }
      const bytes = totalBytes(documents);
      const exceeded = exceededQuota(quotas, bytes, (subject) => used.get(subject) ?? 0);
      if (exceeded) {
        outcomes.set(call, { value: exceeded });
        continue;
      }
      for (const { subject } of quotas) used.set(subject, (used.get(subject) ?? 0) + bytes);
      if (idempotency) acceptedKeys.add(idempotency.keyHash);
      received.push({ mailbox, kind, createdAt: submission.createdAt });
      const sendsConfirmation = earlier.length < confirmations.limit;
      accepted.push({ ...call, call, mailbox, sendsConfirmation, referenceNumber: null });
    }
    return accepted;
  }

  async function reserveReferences(on: Queries, accepted: readonly AcceptedSubmission[]): Promise<void> {
    let unreserved = accepted;
    for (let draws = 0; draws < MAX_DRAWS && unreserved.length > 0; draws += 1) {
      const submissionByReference = new Map(unreserved.map((one) => [one.options.drawReference(), one]));
      const added = [...submissionByReference].map(([referenceNumber, { kind, submission, mailbox }]) => {
        return { referenceNumber, kind, createdAt: submission.createdAt, mailbox };
      });
      for (const { referenceNumber } of await on.all(statements.addReferences, storableJson(added))) {
        const reserved = submissionByReference.get(referenceNumber);
        if (reserved) reserved.referenceNumber = referenceNumber;
      }
      unreserved = unreserved.filter(({ referenceNumber }) => referenceNumber === null);
    }
  }

  async function store(
    transaction: Transaction,
    stored: readonly (AcceptedSubmission & { readonly referenceNumber: string })[],
    answers: readonly StoredAnswer[],
  ): Promise<void> {
    for (const [kind, ofKind] of Map.groupBy(stored, (one) => one.kind)) {
      const cells = ofKind.map(({ submission, referenceNumber }) => {
        const row = submissionCells(kind, submission, referenceNumber);
        return { ...row, ...searchCells(kind, row), searchVersion: SEARCH_VERSION };
      });
      await transaction.run(statements.add[kind], storableJson(cells satisfies readonly RawRow[]));
    }
    for (const { documents, referenceNumber, submission } of stored) {
      for (const { id, kind, fileName, mediaType, byteLength, ...encryptedFields } of documents) {
        const { contentHash, masterKeyId, wrappedKey, content } = encryptedFields;
        const documentCells = [
          kind,
          fileName,
          mediaType,
          byteLength,
          contentHash,
          masterKeyId,
          wrappedKey,
          content,
        ];
        await transaction.run(
          statements.addDocument,
          id,
          referenceNumber,
          ...documentCells,
          submission.createdAt,
        );
      }
    }
    const usage = stored.flatMap(({ options, documents }) => {
      const bytes = totalBytes(documents);
      return (options.quotas ?? []).map(({ subject, endsAt }) => ({ subject, endsAt, bytes }));
    });
    if (usage.length > 0) await transaction.run(statements.addUsage, storableJson(usage));
    const events = stored.map(({ referenceNumber, submission }) => ({
      referenceNumber,
      at: submission.createdAt,
    }));
    await transaction.run(statements.addEvents, storableJson(events));
    await queueDeliveries(
      transaction,
      stored.flatMap(({ kind, referenceNumber, sendsConfirmation, submission }) => {
        const confirmationRecipient = sendsConfirmation ? submission.email : null;
        const queued = receivedDeliveries(kind, referenceNumber, confirmationRecipient);
        return queued.map((delivery) => ({ delivery, at: submission.createdAt }));
      }),
    );
    if (answers.length > 0) await transaction.run(statements.addAnswers, storableJson(answers));
    for (const { kind, submission, referenceNumber, documents } of stored) {
      transaction.record(receivedAuditRecord(kind, submission, referenceNumber, documents));
    }
  }

  async function runOnce(
    transaction: Transaction,
    calls: readonly SubmissionCall[],
  ): Promise<ReadonlyMap<SubmissionCall, Outcome>> {
    const outcomes = new Map<SubmissionCall, Outcome>();
    const accepted = await decide(transaction, calls, outcomes);
    await reserveReferences(transaction, accepted);
    const stored = [];
    const answers: StoredAnswer[] = [];
    for (const { referenceNumber, ...one } of accepted) {
      const { call, options, submission } = one;
      if (referenceNumber === null) {
        outcomes.set(call, { error: allTakenError() });
        continue;
      }
      const answer = { ...options.answer, referenceNumber };
      outcomes.set(call, { value: { kind: 'accepted', answer } });
      stored.push({ ...one, referenceNumber });
      if (options.idempotency)
        answers.push({ ...options.idempotency, answer, createdAt: submission.createdAt });
    }
    if (stored.length > 0) await store(transaction, stored, answers);
    return outcomes;
  }

  return async (calls) => {
    const outcomes = new Map<SubmissionCall, Outcome>();
    const forgetBefore = Math.min(...calls.map(({ options }) => options.forgetAnswersBefore));
    await db.run(statements.deleteAnswers, forgetBefore);
    // A call gets no outcome if the transaction has just accepted another call with the same idempotency key. The call runs
    // again in the next transaction.
    for (
      let remaining = calls;
      remaining.length > 0;
      remaining = remaining.filter((call) => !outcomes.has(call))
    ) {
      const newOutcomes = await db.transaction(remaining.flatMap(locksOf), (transaction) =>
        runOnce(transaction, remaining),
      );
      for (const [call, outcome] of newOutcomes) outcomes.set(call, outcome);
    }
    return calls.map((call) => outcomes.get(call) ?? { error: new Error('A submission got no outcome.') });
  };
}
