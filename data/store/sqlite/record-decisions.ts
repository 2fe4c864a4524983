import {
  type ApplicationStatus,
  isLoanOpen,
  LOAN_VOTES_NEEDED,
  type LoanStatus,
  NEXT_APPLICATION_STATUSES,
  NEXT_REQUEST_STATUSES,
  type RequestStatus,
} from '../../model/submission-status.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { Actor, DecidedRecord, RecordStore, Undecided } from '../record-port.ts';
import { rowId } from '../row-id.ts';
import { laterThan } from '../rules/changed-at.ts';
import type { AuditStatements } from './audit-trail.ts';
import type { QueueDelivery } from './delivery-store.ts';
import type { Statements, Value } from './list-statements.ts';
import { decisionsOf, votesOf } from './record-details.ts';

/** A method of the port, without its promise. */
type Sync<Call extends 'decideApplication' | 'decideRequest' | 'vote'> = (
  ...decided: Parameters<RecordStore[Call]>
) => Awaited<ReturnType<RecordStore[Call]>>;

interface CurrentState<Status extends string> {
  readonly status: Status;
  readonly changedAt: number;
  readonly email: string;
  readonly walletAddress?: string;
}

type Table = 'card_applications' | 'verification_requests' | 'loan_applications';

/** Call each decision in a transaction, so that the second of two concurrent decisions sees the first. */
export function prepareDecisions(
  statements: Statements,
  audit: AuditStatements,
  queueDelivery: QueueDelivery,
): {
  readonly decideApplication: Sync<'decideApplication'>;
  readonly decideRequest: Sync<'decideRequest'>;
  readonly vote: Sync<'vote'>;
} {
  /** The current state of the record, or why it cannot be decided. */
  function currentState<Status extends string>(
    table: Table,
    { referenceNumber, changedAt }: DecidedRecord,
    isPossible: (status: Status) => boolean,
  ): CurrentState<Status> | { readonly undecided: Undecided<Status> } {
    const state = statements(`select * from ${table} where referenceNumber = ?`).get(referenceNumber) as
      | CurrentState<Status>
      | undefined;
    if (!state) return { undecided: { kind: 'unknown' } };
    const { status } = state;
    const isUnchanged = state.changedAt === changedAt;
    if (isUnchanged && isPossible(status)) return state;
    const last = decisionsOf(statements, referenceNumber).at(-1) ?? null;
    return { undecided: { kind: isUnchanged ? 'closed' : 'changed', status, last } };
  }

  const run = (sql: string, ...values: readonly Value[]) => statements(sql).run(...values);

  const setStatus = (table: Table, referenceNumber: string, status: string, changedAt: number) =>
    run(
      `update ${table} set status = ?, changedAt = ? where referenceNumber = ?`,
      status,
      changedAt,
      referenceNumber,
    );

  const addDecision = (referenceNumber: string, actor: Actor, decision: string, reason: string | null) =>
    run(
      'insert into record_decisions (referenceNumber, at, adminId, decision, reason) values (?, ?, ?, ?, ?)',
      ...[referenceNumber, actor.at, actor.adminId, decision, reason],
    );

  const addEvent = (referenceNumber: string, at: number, status: string, note: string | null) =>
    run(
      'insert into submission_events (referenceNumber, at, status, note) values (?, ?, ?, ?)',
      ...[referenceNumber, at, status, note],
    );

  const addAudit = (action: string, { at, adminId, address }: Actor, details: AuditRecord['details']) =>
    audit.append({ id: rowId(at), at, actor: adminId, address, action, details });

  const queueMail = (event: string, referenceNumber: string, recipient: string, at: number) =>
    queueDelivery({ event, referenceNumber, channel: 'mail', audience: 'applicant', recipient }, at);

  return {
    decideApplication: (decided, actor) => {
      const { referenceNumber, decision, reason } = decided;
      const found = currentState<ApplicationStatus>('card_applications', decided, (status) =>
        NEXT_APPLICATION_STATUSES[status].includes(decision),
      );
      if ('undecided' in found) return found.undecided;
      const changedAt = laterThan(found.changedAt, actor.at);
      setStatus('card_applications', referenceNumber, decision, changedAt);
      addDecision(referenceNumber, actor, decision, reason);
      addEvent(referenceNumber, actor.at, decision, reason);
      addAudit(`card-application.${decision}`, actor, { referenceNumber, from: found.status });
      if (decision === 'approved' || decision === 'refused') {
        queueMail(`card-application.${decision}`, referenceNumber, found.email, actor.at);
      }
      return { kind: 'decided', status: decision, changedAt };
    },

    decideRequest: (decided, actor) => {
      const { referenceNumber, decision, reason } = decided;
      const found = currentState<RequestStatus>('verification_requests', decided, (status) =>
        NEXT_REQUEST_STATUSES[status].includes(decision),
      );
      if ('undecided' in found) return found.undecided;
      const changedAt = laterThan(found.changedAt, actor.at);
      const walletAddress = found.walletAddress ?? '';
      if (decision === 'withdrawn') {
        const { changes } = run(
          'delete from whitelisted_wallets where walletAddress = ? and referenceNumber = ?',
          walletAddress,
          referenceNumber,
        );
        // A later request whitelisted the wallet, or its whitelisting was erased.
        if (changes === 0) {
          const last = decisionsOf(statements, referenceNumber).at(-1) ?? null;
          return { kind: 'closed', status: found.status, last };
        }
      }
      setStatus('verification_requests', referenceNumber, decision, changedAt);
      if (decision === 'approved') {
        statements(
          'insert into whitelisted_wallets (walletAddress, tier, whitelistedAt, referenceNumber) values (?, ?, ?, ?) on conflict (walletAddress) do update set tier = excluded.tier, whitelistedAt = excluded.whitelistedAt, referenceNumber = excluded.referenceNumber',
        ).run(walletAddress, decided.tier, actor.at, referenceNumber);
      } else if (decision === 'refused') {
        statements('update verification_requests set refusalReason = ? where referenceNumber = ?').run(
          decided.reason,
          referenceNumber,
        );
      }
      addDecision(referenceNumber, actor, decision, reason);
      addEvent(referenceNumber, actor.at, decision, reason);
      const tier = decision === 'approved' ? decided.tier : null;
      addAudit(`verification-request.${decision}`, actor, { referenceNumber, tier });
      queueMail(`verification-request.${decision}`, referenceNumber, found.email, actor.at);
      return { kind: 'decided', status: decision, changedAt, walletAddress };
    },

    vote: (voted, actor) => {
      const { referenceNumber, vote, reason } = voted;
      const found = currentState<LoanStatus>('loan_applications', voted, isLoanOpen);
      if ('undecided' in found) return found.undecided;
      const changedAt = laterThan(found.changedAt, actor.at);
      const others = votesOf(statements, referenceNumber).filter(({ adminId }) => adminId !== actor.adminId);
      addDecision(referenceNumber, actor, vote, reason);
      addAudit('loan-application.voted', actor, { referenceNumber, vote });
      const moveTo = (status: LoanStatus) => {
        setStatus('loan_applications', referenceNumber, status, changedAt);
        if (status !== found.status) {
          addEvent(referenceNumber, actor.at, status, status === 'refused' ? reason : null);
        }
      };
      if (others.some(({ decision }) => decision !== vote)) {
        statements('delete from loan_votes where referenceNumber = ?').run(referenceNumber);
        addDecision(referenceNumber, actor, 'contradicted', null);
        addAudit('loan-application.contradicted', actor, { referenceNumber });
        moveTo('in-review');
        return { kind: 'contradicted', status: 'in-review', changedAt };
      }
      statements(
        'insert into loan_votes (id, referenceNumber, adminId, decision, reason, votedAt) values (?, ?, ?, ?, ?, ?) on conflict (referenceNumber, adminId) do update set decision = excluded.decision, reason = excluded.reason, votedAt = excluded.votedAt',
      ).run(rowId(actor.at), referenceNumber, actor.adminId, vote, reason, actor.at);
      if (others.length + 1 < LOAN_VOTES_NEEDED) {
        moveTo('in-review');
        return { kind: 'waiting', status: 'in-review', changedAt };
      }
      const status = vote === 'approve' ? 'approved' : 'refused';
      statements(
        'update loan_applications set decidedAt = ?, refusalReason = ? where referenceNumber = ?',
      ).run(actor.at, vote === 'refuse' ? reason : null, referenceNumber);
      moveTo(status);
      addDecision(referenceNumber, actor, status, reason);
      addAudit(`loan-application.${status}`, actor, { referenceNumber });
      queueMail(`loan-application.${status}`, referenceNumber, found.email, actor.at);
      return { kind: 'decided', status, changedAt };
    },
  };
}
