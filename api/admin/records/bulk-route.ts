import type { z } from 'zod';
import { changeRecords } from '../../../data/contract/admin-bulk.ts';
import type { ApprovalWarning } from '../../../data/model/approval-warnings.ts';
import type { BulkOutcome } from '../../../data/model/bulk.ts';
import {
  isLoanOpen,
  LOAN_VOTES_NEEDED,
  NEXT_APPLICATION_STATUSES,
  NEXT_CONTACT_STATUSES,
  NEXT_REQUEST_STATUSES,
} from '../../../data/model/submission-status.ts';
import type { Actor, AssignOutcome, FullRecord } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../call-router.ts';
import { ApiError } from '../../errors.ts';
import type { PortalContext } from '../../portal-context.ts';
import { adminJsonRoute } from '../authorize-admin.ts';
import { requireRightToVote } from '../require-right-to-vote.ts';
import { warningsOf } from './approval-check.ts';
import { toSeenRecord } from './wire-rows.ts';

const BATCH_SIZE = 5;

type Body = z.output<typeof changeRecords.body>;
/** A record as the admin saw it, from the request. */
type RequestedRecord = Body['records'][number];
type Result = z.output<typeof changeRecords.response>['records'][number];

const FAILED_RESULT = { outcome: 'failed', status: null, assigneeId: null } as const;

interface CheckResult {
  readonly outcome: BulkOutcome;
  /** The status that the record gets; undefined if its status does not change. */
  readonly status?: string;
  readonly warnings?: readonly ApprovalWarning[];
}

const KIND_BY_ACTION = {
  assign: null,
  'move-contacts': 'contact-message',
  'decide-applications': 'card-application',
  'decide-requests': 'verification-request',
  'vote-on-loans': 'loan-application',
} as const satisfies Record<Body['action'], FullRecord['kind'] | null>;

/** Checks whether a status change is allowed. Ignores warnings. */
function checkStatusChange(body: Body, fullRecord: FullRecord, adminId: string): CheckResult {
  const checkChange = (status: string, isAllowed: boolean): CheckResult => {
    if (fullRecord.record.status === status) return { outcome: 'unchanged' };
    return isAllowed ? { outcome: 'ready', status } : { outcome: 'closed' };
  };
  if (body.action === 'move-contacts' && fullRecord.kind === 'contact-message') {
    const { status } = fullRecord.record;
    const needsReason = status === 'closed' && body.status === 'open' && !body.reason;
    if (needsReason) return { outcome: 'reason-needed' };
    return checkChange(body.status, NEXT_CONTACT_STATUSES[status].includes(body.status));
  }
  if (body.action === 'decide-applications' && fullRecord.kind === 'card-application')
    return checkChange(
      body.decision,
      NEXT_APPLICATION_STATUSES[fullRecord.record.status].includes(body.decision),
    );
  if (body.action === 'decide-requests' && fullRecord.kind === 'verification-request')
    return checkChange(
      body.decision,
      NEXT_REQUEST_STATUSES[fullRecord.record.status].includes(body.decision),
    );
  if (body.action === 'vote-on-loans' && fullRecord.kind === 'loan-application') {
    if (!isLoanOpen(fullRecord.record.status)) return { outcome: 'closed' };
    if (fullRecord.votes.some((vote) => vote.adminId === adminId)) return { outcome: 'voted' };
    if (fullRecord.votes.some(({ decision }) => decision !== body.vote)) return { outcome: 'contradicts' };
    const isDecided = fullRecord.votes.length + 1 >= LOAN_VOTES_NEEDED;
    const decision = body.vote === 'approve' ? 'approved' : 'refused';
    return { outcome: 'ready', status: isDecided ? decision : 'in-review' };
  }
  return { outcome: 'other-kind' };
}

const isApproval = (body: Body): boolean =>
  'vote' in body
    ? body.vote === 'approve'
    : 'decision' in body && (body.decision === 'approved' || body.decision === 'card-issued');

export function bulkRoute(portal: PortalContext): ApiRoute {
  const { store, authorize, now, provenWallets, log } = portal;
  const { records, admins } = store;

  async function check(
    body: Body,
    requestedRecord: RequestedRecord,
    fullRecord: FullRecord | null,
    adminId: string,
  ): Promise<CheckResult> {
    if (fullRecord === null) return { outcome: 'unknown' };
    const { assigneeId, changedAt } = fullRecord.record;
    if (body.action === 'assign') {
      if (assigneeId !== requestedRecord.assigneeId) return { outcome: 'changed' };
      return { outcome: assigneeId === body.assignTo ? 'unchanged' : 'ready' };
    }
    if (fullRecord.kind !== KIND_BY_ACTION[body.action]) return { outcome: 'other-kind' };
    if (changedAt !== Date.parse(requestedRecord.changedAt)) return { outcome: 'changed' };
    const checkResult = checkStatusChange(body, fullRecord, adminId);
    if (checkResult.outcome !== 'ready' || !isApproval(body)) return checkResult;
    const tier = body.action === 'decide-requests' ? (body.tier ?? null) : null;
    const warnings = await warningsOf(portal, fullRecord, tier);
    return warnings.length === 0 ? checkResult : { outcome: 'warned', warnings };
  }

  /** Changes one record in the store, which refuses the change if the record has changed since the admin saw it. */
  async function apply(body: Body, requestedRecord: RequestedRecord, actor: Actor): Promise<BulkOutcome> {
    const { referenceNumber } = requestedRecord;
    const seenRecord = toSeenRecord(requestedRecord);
    const reason = ('reason' in body && body.reason) || null;
    // `contradicted` counts as done: the vote was stored, and then both votes were cleared. `contradicts` is a refusal.
    const outcomeOf = ({ kind }: { readonly kind: BulkOutcome | 'decided' | 'waiting' | 'contradicted' }) =>
      kind === 'decided' || kind === 'waiting' || kind === 'contradicted' ? 'done' : kind;
    switch (body.action) {
      case 'assign':
        return assignmentOutcome(
          await records.assign(
            { referenceNumber, assigneeId: body.assignTo, from: requestedRecord.assigneeId },
            actor,
          ),
        );
      case 'move-contacts':
        return outcomeOf(await records.decideContact({ ...seenRecord, status: body.status, reason }, actor));
      case 'decide-applications':
        return outcomeOf(
          await records.decideApplication({ ...seenRecord, decision: body.decision, reason }, actor),
        );
      case 'decide-requests': {
        const { decision, tier } = body;
        if (decision === 'refused')
          return outcomeOf(
            await records.decideRequest({ ...seenRecord, decision, reason: reason ?? '' }, actor),
          );
        if (!tier) throw new RangeError('The approval of a verification request has no tier.');
        const outcome = await records.decideRequest({ ...seenRecord, decision, tier, reason }, actor);
        if (outcome.kind === 'decided' && outcome.walletAddress !== undefined)
          provenWallets.add(outcome.walletAddress);
        return outcomeOf(outcome);
      }
      case 'vote-on-loans':
        return outcomeOf(await records.vote({ ...seenRecord, vote: body.vote, reason }, actor));
    }
  }

  function assignmentOutcome({ kind }: AssignOutcome): BulkOutcome {
    if (kind === 'no-reviewer') throw new ApiError('no-such-reviewer');
    return kind === 'assigned' ? 'done' : kind;
  }

  async function changeOne(body: Body, requestedRecord: RequestedRecord, actor: Actor): Promise<Result> {
    const fullRecord = await records.record(requestedRecord.referenceNumber);
    const { outcome, status, warnings = [] } = await check(body, requestedRecord, fullRecord, actor.adminId);
    const finalOutcome =
      outcome === 'ready' && !body.isPreview ? await apply(body, requestedRecord, actor) : outcome;
    const isChange = finalOutcome === 'ready' || finalOutcome === 'done';
    const { record } = fullRecord ?? {};
    return {
      referenceNumber: requestedRecord.referenceNumber,
      outcome: finalOutcome,
      status: (isChange ? status : undefined) ?? record?.status ?? null,
      assigneeId: isChange && body.action === 'assign' ? body.assignTo : (record?.assigneeId ?? null),
      warnings: [...warnings],
    };
  }

  async function requireRights(body: Body, adminId: string): Promise<void> {
    if (body.action === 'vote-on-loans') await requireRightToVote(adminId, portal);
    if (body.action === 'assign' && body.assignTo !== null) {
      const account = await admins.byId(body.assignTo);
      if (account === null || account.disabledAt !== null || account.role === 'viewer')
        throw new ApiError('no-such-reviewer');
    }
  }

  return adminJsonRoute(
    changeRecords,
    { authorize, limit: 'admin-bulk-changes' },
    async ({ id, address }, body) => {
      await requireRights(body, id);
      const actor = () => ({ adminId: id, address, at: now() });
      const results: Result[] = [];
      let error: unknown;
      for (let start = 0; start < body.records.length && error === undefined; start += BATCH_SIZE) {
        const batch = body.records.slice(start, start + BATCH_SIZE);
        const settledChanges = await Promise.allSettled(
          batch.map((requestedRecord) => changeOne(body, requestedRecord, actor())),
        );
        for (const result of settledChanges) {
          if (result.status === 'fulfilled') results.push(result.value);
          else error ??= result.reason;
        }
      }
      if (error !== undefined) {
        // If at least one record was changed, the call does not fail: the response lists the outcome of every record.
        if (!results.some(({ outcome }) => outcome === 'done')) throw error;
        log.error({ err: error }, 'some of the selected records could not be changed');
      }
      const failedRecords = body.records.filter(
        (requestedRecord) =>
          !results.some(({ referenceNumber }) => referenceNumber === requestedRecord.referenceNumber),
      );
      results.push(
        ...failedRecords.map(({ referenceNumber }) => ({ ...FAILED_RESULT, referenceNumber, warnings: [] })),
      );
      const changed = results.filter(({ outcome }) => outcome === 'ready' || outcome === 'done').length;
      return { success: true, changed, records: results };
    },
  );
}
