import {
  isLoanOpen,
  LOAN_VOTES_NEEDED,
  NEXT_APPLICATION_STATUSES,
  NEXT_REQUEST_STATUSES,
} from '../../model/record-review.ts';
import type {
  ApplicationStatus,
  LoanStatus,
  RequestStatus,
  SubmissionKind,
} from '../../model/submission-status.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { Acting, DecidedRecord, RecordStore, Undecided } from '../record-port.ts';
import { rowId } from '../row-id.ts';
import type { AuditStatements } from './audit-statements.ts';
import type { QueueDelivery } from './queue-delivery.ts';
import { decisionsOf, votesOf } from './record-details.ts';
import type { Statements } from './record-lists.ts';

type Settled<Call extends 'decideApplication' | 'decideRequest' | 'vote'> = (
  ...decided: Parameters<RecordStore[Call]>
) => Awaited<ReturnType<RecordStore[Call]>>;

interface Standing<Status extends string> {
  readonly status: Status;
  readonly changedAt: number;
  readonly email: string;
  readonly walletAddress?: string;
}

type Table = 'card_applications' | 'verification_requests' | 'loan_applications';

/** What decisions write, each to be called in a transaction: so of two that were made on the same state one finds another. */
export function prepareDecisions(
  statements: Statements,
  audit: AuditStatements,
  queueDelivery: QueueDelivery,
): {
  readonly decideApplication: Settled<'decideApplication'>;
  readonly decideRequest: Settled<'decideRequest'>;
  readonly vote: Settled<'vote'>;
} {
  const standing = <Status extends string>(table: Table, referenceNumber: string) =>
    statements(`select * from ${table} where referenceNumber = ?`).get(referenceNumber) as
      | Standing<Status>
      | undefined;

  const refused = <Status extends string>(
    kind: 'changed' | 'closed',
    referenceNumber: string,
    status: Status,
  ): Undecided<Status> => ({
    kind,
    status,
    last: decisionsOf(statements, referenceNumber).at(-1) ?? null,
  });

  /** Later than it was, also where the clock went back: it tells one state from another. */
  const laterThan = (changedAt: number, at: number) => Math.max(at, changedAt + 1);

  const move = (table: Table, referenceNumber: string, status: string, changedAt: number) =>
    statements(`update ${table} set status = ?, changedAt = ? where referenceNumber = ?`).run(
      status,
      changedAt,
      referenceNumber,
    );

  const note = (referenceNumber: string, by: Acting, decision: string, reason: string | null) =>
    statements(
      'insert into record_decisions (referenceNumber, at, adminId, decision, reason) values (?, ?, ?, ?, ?)',
    ).run(referenceNumber, by.at, by.adminId, decision, reason as string);

  const tell = (referenceNumber: string, at: number, status: string, words: string | null) =>
    statements('insert into submission_events (referenceNumber, at, status, note) values (?, ?, ?, ?)').run(
      referenceNumber,
      at,
      status,
      words as string,
    );

  const record = (action: string, by: Acting, details: AuditRecord['details']) => {
    audit.append({ id: rowId(by.at), at: by.at, actor: by.adminId, address: by.address, action, details });
  };

  /** The letter of an outcome, to whom the record is of. */
  const write = (
    kind: SubmissionKind,
    outcome: string,
    referenceNumber: string,
    email: string,
    at: number,
  ) => {
    const event = `${kind}.${outcome}`;
    queueDelivery({ event, referenceNumber, channel: 'mail', audience: 'applicant', recipient: email }, at);
  };

  const isSeen = ({ changedAt }: Standing<string>, decided: DecidedRecord) => changedAt === decided.changedAt;

  return {
    decideApplication: (decided, by) => {
      const { referenceNumber, decision, reason } = decided;
      const found = standing<ApplicationStatus>('card_applications', referenceNumber);
      if (!found) return { kind: 'unknown' };
      if (!isSeen(found, decided)) return refused('changed', referenceNumber, found.status);
      if (!NEXT_APPLICATION_STATUSES[found.status].includes(decision)) {
        return refused('closed', referenceNumber, found.status);
      }
      const changedAt = laterThan(found.changedAt, by.at);
      move('card_applications', referenceNumber, decision, changedAt);
      note(referenceNumber, by, decision, reason);
      tell(referenceNumber, by.at, decision, reason);
      record(`card-application.${decision}`, by, { referenceNumber, from: found.status });
      if (decision === 'approved' || decision === 'refused') {
        write('card-application', decision, referenceNumber, found.email, by.at);
      }
      return { kind: 'decided', status: decision, changedAt };
    },

    decideRequest: (decided, by) => {
      const { referenceNumber, decision, reason } = decided;
      const found = standing<RequestStatus>('verification_requests', referenceNumber);
      if (!found) return { kind: 'unknown' };
      if (!isSeen(found, decided)) return refused('changed', referenceNumber, found.status);
      if (!NEXT_REQUEST_STATUSES[found.status].includes(decision)) {
        return refused('closed', referenceNumber, found.status);
      }
      const changedAt = laterThan(found.changedAt, by.at);
      const walletAddress = found.walletAddress ?? '';
      move('verification_requests', referenceNumber, decision, changedAt);
      if (decision === 'approved') {
        statements(
          'insert into whitelisted_wallets (walletAddress, tier, whitelistedAt, referenceNumber) values (?, ?, ?, ?) on conflict (walletAddress) do update set tier = excluded.tier, whitelistedAt = excluded.whitelistedAt, referenceNumber = excluded.referenceNumber',
        ).run(walletAddress, decided.tier, by.at, referenceNumber);
      } else {
        statements('update verification_requests set refusalReason = ? where referenceNumber = ?').run(
          decided.reason,
          referenceNumber,
        );
      }
      note(referenceNumber, by, decision, reason);
      tell(referenceNumber, by.at, decision, reason);
      const tier = decision === 'approved' ? decided.tier : null;
      record(`verification-request.${decision}`, by, { referenceNumber, tier });
      write('verification-request', decision, referenceNumber, found.email, by.at);
      return { kind: 'decided', status: decision, changedAt, walletAddress };
    },

    vote: (voted, by) => {
      const { referenceNumber, vote, reason } = voted;
      const found = standing<LoanStatus>('loan_applications', referenceNumber);
      if (!found) return { kind: 'unknown' };
      if (!isSeen(found, voted)) return refused('changed', referenceNumber, found.status);
      if (!isLoanOpen(found.status)) return refused('closed', referenceNumber, found.status);
      const changedAt = laterThan(found.changedAt, by.at);
      const others = votesOf(statements, referenceNumber).filter(({ adminId }) => adminId !== by.adminId);
      note(referenceNumber, by, vote, reason);
      record('loan-application.voted', by, { referenceNumber, vote });
      const settle = (status: LoanStatus) => {
        move('loan_applications', referenceNumber, status, changedAt);
        if (status !== found.status) {
          tell(referenceNumber, by.at, status, status === 'refused' ? reason : null);
        }
      };
      if (others.some(({ decision }) => decision !== vote)) {
        statements('delete from loan_votes where referenceNumber = ?').run(referenceNumber);
        note(referenceNumber, by, 'contradicted', null);
        record('loan-application.contradicted', by, { referenceNumber });
        settle('in-review');
        return { kind: 'contradicted', status: 'in-review', changedAt };
      }
      statements(
        'insert into loan_votes (id, referenceNumber, adminId, decision, reason, votedAt) values (?, ?, ?, ?, ?, ?) on conflict (referenceNumber, adminId) do update set decision = excluded.decision, reason = excluded.reason, votedAt = excluded.votedAt',
      ).run(rowId(by.at), referenceNumber, by.adminId, vote, reason as string, by.at);
      if (others.length + 1 < LOAN_VOTES_NEEDED) {
        settle('in-review');
        return { kind: 'waiting', status: 'in-review', changedAt };
      }
      const status = vote === 'approve' ? 'approved' : 'refused';
      statements(
        'update loan_applications set decidedAt = ?, refusalReason = ? where referenceNumber = ?',
      ).run(by.at, (vote === 'refuse' ? reason : null) as string, referenceNumber);
      settle(status);
      note(referenceNumber, by, status, reason);
      record(`loan-application.${status}`, by, { referenceNumber });
      write('loan-application', status, referenceNumber, found.email, by.at);
      return { kind: 'decided', status, changedAt };
    },
  };
}
