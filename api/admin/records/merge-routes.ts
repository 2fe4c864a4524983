import { mergeRecords, splitRecord } from '../../../data/contract/admin-merges.ts';
import type { MergeOutcome } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../call-router.ts';
import { ApiError } from '../../errors.ts';
import type { PortalContext } from '../../portal-context.ts';
import { adminJsonRoute, type SignedInAdmin } from '../authorize-admin.ts';
import { iso, toSeenRecord, toWireDecision } from './wire-rows.ts';

function mergeError({ kind, referenceNumber }: Exclude<MergeOutcome, { kind: 'merged' }>): Error {
  const NOTHING_MERGED = 'Nothing was merged.';
  switch (kind) {
    case 'unknown':
      return new ApiError('unknown-record', {
        text: `Record ${referenceNumber} doesn’t exist or is of a different kind. ${NOTHING_MERGED}`,
      });
    case 'changed':
      return new ApiError('record-changed', {
        text: `${referenceNumber} changed in the meantime. ${NOTHING_MERGED} Reload the record.`,
      });
    case 'closed':
      return new ApiError('record-closed', {
        text: `${referenceNumber} has been decided. ${NOTHING_MERGED} Reopen it first.`,
      });
    case 'merged-before':
      return new ApiError('record-merged', { reference: referenceNumber });
    case 'has-merged':
      return new ApiError('record-has-merged', { reference: referenceNumber });
    case 'other-person':
    case 'other-wallet':
      return new ApiError(kind, { reference: referenceNumber });
  }
}

export function mergeRoutes({ store, authorize, now }: PortalContext): readonly ApiRoute[] {
  const options = { authorize, limit: 'admin-decisions' } as const;
  const actorOf = ({ id, address }: SignedInAdmin) => ({ adminId: id, address, at: now() });
  return [
    adminJsonRoute(mergeRecords, options, async (admin, { kept, merged }) => {
      const mergeRequest = { kept: toSeenRecord(kept), merged: merged.map(toSeenRecord) };
      const outcome = await store.records.merge(mergeRequest, actorOf(admin));
      if (outcome.kind !== 'merged') throw mergeError(outcome);
      return {
        success: true,
        referenceNumber: kept.referenceNumber,
        changedAt: iso(outcome.changedAt),
        merged: outcome.merged.map(({ referenceNumber, changedAt }) => ({
          referenceNumber,
          changedAt: iso(changedAt),
        })),
      };
    }),
    adminJsonRoute(splitRecord, options, async (admin, { reason, ...wireRecord }) => {
      const outcome = await store.records.split({ ...toSeenRecord(wireRecord), reason }, actorOf(admin));
      switch (outcome.kind) {
        case 'split':
          return toWireDecision(wireRecord.referenceNumber, outcome);
        case 'unknown':
          throw new ApiError('unknown-record');
        case 'changed':
          throw new ApiError('record-changed');
        case 'not-merged':
          throw new ApiError('not-merged');
      }
    }),
  ];
}
