import type { z } from 'zod';
import {
  addNote,
  changeNote,
  decideApplication,
  decideRequest,
  openUndos,
  reopenRecord,
  retryDelivery,
  undoDecision,
  undoDecisions,
  voteOnLoan,
} from '../../../data/contract/admin-decisions.ts';
import type { Decision, DecisionRefusal, RecordStore } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../call-router.ts';
import { checkCardStakes } from '../../cards/check-card-stakes.ts';
import { momentText } from '../../delivery/mail/templates/shared-parts.ts';
import { ApiError } from '../../errors.ts';
import type { PortalContext } from '../../portal-context.ts';
import { adminJsonRoute, type SignedInAdmin } from '../authorize-admin.ts';
import { requireRightToVote } from '../require-right-to-vote.ts';
import { checkApproval } from './approval-check.ts';
import { iso, toSeenRecord, toWireDecision, toWireNote } from './wire-rows.ts';

const DECISION_PHRASES: Readonly<Record<string, string>> = {
  'in-review': 'started its review',
  approved: 'approved it',
  refused: 'refused it',
  'card-issued': 'marked its card as issued',
  withdrawn: 'withdrew the whitelisting',
  open: 'reopened it',
  waiting: 'set it to waiting',
  answered: 'set it to answered',
  closed: 'closed it',
  approve: 'voted to approve it',
  refuse: 'voted to refuse it',
  contradicted: 'contradicted the earlier vote',
  reopened: 'reopened it',
  merged: 'merged it into another record',
  split: 'split it from the other record',
};

/** A sentence about the last decision, with a trailing space; empty if there is none. */
function lastDecisionText(decision: Decision | null): string {
  if (decision === null) return '';
  return `${decision.by} ${DECISION_PHRASES[decision.decision] ?? `decided ${decision.decision}`} on ${momentText(decision.at)}. `;
}

export function decisionError(outcome: DecisionRefusal<string>): Error {
  switch (outcome.kind) {
    case 'unknown':
      return new ApiError('unknown-record');
    case 'changed':
      return new ApiError('record-changed', {
        text: `${lastDecisionText(outcome.last)}Your decision was based on an older state and was not stored. Reload the record.`,
      });
    case 'closed':
      return new ApiError('record-closed', {
        text: `${lastDecisionText(outcome.last)}The record’s status “${outcome.status}” does not allow this. Nothing was changed.`,
      });
  }
}

function toStoreDecision(
  body: z.output<typeof decideRequest.body>,
): Parameters<RecordStore['decideRequest']>[0] {
  const seenRecord = toSeenRecord(body);
  return body.decision === 'approved'
    ? { ...seenRecord, decision: body.decision, tier: body.tier, reason: body.reason || null }
    : { ...seenRecord, decision: body.decision, reason: body.reason };
}

export function decisionRoutes(portal: PortalContext): readonly ApiRoute[] {
  const { store, authorize, now, provenWallets, log } = portal;
  const { records } = store;
  const options = { authorize, limit: 'admin-decisions' } as const;
  const actorOf = ({ id, address }: SignedInAdmin) => ({ adminId: id, address, at: now() });

  return [
    adminJsonRoute(decideApplication, options, async (admin, { reason, ...body }) => {
      const seenRecord = toSeenRecord(body);
      const isApproval = body.decision === 'approved' || body.decision === 'card-issued';
      const despite = isApproval ? await checkApproval(portal, seenRecord, body.despite) : null;
      const decisionInput = { ...seenRecord, decision: body.decision, reason: reason || null, despite };
      const outcome = await records.decideApplication(decisionInput, actorOf(admin));
      if (outcome.kind !== 'decided') throw decisionError(outcome);
      return toWireDecision(body.referenceNumber, outcome);
    }),
    adminJsonRoute(decideRequest, options, async (admin, body) => {
      const decisionInput = toStoreDecision(body);
      const outcome = await records.decideRequest(
        body.decision === 'approved' && decisionInput.decision === 'approved'
          ? { ...decisionInput, despite: await checkApproval(portal, decisionInput, body.despite, body.tier) }
          : decisionInput,
        actorOf(admin),
      );
      if (outcome.kind !== 'decided') throw decisionError(outcome);
      const { status, walletAddress } = outcome;
      if (status === 'approved' && walletAddress !== undefined) provenWallets.add(walletAddress);
      if (status === 'withdrawn') {
        provenWallets.reload();
        if (walletAddress !== undefined) await checkCardStakes(portal, { walletAddress });
      }
      return toWireDecision(body.referenceNumber, outcome);
    }),
    adminJsonRoute(voteOnLoan, options, async (admin, { reason, ...body }) => {
      await requireRightToVote(admin.id, portal);
      const seenRecord = toSeenRecord(body);
      const despite = body.vote === 'approve' ? await checkApproval(portal, seenRecord, body.despite) : null;
      const voteInput = { ...seenRecord, vote: body.vote, reason: reason || null, despite };
      const outcome = await records.vote(voteInput, actorOf(admin));
      if (!('changedAt' in outcome)) throw decisionError(outcome);
      return { ...toWireDecision(body.referenceNumber, outcome), outcome: outcome.kind };
    }),
    adminJsonRoute(reopenRecord, options, async (admin, { reason, ...body }) => {
      const kind = (await records.record(body.referenceNumber))?.kind;
      if (kind === undefined) throw new ApiError('unknown-record');
      const seenRecord = { ...toSeenRecord(body), reason };
      const outcome =
        kind === 'contact-message'
          ? await records.decideContact({ ...seenRecord, status: 'open' }, actorOf(admin))
          : await records.reopen({ ...seenRecord, kind }, actorOf(admin));
      if (outcome.kind === 'reason-needed') throw new ApiError('reason-needed');
      if (outcome.kind !== 'decided') throw decisionError(outcome);
      return toWireDecision(body.referenceNumber, outcome);
    }),
    adminJsonRoute(openUndos, { authorize }, async ({ id }) => {
      const at = now();
      const decisions = (await records.undoableDecisions(id, at)).map(
        ({ changedAt, until, ...decision }) => ({
          ...decision,
          changedAt: iso(changedAt),
          until: iso(until),
          remainingMs: until - at,
        }),
      );
      return { undos: decisions };
    }),
    adminJsonRoute(undoDecision, options, async (admin, body) => {
      const outcome = await records.undo(toSeenRecord(body), actorOf(admin));
      switch (outcome.kind) {
        case 'undone':
          // If the decision was an approval, the wallet may no longer be whitelisted.
          provenWallets.reload();
          return toWireDecision(body.referenceNumber, outcome);
        case 'unknown':
          throw new ApiError('unknown-record');
        case 'changed':
          throw new ApiError('record-changed', {
            text: 'The record has changed since your decision, so it can’t be undone. Reload the record.',
          });
        default:
          throw new ApiError(`undo-${outcome.kind}`);
      }
    }),
    adminJsonRoute(undoDecisions, { authorize, limit: 'admin-bulk-changes' }, async (admin, body) => {
      const outcomes: z.output<typeof undoDecisions.response>['records'] = [];
      // All records use the same time, so that the period for undoing a decision cannot end during the call.
      const actor = actorOf(admin);
      for (const one of body.records) {
        const { referenceNumber } = one;
        try {
          const { kind } = await records.undo(toSeenRecord(one), actor);
          outcomes.push({ referenceNumber, outcome: kind });
        } catch (error) {
          // If at least one decision was undone, the call does not fail: the response lists every outcome.
          if (!outcomes.some(({ outcome }) => outcome === 'undone')) throw error;
          log.error({ err: error }, 'some of the selected decisions could not be undone');
          outcomes.push({ referenceNumber, outcome: 'failed' });
        }
      }
      // If approvals were undone, their wallets may no longer be whitelisted.
      provenWallets.reload();
      return {
        success: true,
        undone: outcomes.filter(({ outcome }) => outcome === 'undone').length,
        records: outcomes,
      };
    }),
    adminJsonRoute(addNote, options, async (admin, body) => {
      const note = await records.addNote(body, actorOf(admin));
      if (note === 'unknown') throw new ApiError('unknown-record');
      if (note === 'not-mentionable') throw new ApiError(note);
      return { success: true, note: toWireNote(note, admin.id) };
    }),
    adminJsonRoute(changeNote, options, async (admin, body) => {
      const outcome = await records.changeNote(body, actorOf(admin));
      switch (outcome) {
        case 'done':
          return { success: true };
        case 'unknown':
          throw new ApiError('unknown-note');
        case 'not-yours':
          throw new ApiError('not-your-note');
        case 'changed':
          throw new ApiError('note-changed');
        case 'not-mentionable':
          throw new ApiError(outcome);
      }
    }),
    adminJsonRoute(retryDelivery, options, async (admin, { deliveryId }) => {
      const outcome = await records.retryDelivery(deliveryId, actorOf(admin));
      if (outcome === 'unknown') throw new ApiError('unknown-delivery');
      if (outcome === 'not-dead') throw new ApiError('delivery-not-dead');
      return { success: true, deliveryId, state: 'waiting' };
    }),
  ];
}
