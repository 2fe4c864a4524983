import type { ResponseOf } from '../../data/contract/call.ts';
import { setSpendNotices } from '../../data/contract/cards.ts';
import type { ApiRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { readBody } from '../request-input.ts';
import { callIssuer, requireIssued, requireOwnCard } from './call-issuer.ts';
import { type CardCallContext, type CardContext, cardAuditRecord } from './card-context.ts';
import { summarizeCard } from './card-summary.ts';
import { ownerRoute } from './owner-route.ts';

export function spendNoticesRoute(context: CardCallContext): ApiRoute {
  const { store, issuer, now } = context;
  return ownerRoute(setSpendNotices, 'card-changes', context, async (owner, request, response) => {
    const { cardId, isOn } = readBody(setSpendNotices.body, request.body);
    const { card } = await requireOwnCard(context, owner.walletAddress, cardId);
    if (isOn && (await store.cards.provenApplication(owner.walletAddress)) === null)
      throw new ApiError('no-notice-address');
    const action = isOn ? 'card.spend-notices-on' : 'card.spend-notices-off';
    const audit = cardAuditRecord(action, cardId, { actor: 'wallet-owner', at: now() });
    const noticesFrom = isOn ? (card.spendNoticesFrom ?? now()) : null;
    const changedCard = await store.cards.setSpendNotices(cardId, noticesFrom, audit);
    if (!changedCard) throw new ApiError('card-closed');
    response.json({ card: summarizeCard(changedCard, issuer) } satisfies ResponseOf<typeof setSpendNotices>);
  });
}

/** Notifies holders of new payments, if the issuer does not report payments itself. */
export async function notifyNewSpends(context: CardContext): Promise<void> {
  const { store, issuer, log, now } = context;
  if (issuer.readMessage !== null) return;
  for (const card of await store.cards.usableCards(issuer.name)) {
    const noticesFrom = card.spendNoticesFrom;
    if (noticesFrom === null) continue;
    try {
      const readTransactions = () => issuer.transactions(card, noticesFrom);
      const { transactions } = await callIssuer(context, requireIssued(card, context), readTransactions);
      await store.cards.reportSpends(
        card.id,
        transactions.map(({ id, at, merchant, amount, state }) => {
          return { id, at, merchant, amount, isDeclined: state === 'declined' };
        }),
        now(),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.warn({ cardId: card.id, code: error.code }, 'the payments of a card could not be read');
    }
  }
}
