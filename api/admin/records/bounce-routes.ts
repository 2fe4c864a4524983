import { correctAddress, retryFailedDeliveries, settleBounce } from '../../../data/contract/admin-bounces.ts';
import { MAX_BULK } from '../../../data/model/bulk.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import type { AddressCorrection } from '../../../data/store/bounce-port.ts';
import type { ApiRoute } from '../../call-router.ts';
import { ApiError } from '../../errors.ts';
import {
  confirmationDigest,
  confirmationTokens,
  correctedAddressToken,
} from '../../loan/mailbox-confirmation.ts';
import type { PortalContext } from '../../portal-context.ts';
import { adminJsonRoute, type SignedInAdmin } from '../authorize-admin.ts';
import { isoOrNull } from './wire-rows.ts';

const HOUR_MS = 3_600_000;

export function bounceRoutes(portal: PortalContext): readonly ApiRoute[] {
  const { store, authorize, now, masterKey } = portal;
  const tokenOf = confirmationTokens(masterKey);
  const options = { authorize, limit: 'admin-decisions' } as const;
  const actorOf = ({ id, address }: SignedInAdmin) => ({ adminId: id, address, at: now() });

  /** The token digest and the deadline for confirming a loan application's corrected mailbox. Null for other records. */
  async function confirmationOf(
    referenceNumber: string,
    email: string,
  ): Promise<AddressCorrection['confirmation']> {
    const loan = await store.submissions.find('loan-application', referenceNumber);
    if (loan === null) return null;
    const digest = confirmationDigest(correctedAddressToken(tokenOf, loan.id, email));
    return { digest, confirmBy: now() + PORTAL_LIMITS.mailboxConfirmationHours * HOUR_MS };
  }

  return [
    adminJsonRoute(correctAddress, options, async (admin, { referenceNumber, email }) => {
      const confirmation = await confirmationOf(referenceNumber, email);
      const outcome = await store.bounces.correctAddress(
        { referenceNumber, email, confirmation },
        actorOf(admin),
      );
      switch (outcome.kind) {
        case 'unknown':
          throw new ApiError('unknown-record');
        case 'not-bounced':
          throw new ApiError('mail-not-bounced');
        case 'unchanged':
          throw new ApiError('address-unchanged');
        case 'corrected': {
          const { deliveries, confirmBy } = outcome;
          return { success: true, referenceNumber, deliveries, confirmBy: isoOrNull(confirmBy) };
        }
      }
    }),
    adminJsonRoute(settleBounce, options, async (admin, body) => {
      const outcome = await store.bounces.settle(body, actorOf(admin));
      if (outcome === 'unknown') throw new ApiError('unknown-record');
      if (outcome === 'not-bounced') throw new ApiError('mail-not-bounced');
      return { success: true, referenceNumber: body.referenceNumber };
    }),
    adminJsonRoute(retryFailedDeliveries, options, async (admin, { referenceNumber, preview = false }) => {
      const records = preview
        ? await store.bounces.findFailed(referenceNumber)
        : await store.bounces.retryFailed(referenceNumber, actorOf(admin));
      return {
        success: true,
        deliveries: records.reduce((sum, { deliveries }) => sum + deliveries, 0),
        recordCount: records.length,
        records: records.slice(0, MAX_BULK),
      };
    }),
  ];
}
