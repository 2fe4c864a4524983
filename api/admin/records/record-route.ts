import type { TeamCard } from '../../../data/contract/admin-cards.ts';
import { adminRecord } from '../../../data/contract/admin-record.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import { bounceReason } from '../../../data/model/bounces.ts';
import type { FullRecord } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../call-router.ts';
import { teamCardOf } from '../../cards/team-card-route.ts';
import { ApiError } from '../../errors.ts';
import type { PortalContext } from '../../portal-context.ts';
import { adminJsonRoute } from '../authorize-admin.ts';
import { type RecordWallet, readCurrentWallet } from './current-wallet.ts';
import { iso, isoOrNull, rowWriters, toDeliveryMethod, toWireNote } from './wire-rows.ts';

type Delivery = FullRecord['deliveries'][number];

const isBounced = ({ state, channel, audience }: Delivery): boolean =>
  state === 'dead' && channel === 'mail' && audience === 'applicant';

function bounceOf({ id, event, finishedAt, attempts }: Delivery) {
  const lastAttempt = attempts.at(-1);
  return {
    deliveryId: id,
    event,
    at: isoOrNull(finishedAt),
    reason: bounceReason(lastAttempt?.code ?? null, lastAttempt?.error ?? null),
    recipient: lastAttempt?.maskedRecipient ?? null,
    error: lastAttempt?.error ?? null,
  };
}

function historyOf(
  { record, timeline, decisions, notes, mergedInto, merged, earlierAddresses, deliveries }: FullRecord,
  currentAdminId: string,
) {
  return {
    referenceNumber: record.referenceNumber,
    timeline: timeline.map(({ at, status, note }) => ({ at: iso(at), status, note })),
    decisions: decisions.map(({ at, by, decision, reason }) => ({ at: iso(at), by, decision, reason })),
    notes: notes.map((note) => toWireNote(note, currentAdminId)),
    mergedInto,
    merged: merged.map((one) => ({ ...one, at: iso(one.at) })),
    earlierAddresses: earlierAddresses.map(({ email, at, by }) => ({ email, at: iso(at), by })),
    bounces: deliveries.filter(isBounced).map(bounceOf),
    deliveries: deliveries.map((delivery) => ({
      id: delivery.id,
      event: delivery.event,
      deliveryMethod: toDeliveryMethod(delivery.channel),
      audience: delivery.audience,
      state: delivery.state,
      createdAt: iso(delivery.createdAt),
      nextAttemptAt:
        delivery.state === 'waiting' || delivery.state === 'leased' ? iso(delivery.nextAttemptAt) : null,
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
  fullRecord: FullRecord,
  currentAdminId: string,
  decimals: number | null,
  card: TeamCard | null,
  wallet: RecordWallet | null,
): ResponseOf<typeof adminRecord> {
  const history = historyOf(fullRecord, currentAdminId);
  switch (fullRecord.kind) {
    case 'card-application':
      return {
        kind: fullRecord.kind,
        record: {
          ...rowWriters('applications').details(fullRecord.record, decimals),
          card,
          walletNow: wallet,
        },
        ...history,
      };
    case 'contact-message':
      return {
        kind: fullRecord.kind,
        record: rowWriters('contacts').details(fullRecord.record, decimals),
        ...history,
      };
    case 'verification-request': {
      const { kind, record, whitelisting } = fullRecord;
      const whitelistedTier = whitelisting?.tier ?? null;
      const whitelistedThrough = whitelisting?.referenceNumber ?? null;
      const details = rowWriters('verification-requests').details(record, decimals);
      const walletNow = wallet ?? { tier: null, staked: null };
      return {
        kind,
        record: { ...details, whitelistedTier, whitelistedThrough, card, walletNow },
        ...history,
      };
    }
    case 'loan-application': {
      const { kind, record } = fullRecord;
      const votes = fullRecord.votes.map(({ by, addedBy, adminId, decision, reason, at }) => ({
        by,
        addedBy,
        isYours: adminId === currentAdminId,
        decision,
        reason,
        at: iso(at),
      }));
      const details = rowWriters('loan-applications').details(record, decimals);
      return { kind, record: { ...details, documents: [...fullRecord.documents], votes }, ...history };
    }
  }
}

export function recordRoute(portal: PortalContext): ApiRoute {
  const { store, authorize, decimals } = portal;
  return adminJsonRoute(adminRecord, { authorize }, async (admin, { reference }) => {
    const fullRecord = await store.records.record(reference);
    if (!fullRecord) throw new ApiError('unknown-record');
    const mayHaveCard = fullRecord.kind === 'card-application' || fullRecord.kind === 'verification-request';
    const walletAddress = mayHaveCard ? fullRecord.record.walletAddress : null;
    const card = walletAddress === null ? null : await teamCardOf(portal, walletAddress, admin);
    const currentWallet = await readCurrentWallet(portal, fullRecord);
    return responseOf(fullRecord, admin.id, decimals(), card, currentWallet);
  });
}
