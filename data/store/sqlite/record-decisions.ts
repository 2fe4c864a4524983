import { isLoanOpen, type SubmissionKind } from '../../model/submission-status.ts';
import type { DueTimeInputs } from '../../model/work.ts';
import type { Actor, DecisionRefusal, RecordStore, SeenRecord } from '../record-port.ts';
import { rowId } from '../row-id.ts';
import { endsEarlierDecisions } from '../rules/decision-messages.ts';
import {
  applicationDecision,
  type CurrentState,
  type DecisionRows,
  decisionRefusal,
  loanVote,
  mayDecideApplication,
  mayDecideRequest,
  requestDecision,
} from '../rules/record-decisions.ts';
import { CLEARED_CELLS, mayReopen, type RecordBeforeDecision, reopenedRows } from '../rules/record-undo.ts';
import type { AuditStatements } from './audit-trail.ts';
import type { QueueDelivery } from './delivery-store.ts';
import type { Statements, Value } from './list-statements.ts';
import { addDecision, decisionsOf, votesOf } from './record-details.ts';
import type { Undo } from './record-undo.ts';
import { SUBMISSION_TABLES } from './submission-rows.ts';

type Sync<Call extends 'decideApplication' | 'decideRequest' | 'vote' | 'reopen'> = (
  ...parameters: Parameters<RecordStore[Call]>
) => Awaited<ReturnType<RecordStore[Call]>>;

type DecidableKind = Exclude<SubmissionKind, 'contact-message'>;

/**
 * Prepares the functions that decide records. Call each one in a transaction, so that the second of two concurrent decisions
 * sees the first.
 */
export function prepareDecisions(
  statements: Statements,
  audit: AuditStatements,
  queueDelivery: QueueDelivery,
  undo: Undo,
): {
  readonly decideApplication: Sync<'decideApplication'>;
  readonly decideRequest: Sync<'decideRequest'>;
  readonly vote: Sync<'vote'>;
  readonly reopen: Sync<'reopen'>;
} {
  const lastDecision = (referenceNumber: string) => decisionsOf(statements, referenceNumber).at(-1) ?? null;

  /** Returns the current state of the record, or the reason why the record cannot be decided. */
  function currentState<Status extends string>(
    kind: DecidableKind,
    seen: SeenRecord,
    isPossible: (status: Status) => boolean,
  ): CurrentState<Status> | { readonly undecided: DecisionRefusal<Status> } {
    const { referenceNumber } = seen;
    const table = SUBMISSION_TABLES[kind].name;
    const state = statements(`select * from ${table} where referenceNumber = ?`).get(referenceNumber) as
      | CurrentState<Status>
      | undefined;
    if (!state) return { undecided: { kind: 'unknown' } };
    const refusal = decisionRefusal(state, seen, isPossible);
    if (refusal === null) return state;
    return { undecided: { kind: refusal, status: state.status, last: lastDecision(referenceNumber) } };
  }

  const run = (sql: string, ...values: readonly Value[]) => statements(sql).run(...values);

  /**
   * Stores the rows of a decision and queues its email.
   * @param before the record before the decision; null if the decision cannot be undone
   */
  function store(
    kind: DecidableKind,
    referenceNumber: string,
    { status, changedAt, decisions, events, audit: records, mail }: DecisionRows<string>,
    actor: Actor,
    before: RecordBeforeDecision | null,
  ): void {
    const settled = endsEarlierDecisions(decisions) ? undo.settleDecisionMessages(referenceNumber) : [];
    run(
      `update ${SUBMISSION_TABLES[kind].name} set status = ?, changedAt = ? where referenceNumber = ?`,
      ...[status, changedAt, referenceNumber],
    );
    for (const decision of decisions) addDecision(statements, referenceNumber, actor, decision);
    for (const event of events) {
      run(
        'insert into submission_events (referenceNumber, at, status, note) values (?, ?, ?, ?)',
        ...[referenceNumber, actor.at, event.status, event.note],
      );
    }
    for (const record of records) audit.append(record);
    const queued = mail && undo.withUniqueEvent(mail);
    if (queued) queueDelivery(queued, actor.at);
    if (before) {
      const mailEvent = queued?.event ?? null;
      const after = { status, changedAt };
      undo.remember(kind, referenceNumber, actor, after, mailEvent, { ...before, settled });
    }
  }

  return {
    decideApplication: (decision, actor) => {
      const kind = 'card-application';
      const state = currentState(kind, decision, mayDecideApplication(decision));
      if ('undecided' in state) return state.undecided;
      const rows = applicationDecision(state, decision, actor);
      const before = undo.readRecordBefore(kind, decision.referenceNumber);
      store(kind, decision.referenceNumber, rows, actor, before);
      return { kind: 'decided', status: rows.status, changedAt: rows.changedAt };
    },

    decideRequest: (decision, actor) => {
      const kind = 'verification-request';
      const { referenceNumber } = decision;
      const state = currentState(kind, decision, mayDecideRequest(decision));
      if ('undecided' in state) return state.undecided;
      const { walletAddress = '' } = state;
      // Withdrawing a whitelisting takes effect immediately and cannot be undone.
      const before =
        decision.decision === 'withdrawn'
          ? null
          : undo.readRecordBefore(kind, referenceNumber, walletAddress);
      if (decision.decision === 'withdrawn') {
        const { changes } = run(
          'delete from whitelisted_wallets where walletAddress = ? and referenceNumber = ?',
          ...[walletAddress, referenceNumber],
        );
        // Nothing is deleted if a later request whitelisted the wallet, or if the whitelisting was erased.
        if (changes === 0) {
          return { kind: 'closed', status: state.status, last: lastDecision(referenceNumber) };
        }
      } else if (decision.decision === 'approved') {
        run(
          'insert into whitelisted_wallets (walletAddress, tier, whitelistedAt, referenceNumber) values (?, ?, ?, ?) on conflict (walletAddress) do update set tier = excluded.tier, whitelistedAt = excluded.whitelistedAt, referenceNumber = excluded.referenceNumber',
          ...[walletAddress, decision.tier, actor.at, referenceNumber],
        );
      } else {
        run(
          'update verification_requests set refusalReason = ? where referenceNumber = ?',
          ...[decision.reason, referenceNumber],
        );
      }
      const rows = requestDecision(state, decision, actor);
      store(kind, referenceNumber, rows, actor, before);
      return { kind: 'decided', status: rows.status, changedAt: rows.changedAt, walletAddress };
    },

    vote: (ballot, actor) => {
      const kind = 'loan-application';
      const { referenceNumber, vote, reason } = ballot;
      const state = currentState(kind, ballot, isLoanOpen);
      if ('undecided' in state) return state.undecided;
      const before = undo.readRecordBefore(kind, referenceNumber);
      const rows = loanVote(state, ballot, actor, votesOf(statements, referenceNumber));
      if (rows.kind === 'contradicted')
        run('delete from loan_votes where referenceNumber = ?', referenceNumber);
      else {
        run(
          'insert into loan_votes (id, referenceNumber, adminId, decision, reason, votedAt) values (?, ?, ?, ?, ?, ?) on conflict (referenceNumber, adminId) do update set decision = excluded.decision, reason = excluded.reason, votedAt = excluded.votedAt',
          ...[rowId(actor.at), referenceNumber, actor.adminId, vote, reason, actor.at],
        );
      }
      if (rows.kind === 'decided') {
        run(
          'update loan_applications set decidedAt = ?, refusalReason = ? where referenceNumber = ?',
          ...[actor.at, vote === 'refuse' ? reason : null, referenceNumber],
        );
      }
      store(kind, referenceNumber, rows, actor, before);
      return { kind: rows.kind, status: rows.status, changedAt: rows.changedAt };
    },

    reopen: (seen, actor) => {
      const { kind, referenceNumber } = seen;
      const state = currentState(kind, seen, mayReopen(kind));
      if ('undecided' in state) return state.undecided;
      const before = undo.readRecordBefore(kind, referenceNumber);
      const details = 'details' in state ? (JSON.parse(String(state.details)) as DueTimeInputs) : {};
      const rows = reopenedRows(kind, state, seen, actor, details);
      const cells = { dueAt: rows.dueAt, ...CLEARED_CELLS[kind] };
      run(
        `update ${SUBMISSION_TABLES[kind].name} set ${Object.keys(cells).map((name) => `${name} = ?`)} where referenceNumber = ?`,
        ...[...Object.values(cells), referenceNumber],
      );
      run('delete from loan_votes where referenceNumber = ?', referenceNumber);
      store(kind, referenceNumber, rows, actor, before);
      return { kind: 'decided', status: rows.status, changedAt: rows.changedAt };
    },
  };
}
