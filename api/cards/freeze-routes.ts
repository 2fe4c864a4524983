import type { ResponseOf } from '../../data/contract/call.ts';
import { freezeCard, unfreezeCard } from '../../data/contract/cards.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import type { ReadProvenWallet } from '../wallet/proven-wallet.ts';
import { askIssuer, ownCard } from './ask-issuer.ts';
import { type CardDesk, cardAudit } from './card-desk.ts';
import { CardClosedError, FrozenByIssuerError } from './card-errors.ts';
import { cardSummaryOf } from './card-summary.ts';
import { type OwnerLimits, ownerRoute } from './owner-route.ts';

const CHANGES = {
  frozen: { call: freezeCard, ask: 'freeze', action: 'card.frozen' },
  active: { call: unfreezeCard, ask: 'unfreeze', action: 'card.unfrozen' },
} as const;

/**
 * The issuer first: what the portal says of a card is never ahead of what the card does. A card that was frozen at the
 * issuer is neither marked as the holder's nor unfrozen for the holder.
 */
async function changed(
  desk: CardDesk,
  wallet: string,
  cardId: string,
  to: keyof typeof CHANGES,
): Promise<ResponseOf<typeof freezeCard>> {
  const { ask, action } = CHANGES[to];
  const made = await ownCard(desk, wallet, cardId);
  const found = await askIssuer(desk, made, () => desk.issuer.get(made.issuerCard));
  const isFrozenByOthers = found.state === 'frozen' && !found.isHoldersFreeze;
  if (isFrozenByOthers && to === 'active') throw new FrozenByIssuerError();
  if (!isFrozenByOthers) await askIssuer(desk, made, () => desk.issuer[ask](made.issuerCard));
  const actor = isFrozenByOthers ? 'issuer' : 'wallet-owner';
  const audit = cardAudit(action, cardId, { actor, at: desk.now() });
  const card = await desk.store.cards.change(cardId, to, audit);
  if (!card) throw new CardClosedError();
  return { card: cardSummaryOf(card, desk.issuer) };
}

/** `POST /api/virtual-card/freeze` and `/unfreeze`. */
export function freezeRoutes(
  desk: CardDesk,
  options: { readonly limits: OwnerLimits; readonly readProvenWallet: ReadProvenWallet },
): ApiRoute[] {
  return (['frozen', 'active'] as const).map((to) =>
    ownerRoute(CHANGES[to].call, options, async ({ walletAddress }, request, response) => {
      const { cardId } = readBody(CHANGES[to].call.body, request.body);
      response.json(await desk.underWay.alone(walletAddress, () => changed(desk, walletAddress, cardId, to)));
    }),
  );
}
