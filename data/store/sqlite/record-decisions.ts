import type { DecidedRecord, RecordStore, Undecided } from '../record-port.ts';
import { rowId } from '../row-id.ts';
import {
  applicationDecision,
  type CurrentState,
  type DecisionRows,
  loanVote,
  mayDecideApplication,
  mayDecideRequest,
  mayVote,
  refusalOf,
  requestDecision,
} from '../rules/record-decisions.ts';
import type { AuditStatements } from './audit-trail.ts';
import type { QueueDelivery } from './delivery-store.ts';
import type { Statements, Value } from './list-statements.ts';
import { decisionsOf, votesOf } from './record-details.ts';

/** A method of the port, without its promise. */
type Sync<Call extends 'decideApplication' | 'decideRequest' | 'vote'> = (
  ...decided: Parameters<RecordStore[Call]>
) => Awaited<ReturnType<RecordStore[Call]>>;

type Table = 'card_applications' | 'verification_requests' | 'loan_applications';

/** Prepares the decisions. Call each one in a transaction, so that the second of two concurrent decisions sees the first. */
export function prepareDecisions(
  statements: Statements,
  audit: AuditStatements,
  queueDelivery: QueueDelivery,
): {
  readonly decideApplication: Sync<'decideApplication'>;
  readonly decideRequest: Sync<'decideRequest'>;
  readonly vote: Sync<'vote'>;
} {
  const lastDecision = (referenceNumber: string) => decisionsOf(statements, referenceNumber).at(-1) ?? null;

  /** The current state of the record, or why it cannot be decided. */
  function currentState<Status extends string>(
    table: Table,
    decided: DecidedRecord,
    isPossible: (status: Status) => boolean,
  ): CurrentState<Status> | { readonly undecided: Undecided<Status> } {
    const { referenceNumber } = decided;
    const state = statements(`select * from ${table} where referenceNumber = ?`).get(referenceNumber) as
      | CurrentState<Status>
      | undefined;
    if (!state) return { undecided: { kind: 'unknown' } };
    const kind = refusalOf(state, decided, isPossible);
    if (kind === null) return state;
    return { undecided: { kind, status: state.status, last: lastDecision(referenceNumber) } };
  }

  const run = (sql: string, ...values: readonly Value[]) => statements(sql).run(...values);

  function store(
    table: Table,
    referenceNumber: string,
    { status, changedAt, decisions, events, audit: records, mail }: DecisionRows<string>,
    { at, adminId }: { readonly at: number; readonly adminId: string },
  ): void {
    run(
      `update ${table} set status = ?, changedAt = ? where referenceNumber = ?`,
      ...[status, changedAt, referenceNumber],
    );
    for (const { decision, reason } of decisions) {
      run(
        'insert into record_decisions (referenceNumber, at, adminId, decision, reason) values (?, ?, ?, ?, ?)',
        ...[referenceNumber, at, adminId, decision, reason],
      );
    }
    for (const event of events) {
      run(
        'insert into submission_events (referenceNumber, at, status, note) values (?, ?, ?, ?)',
        ...[referenceNumber, at, event.status, event.note],
      );
    }
    for (const record of records) audit.append(record);
    if (mail) queueDelivery(mail, at);
  }

  return {
    decideApplication: (decided, actor) => {
      const table = 'card_applications';
      const found = currentState(table, decided, mayDecideApplication(decided));
      if ('undecided' in found) return found.undecided;
      const rows = applicationDecision(found, decided, actor);
      store(table, decided.referenceNumber, rows, actor);
      return { kind: 'decided', status: rows.status, changedAt: rows.changedAt };
    },

    decideRequest: (decided, actor) => {
      const table = 'verification_requests';
      const { referenceNumber } = decided;
      const found = currentState(table, decided, mayDecideRequest(decided));
      if ('undecided' in found) return found.undecided;
      const { walletAddress = '' } = found;
      if (decided.decision === 'withdrawn') {
        const { changes } = run(
          'delete from whitelisted_wallets where walletAddress = ? and referenceNumber = ?',
          ...[walletAddress, referenceNumber],
        );
        // A later request has whitelisted the wallet, or its whitelisting was erased.
        if (changes === 0) {
          return { kind: 'closed', status: found.status, last: lastDecision(referenceNumber) };
        }
      } else if (decided.decision === 'approved') {
        run(
          'insert into whitelisted_wallets (walletAddress, tier, whitelistedAt, referenceNumber) values (?, ?, ?, ?) on conflict (walletAddress) do update set tier = excluded.tier, whitelistedAt = excluded.whitelistedAt, referenceNumber = excluded.referenceNumber',
          ...[walletAddress, decided.tier, actor.at, referenceNumber],
        );
      } else {
        run(
          'update verification_requests set refusalReason = ? where referenceNumber = ?',
          ...[decided.reason, referenceNumber],
        );
      }
      const rows = requestDecision(found, decided, actor);
      store(table, referenceNumber, rows, actor);
      return { kind: 'decided', status: rows.status, changedAt: rows.changedAt, walletAddress };
    },

    vote: (voted, actor) => {
      const table = 'loan_applications';
      const { referenceNumber, vote, reason } = voted;
      const found = currentState(table, voted, mayVote);
      if ('undecided' in found) return found.undecided;
      const rows = loanVote(found, voted, actor, votesOf(statements, referenceNumber));
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
      store(table, referenceNumber, rows, actor);
      return { kind: rows.kind, status: rows.status, changedAt: rows.changedAt };
    },
  };
}
