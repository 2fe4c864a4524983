import { adminRecord } from '../../../data/contract/admin-record.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import type { WholeRecord } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../known-calls.ts';
import { readQuery } from '../../query.ts';
import { adminRoute } from '../admin-route.ts';
import type { RecordDesk } from './record-desk.ts';
import { applicationDetailsOf, contactDetailsOf, loanDetailsOf, requestDetailsOf } from './record-details.ts';
import { UnknownRecordError } from './record-errors.ts';
import { iso, isoOrNull, methodOf } from './record-rows.ts';

/** What the team knows of a record beside its own fields. */
function aboutOf({ record, timeline, decisions, notes, deliveries }: WholeRecord) {
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

function answerOf(
  whole: WholeRecord,
  viewer: string,
  decimals: number | null,
): ResponseOf<typeof adminRecord> {
  const about = aboutOf(whole);
  switch (whole.kind) {
    case 'card-application':
      return { kind: whole.kind, record: applicationDetailsOf(whole.record, decimals), ...about };
    case 'contact-message':
      return { kind: whole.kind, record: contactDetailsOf(whole.record), ...about };
    case 'verification-request': {
      const { whitelistedTier } = whole;
      return { kind: whole.kind, record: { ...requestDetailsOf(whole.record), whitelistedTier }, ...about };
    }
    case 'loan-application': {
      const votes = whole.votes.map(({ by, adminId, decision, reason, at }) => ({
        by,
        isYours: adminId === viewer,
        decision,
        reason,
        at: iso(at),
      }));
      const documents = [...whole.documents];
      return { kind: whole.kind, record: { ...loanDetailsOf(whole.record), documents, votes }, ...about };
    }
  }
}

/** `GET /api/admin/record`: all that is known of one record. */
export function recordRoute({ store, admit, decimals }: RecordDesk): ApiRoute {
  return adminRoute(adminRecord, admit, async (admin, request, response) => {
    const { reference } = readQuery(adminRecord.query, request.query);
    const whole = await store.records.record(reference);
    if (!whole) throw new UnknownRecordError();
    response.json(answerOf(whole, admin.id, decimals()));
  });
}
