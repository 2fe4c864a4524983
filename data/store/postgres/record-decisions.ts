import { isLoanOpen, mapKinds, TRACKABLE_KINDS } from '../../model/submission-status.ts';
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
import type { Database, Transaction } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';
import type { Details } from './record-details.ts';
import type { Undo } from './record-undo.ts';

const DECIDABLE_TABLES = {
  'card-application': { table: 'card_applications', columns: '' },
  'verification-request': { table: 'verification_requests', columns: ', "walletAddress"' },
  'loan-application': { table: 'loan_applications', columns: '' },
} as const;
type DecidableKind = keyof typeof DECIDABLE_TABLES;

function prepareStatements({ statement }: Database) {
  const ofKind = (kind: DecidableKind) => {
    const { table, columns } = DECIDABLE_TABLES[kind];
    return {
      state: statement<CurrentState<string>>(
        `select status, "changedAt", email${columns} from $.${table} where "referenceNumber" = $1 for update`,
      ),
      setStatus: statement(`
        with changed as (
          update $.${table} set status = $2, "changedAt" = $3 where "referenceNumber" = $1
        )
        insert into $.count_changes (kind, status, rows) values ('${kind}', $4, -1), ('${kind}', $2, 1)`),
      dueTimeInputs: statement<{ details: DueTimeInputs }>(
        `select details from $.${table} where "referenceNumber" = $1`,
      ),
      reopen: statement(`
        update $.${table} set "dueAt" = $2${Object.keys(CLEARED_CELLS[kind])
          .map((name) => `, "${name}" = null`)
          .join('')}
        where "referenceNumber" = $1`),
    };
  };
  return {
    of: mapKinds(TRACKABLE_KINDS, ofKind),
    addDecision: statement(`
      insert into $.record_decisions ("referenceNumber", at, "adminId", decision, reason) values ($1, $2, $3, $4, $5)`),
    addEvent: statement(
      'insert into $.submission_events ("referenceNumber", at, status, note) values ($1, $2, $3, $4)',
    ),
    whitelist: statement(`
      insert into $.whitelisted_wallets ("walletAddress", tier, "whitelistedAt", "referenceNumber") values ($1, $2, $3, $4)
      on conflict ("walletAddress") do update set
        tier = excluded.tier, "whitelistedAt" = excluded."whitelistedAt", "referenceNumber" = excluded."referenceNumber"`),
    endWhitelisting: statement(
      'delete from $.whitelisted_wallets where "walletAddress" = $1 and "referenceNumber" = $2',
    ),
    refuseRequest: statement(
      'update $.verification_requests set "refusalReason" = $2 where "referenceNumber" = $1',
    ),
    addVote: statement(`
      insert into $.loan_votes (id, "referenceNumber", "adminId", decision, reason, "votedAt") values ($1, $2, $3, $4, $5, $6)
      on conflict ("referenceNumber", "adminId") do update set
        decision = excluded.decision, reason = excluded.reason, "votedAt" = excluded."votedAt"`),
    deleteVotes: statement('delete from $.loan_votes where "referenceNumber" = $1'),
    decideLoan: statement(`
      update $.loan_applications set "decidedAt" = $2, "refusalReason" = $3 where "referenceNumber" = $1`),
  };
}

export function openDecisions(
  db: Database,
  { decisionsOf, votesOf }: Details,
  queueDeliveries: QueueDeliveries,
  undo: Undo,
  onQueued: () => void,
): Pick<RecordStore, 'decideApplication' | 'decideRequest' | 'vote' | 'reopen'> {
  const statements = prepareStatements(db);

  const lastDecision = async (transaction: Transaction, referenceNumber: string) =>
    (await decisionsOf(transaction, referenceNumber)).at(-1) ?? null;

  /** Returns the record's current state, or why the record cannot be decided. */
  async function currentState<Status extends string>(
    transaction: Transaction,
    kind: DecidableKind,
    seen: SeenRecord,
    isPossible: (status: Status) => boolean,
  ): Promise<CurrentState<Status> | { readonly undecided: DecisionRefusal<Status> }> {
    const { referenceNumber } = seen;
    const state = (await transaction.get(
      statements.of[kind].state,
      referenceNumber,
    )) as CurrentState<Status> | null;
    if (!state) return { undecided: { kind: 'unknown' } };
    const refusal = decisionRefusal(state, seen, isPossible);
    if (refusal === null) return state;
    const last = await lastDecision(transaction, referenceNumber);
    return { undecided: { kind: refusal, status: state.status, last } };
  }

  /** @param before the record before the decision; null if the decision cannot be undone */
  async function store(
    transaction: Transaction,
    kind: DecidableKind,
    referenceNumber: string,
    state: CurrentState<string>,
    { status, changedAt, decisions, events, audit, mail }: DecisionRows<string>,
    { at, adminId }: Actor,
    before: RecordBeforeDecision | null,
  ): Promise<void> {
    const settled = endsEarlierDecisions(decisions)
      ? await undo.settleDecisionMessages(transaction, referenceNumber)
      : [];
    await transaction.run(statements.of[kind].setStatus, referenceNumber, status, changedAt, state.status);
    for (const { decision, reason } of decisions) {
      await transaction.run(statements.addDecision, referenceNumber, at, adminId, decision, reason);
    }
    for (const event of events) {
      await transaction.run(statements.addEvent, referenceNumber, at, event.status, event.note);
    }
    for (const record of audit) transaction.record(record);
    const queued = mail && (await undo.withUniqueEvent(transaction, mail));
    if (queued) await queueDeliveries(transaction, [{ delivery: queued, at }]);
    if (before) {
      const [after, mailEvent] = [{ status, changedAt }, queued?.event ?? null];
      const beforeWithMessages = { ...before, settled };
      await undo.remember(
        transaction,
        kind,
        referenceNumber,
        { at, adminId },
        after,
        mailEvent,
        beforeWithMessages,
      );
    }
  }

  async function decide<Outcome>(work: (transaction: Transaction) => Promise<Outcome>): Promise<Outcome> {
    const outcome = await db.transaction([], work);
    onQueued();
    return outcome;
  }

  return {
    decideApplication: (decision, actor) =>
      decide(async (transaction) => {
        const kind = 'card-application';
        const state = await currentState(transaction, kind, decision, mayDecideApplication(decision));
        if ('undecided' in state) return state.undecided;
        const rows = applicationDecision(state, decision, actor);
        const before = await undo.readRecordBefore(transaction, kind, decision.referenceNumber);
        await store(transaction, kind, decision.referenceNumber, state, rows, actor, before);
        return { kind: 'decided', status: rows.status, changedAt: rows.changedAt };
      }),

    decideRequest: (decision, actor) =>
      decide(async (transaction) => {
        const kind = 'verification-request';
        const { referenceNumber } = decision;
        const state = await currentState(transaction, kind, decision, mayDecideRequest(decision));
        if ('undecided' in state) return state.undecided;
        const { walletAddress = '' } = state;
        // A withdrawal takes effect immediately, so it cannot be undone.
        const before =
          decision.decision === 'withdrawn'
            ? null
            : await undo.readRecordBefore(transaction, kind, referenceNumber, walletAddress);
        if (decision.decision === 'withdrawn') {
          // No row is deleted if a later request has whitelisted the wallet, or if the whitelisting was erased.
          if ((await transaction.run(statements.endWhitelisting, walletAddress, referenceNumber)) === 0) {
            const last = await lastDecision(transaction, referenceNumber);
            return { kind: 'closed', status: state.status, last };
          }
        } else if (decision.decision === 'approved') {
          await transaction.run(
            statements.whitelist,
            walletAddress,
            decision.tier,
            actor.at,
            referenceNumber,
          );
        } else await transaction.run(statements.refuseRequest, referenceNumber, decision.reason);
        const rows = requestDecision(state, decision, actor);
        await store(transaction, kind, referenceNumber, state, rows, actor, before);
        return { kind: 'decided', status: rows.status, changedAt: rows.changedAt, walletAddress };
      }),

    vote: (ballot, actor) =>
      decide(async (transaction) => {
        const kind = 'loan-application';
        const { referenceNumber, vote, reason } = ballot;
        const state = await currentState(transaction, kind, ballot, isLoanOpen);
        if ('undecided' in state) return state.undecided;
        const before = await undo.readRecordBefore(transaction, kind, referenceNumber);
        const rows = loanVote(state, ballot, actor, await votesOf(transaction, referenceNumber));
        if (rows.kind === 'contradicted') await transaction.run(statements.deleteVotes, referenceNumber);
        else {
          const voteCells = [referenceNumber, actor.adminId, vote, reason, actor.at];
          await transaction.run(statements.addVote, rowId(actor.at), ...voteCells);
        }
        if (rows.kind === 'decided') {
          await transaction.run(
            statements.decideLoan,
            referenceNumber,
            actor.at,
            vote === 'refuse' ? reason : null,
          );
        }
        await store(transaction, kind, referenceNumber, state, rows, actor, before);
        return { kind: rows.kind, status: rows.status, changedAt: rows.changedAt };
      }),

    reopen: (seen, actor) =>
      decide(async (transaction) => {
        const { kind, referenceNumber } = seen;
        const state = await currentState(transaction, kind, seen, mayReopen(kind));
        if ('undecided' in state) return state.undecided;
        const before = await undo.readRecordBefore(transaction, kind, referenceNumber);
        const inputs = await transaction.get(statements.of[kind].dueTimeInputs, referenceNumber);
        const rows = reopenedRows(kind, state, seen, actor, inputs?.details ?? {});
        await transaction.run(statements.of[kind].reopen, referenceNumber, rows.dueAt);
        if (kind === 'loan-application') await transaction.run(statements.deleteVotes, referenceNumber);
        await store(transaction, kind, referenceNumber, state, rows, actor, before);
        return { kind: 'decided', status: rows.status, changedAt: rows.changedAt };
      }),
  };
}
