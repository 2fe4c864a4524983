import {
  adminTopUps,
  bookTopUp,
  MAX_TRANSFERS_SHOWN,
  settleTopUp,
} from '../../../data/contract/admin-top-ups.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import { cardTopUps, MAX_TOP_UPS_SHOWN } from '../../../data/contract/cards.ts';
import { SMALLEST_TOP_UP, toDecimalUsdt } from '../../../data/model/top-ups.ts';
import type { StoredTransfer } from '../../../data/store/top-up-port.ts';
import { adminAuditRecord } from '../../admin/admin-audit.ts';
import { adminJsonRoute } from '../../admin/authorize-admin.ts';
import { iso } from '../../admin/records/wire-rows.ts';
import type { ApiRoute } from '../../call-router.ts';
import { ApiError } from '../../errors.ts';
import type { PortalContext } from '../../portal-context.ts';
import { ownerRoute } from '../owner-route.ts';

type TopUp = ResponseOf<typeof cardTopUps>['topUps'][number];

const usdtOrNull = (units: bigint | null) => (units === null ? null : toDecimalUsdt(units));

/** Converts a transfer to a top-up, without the sender. Dust and outgoing transfers are not top-ups. */
function toTopUps({ id, at, state, amount, fee, credited }: StoredTransfer): readonly TopUp[] {
  if (state === 'dust' || state === 'outgoing') return [];
  const [, transaction = ''] = id.split('-');
  const amounts = { amount: toDecimalUsdt(amount), fee: usdtOrNull(fee), credited: usdtOrNull(credited) };
  return [{ id, at: iso(at), transaction, state, ...amounts }];
}

export function topUpRoutes(context: PortalContext): readonly ApiRoute[] {
  const { store, topUpFeed, authorize, now } = context;
  const { topUps } = store;
  const changeOptions = { authorize, limit: 'admin-decisions' } as const;
  return [
    ownerRoute(cardTopUps, 'card-reads', context, async ({ walletAddress }, _request, response) => {
      const card = await store.cards.cardOf(walletAddress);
      if (!card) throw new ApiError('no-such-card');
      const [tag, transfers] = await Promise.all([
        topUpFeed === null ? null : topUps.tagOf(card.id),
        topUps.ofCard(card.id, MAX_TOP_UPS_SHOWN),
      ]);
      response.json({
        cardId: card.id,
        decimals: tag === null ? null : String(tag),
        smallest: toDecimalUsdt(SMALLEST_TOP_UP),
        topUps: transfers.flatMap(toTopUps),
      } satisfies ResponseOf<typeof cardTopUps>);
    }),
    adminJsonRoute(adminTopUps, { authorize }, async () => {
      const [feed, waiting, unmatched, credited] = await Promise.all([
        topUpFeed === null ? null : topUps.feed(topUpFeed),
        topUps.unmatchedCount(),
        topUps.unmatchedTransfers(MAX_TRANSFERS_SHOWN),
        topUps.creditedTransfers(MAX_TRANSFERS_SHOWN),
      ]);
      return {
        readProgress: feed && {
          block: feed.block,
          readAt: iso(feed.readAt),
          comparedAt: iso(feed.comparedAt),
          difference: toDecimalUsdt(feed.difference),
        },
        waiting,
        unmatched: unmatched.map(({ id: transferId, at, counterparty: sender, amount, cardId }) => ({
          ...{ transferId, at: iso(at), sender },
          ...{ amount: toDecimalUsdt(amount), closedCard: cardId },
        })),
        credited: credited.map(
          ({ id: transferId, at, amount, credited: creditedAmount, closedAt, cardId }) => ({
            ...{ transferId, at: iso(at), creditedAt: iso(closedAt ?? at), cardId },
            ...{ amount: toDecimalUsdt(amount), credited: toDecimalUsdt(creditedAmount ?? 0n) },
          }),
        ),
      };
    }),
    adminJsonRoute(bookTopUp, changeOptions, async (admin, { transferId, walletAddress }) => {
      const card = await store.cards.cardOf(walletAddress);
      if (!card) throw new ApiError('unknown-card');
      const details = { transfer: transferId, cardId: card.id };
      const audit = adminAuditRecord(admin, { action: 'card.top-up-booked', at: now(), details });
      const bookedTransfer = await topUps.book(transferId, card.id, audit);
      if (bookedTransfer?.credited == null) throw new ApiError('top-up-closed');
      return { success: true, credited: toDecimalUsdt(bookedTransfer.credited) };
    }),
    adminJsonRoute(settleTopUp, changeOptions, async (admin, { transferId: transfer }) => {
      const audit = adminAuditRecord(admin, {
        action: 'card.top-up-settled',
        at: now(),
        details: { transfer },
      });
      if (!(await topUps.settle(transfer, audit))) throw new ApiError('top-up-closed');
      return { success: true };
    }),
  ];
}
