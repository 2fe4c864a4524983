import type { LoanVote } from '../../model/record-review.ts';
import type { SubmissionKind } from '../../model/submission-status.ts';
import type { Decision, RecordHistory, StandingVote, WholeRecord } from '../record-port.ts';
import { applicationRowOf, contactRowOf, loanRowOf, type RawRow, requestRowOf } from './listed-rows.ts';
import { LISTED_TABLES } from './listed-tables.ts';
import type { Statements } from './record-lists.ts';

/** An admin's name, or the id where the account is gone. */
const BY = 'coalesce((select m.username from admins m where m.id = r.adminId), r.adminId) as "by"';

/** What the team decided about a record, oldest first. */
export function decisionsOf(statements: Statements, referenceNumber: string): readonly Decision[] {
  const sql = `select r.at, ${BY}, r.decision, r.reason from record_decisions r where r.referenceNumber = ? order by r.sequence`;
  return statements(sql).all(referenceNumber) as Decision[];
}

/** Votes that stand, oldest first. */
export function votesOf(statements: Statements, referenceNumber: string): readonly StandingVote[] {
  const sql = `select r.votedAt as at, ${BY}, r.decision, r.reason, r.adminId from loan_votes r where r.referenceNumber = ? order by r.votedAt, r.id`;
  return statements(sql).all(referenceNumber) as (StandingVote & { decision: LoanVote })[];
}

function historyOf(statements: Statements, referenceNumber: string): RecordHistory {
  const all = <Row>(sql: string, value = referenceNumber) => statements(sql).all(value) as Row[];
  const deliveries = all<Omit<RecordHistory['deliveries'][number], 'attempts'>>(
    'select id, event, channel, audience, state, createdAt, nextAttemptAt, finishedAt from deliveries where referenceNumber = ? order by createdAt, channel, audience',
  );
  return {
    timeline: all(
      'select at, status, note from submission_events where referenceNumber = ? order by sequence',
    ),
    decisions: decisionsOf(statements, referenceNumber),
    notes: all(
      `select r.id, r.createdAt as at, ${BY}, r.text from record_notes r where r.referenceNumber = ? order by r.sequence`,
    ),
    deliveries: deliveries.map((delivery) => ({
      ...delivery,
      attempts: all(
        'select at, outcome, error, code, maskedRecipient from delivery_attempts where deliveryId = ? order by sequence',
        delivery.id,
      ),
    })),
  };
}

/** All that is known of a record of any kind; null where there is none of this number. */
export function wholeRecord(statements: Statements, referenceNumber: string): WholeRecord | null {
  const kind = statements('select kind from reference_numbers where referenceNumber = ?')
    .pluck()
    .get(referenceNumber) as SubmissionKind | undefined;
  const rowOf = (name: keyof typeof LISTED_TABLES) => {
    const { table, columns } = LISTED_TABLES[name];
    const sql = `select ${columns} from ${table} a where a.referenceNumber = ?`;
    return statements(sql).get(referenceNumber) as RawRow | undefined;
  };
  const history = historyOf(statements, referenceNumber);
  switch (kind) {
    case undefined:
      return null;
    case 'card-application': {
      const row = rowOf('applications');
      return row ? { kind, record: applicationRowOf(row), ...history } : null;
    }
    case 'contact-message': {
      const row = rowOf('contacts');
      return row ? { kind, record: contactRowOf(row), ...history } : null;
    }
    case 'verification-request': {
      const row = rowOf('requests');
      if (!row) return null;
      const record = requestRowOf(row);
      const tier = statements('select tier from whitelisted_wallets where walletAddress = ?')
        .pluck()
        .get(record.walletAddress);
      return { kind, record, whitelistedTier: typeof tier === 'string' ? tier : null, ...history };
    }
    case 'loan-application': {
      const row = rowOf('loans');
      if (!row) return null;
      const documents = statements(
        'select id, kind, fileName, mediaType, byteLength from loan_documents where referenceNumber = ? order by kind',
      ).all(referenceNumber) as Extract<WholeRecord, { kind: 'loan-application' }>['documents'];
      const votes = votesOf(statements, referenceNumber);
      return { kind, record: loanRowOf(row), documents, votes, ...history };
    }
  }
}
