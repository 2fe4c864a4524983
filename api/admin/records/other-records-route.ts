import { MAX_OTHER_RECORDS, otherRecords, SEARCHED_LISTS } from '../../../data/contract/admin-search.ts';
import { listDefinition } from '../../../data/model/admin-lists.ts';
import { mailboxOf } from '../../../data/model/mail-address.ts';
import type { ApiRoute } from '../../call-router.ts';
import { ApiError } from '../../errors.ts';
import type { PortalContext } from '../../portal-context.ts';
import { adminJsonRoute } from '../authorize-admin.ts';
import { summaryOf } from './search-route.ts';
import { iso } from './wire-rows.ts';

/** `GET /api/admin/record/others`: a person's other records, found by the same rules as for an erasure. */
export function otherRecordsRoute({
  store,
  authorize,
}: Pick<PortalContext, 'store' | 'authorize'>): ApiRoute {
  return adminJsonRoute(otherRecords, { authorize }, async (_admin, { reference }) => {
    const fullRecord = await store.records.record(reference);
    if (!fullRecord) throw new ApiError('unknown-record');
    const { email } = fullRecord.record;
    const walletAddress = 'walletAddress' in fullRecord.record ? fullRecord.record.walletAddress : null;
    const matches = await store.erasures.find({ email, walletAddress });
    const others = matches.records
      .filter(({ referenceNumber }) => referenceNumber !== reference)
      .toReversed();
    const records = others.slice(0, MAX_OTHER_RECORDS).map(async ({ referenceNumber }) => {
      const other = await store.records.record(referenceNumber);
      const list = other && SEARCHED_LISTS.find((id) => listDefinition(id).kind === other.kind);
      if (!other || !list) return [];
      const isSameMailbox = mailboxOf(other.record.email) === mailboxOf(email);
      const changedAt = iso(other.record.changedAt);
      return [{ ...summaryOf(list, other.record), isSameMailbox, changedAt }];
    });
    return { total: others.length, records: (await Promise.all(records)).flat() };
  });
}
