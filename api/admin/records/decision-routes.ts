import type { z } from 'zod';
import {
  addNote,
  decideApplication,
  decideRequest,
  retryDelivery,
  voteOnLoan,
} from '../../../data/contract/admin-decisions.ts';
import type { RecordStore, Undecided } from '../../../data/store/record-port.ts';
import { readBody } from '../../body.ts';
import type { ApiRoute } from '../../known-calls.ts';
import { limitCalls } from '../../security/rate-limit.ts';
import { adminRoute } from '../admin-route.ts';
import { acting, type RecordDesk } from './record-desk.ts';
import {
  DeliveryNotDeadError,
  RecordChangedError,
  RecordClosedError,
  UnknownDeliveryError,
  UnknownRecordError,
} from './record-errors.ts';
import { iso } from './record-rows.ts';

const CHANGES_PER_MINUTE = 60;

/** Why nothing was decided. */
function refusalOf(undecided: Undecided<string>): Error {
  switch (undecided.kind) {
    case 'unknown':
      return new UnknownRecordError();
    case 'changed':
      return new RecordChangedError(undecided.last);
    case 'closed':
      return new RecordClosedError(undecided.status, undecided.last);
  }
}

/** A decision on a request as the store takes it. */
function requestDecision(
  body: z.output<typeof decideRequest.body>,
): Parameters<RecordStore['decideRequest']>[0] {
  const seen = { referenceNumber: body.referenceNumber, changedAt: Date.parse(body.changedAt) };
  return body.decision === 'approved'
    ? { ...seen, decision: body.decision, tier: body.tier, reason: body.reason || null }
    : { ...seen, decision: body.decision, reason: body.reason };
}

/** The calls by which the team decides, writes notes and queues deliveries again. */
export function decisionRoutes({
  store,
  admit,
  now,
  whitelisted,
  perMinute,
}: RecordDesk): readonly ApiRoute[] {
  const { records } = store;
  const limit = limitCalls(perMinute ?? CHANGES_PER_MINUTE, 'admin-changes');
  return [
    adminRoute(
      decideApplication,
      admit,
      async (admin, request, response) => {
        const { referenceNumber, changedAt, decision, reason } = readBody(
          decideApplication.body,
          request.body,
        );
        const decided = {
          referenceNumber,
          changedAt: Date.parse(changedAt),
          decision,
          reason: reason || null,
        };
        const outcome = await records.decideApplication(decided, acting(admin, now()));
        if (outcome.kind !== 'decided') throw refusalOf(outcome);
        const { status } = outcome;
        response.json({ success: true, referenceNumber, status, changedAt: iso(outcome.changedAt) });
      },
      limit,
    ),
    adminRoute(
      decideRequest,
      admit,
      async (admin, request, response) => {
        const body = readBody(decideRequest.body, request.body);
        const { referenceNumber } = body;
        const outcome = await records.decideRequest(requestDecision(body), acting(admin, now()));
        if (outcome.kind !== 'decided') throw refusalOf(outcome);
        const { status, walletAddress } = outcome;
        if (status === 'approved' && walletAddress !== undefined) whitelisted(walletAddress);
        response.json({ success: true, referenceNumber, status, changedAt: iso(outcome.changedAt) });
      },
      limit,
    ),
    adminRoute(
      voteOnLoan,
      admit,
      async (admin, request, response) => {
        const { referenceNumber, changedAt, vote, reason } = readBody(voteOnLoan.body, request.body);
        const voted = { referenceNumber, changedAt: Date.parse(changedAt), vote, reason: reason || null };
        const outcome = await records.vote(voted, acting(admin, now()));
        if (!('changedAt' in outcome)) throw refusalOf(outcome);
        const { kind, status } = outcome;
        response.json({
          success: true,
          referenceNumber,
          status,
          changedAt: iso(outcome.changedAt),
          outcome: kind,
        });
      },
      limit,
    ),
    adminRoute(
      addNote,
      admit,
      async (admin, request, response) => {
        const note = await records.addNote(readBody(addNote.body, request.body), acting(admin, now()));
        if (!note) throw new UnknownRecordError();
        response.json({ success: true, note: { ...note, at: iso(note.at) } });
      },
      limit,
    ),
    adminRoute(
      retryDelivery,
      admit,
      async (admin, request, response) => {
        const { deliveryId } = readBody(retryDelivery.body, request.body);
        const outcome = await records.retryDelivery(deliveryId, acting(admin, now()));
        if (outcome === 'unknown') throw new UnknownDeliveryError();
        if (outcome === 'not-dead') throw new DeliveryNotDeadError();
        response.json({ success: true, deliveryId, state: 'waiting' });
      },
      limit,
    ),
  ];
}
