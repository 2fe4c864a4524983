import { adminRecord } from '../../../data/contract/admin-record.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import type { FullRecord } from '../../../data/store/record-port.ts';
import { ApiError } from '../../errors.ts';
import type { ApiRoute } from '../../known-calls.ts';
import { readQuery } from '../../request-input.ts';
import { adminRoute } from '../admit-admin.ts';
import type { RecordContext } from './record-context.ts';
import { iso, isoOrNull, methodOf, wireDetails } from './wire-rows.ts';

/** The timeline, decisions, notes and deliveries of a record. */
function historyOf({ record, timeline, decisions, notes, deliveries }: FullRecord) {
  return {
    referenceNumber: record.referenceNumber,
    timeline: timeline.map(({ at, status, note }) => ({ at: iso(at), status, note })),
    decisions: decisions.map(({ at, by, decision, reason }) => ({ at: iso(at), by, decision, reason })),
    notes: notes.map(({ id, at, by, text }) => ({ id, at: iso(at), by, text })),
    deliveries: deliveries.map((delivery) => ({
      id: delivery.id,
      event: delivery.event,
      deliveryMethod: methodOf(delivery.channel),
      audience: delivery.audience,
      state: delivery.state,
      createdAt: iso(delivery.createdAt),
      nextAttemptAt:
        delivery.state === 'sent' || delivery.state === 'dead' ? null : iso(delivery.nextAttemptAt),
      finishedAt: isoOrNull(delivery.finishedAt),
      attempts: delivery.attempts.map(({ at, outcome, error, code, maskedRecipient }) => ({
        at: iso(at),
        outcome,
        error,
        code,
        recipient: maskedRecipient,
      })),
    })),
  };
}

function responseOf(
  whole: FullRecord,
  viewer: string,
  decimals: number | null,
): ResponseOf<typeof adminRecord> {
  const history = historyOf(whole);
  switch (whole.kind) {
    case 'card-application':
      return { kind: whole.kind, record: wireDetails('applications', whole.record, decimals), ...history };
    case 'contact-message':
      return { kind: whole.kind, record: wireDetails('contacts', whole.record, decimals), ...history };
    case 'verification-request': {
      const { kind, record, whitelistedTier } = whole;
      const details = wireDetails('verification-requests', record, decimals);
      return { kind, record: { ...details, whitelistedTier }, ...history };
    }
    case 'loan-application': {
      const { kind, record } = whole;
      const votes = whole.votes.map(({ by, adminId, decision, reason, at }) => ({
        by,
        isYours: adminId === viewer,
        decision,
        reason,
        at: iso(at),
      }));
      const details = wireDetails('loan-applications', record, decimals);
      return { kind, record: { ...details, documents: [...whole.documents], votes }, ...history };
    }
  }
}

/** `GET /api/admin/record`: one record with its history. */
export function recordRoute({ store, admit, decimals }: RecordContext): ApiRoute {
  return adminRoute(adminRecord, { admit }, async (admin, request, response) => {
    const { reference } = readQuery(adminRecord.query, request.query);
    const whole = await store.records.record(reference);
    if (!whole) throw new ApiError('unknown-record');
    response.json(responseOf(whole, admin.id, decimals()));
  });
}
