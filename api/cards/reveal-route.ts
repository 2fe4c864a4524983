import type { ResponseOf } from '../../data/contract/call.ts';
import { FRESH_PROOF_SECONDS, revealCard } from '../../data/contract/cards.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import type { ProvenWallet, ReadProvenWallet } from '../wallet/proven-wallet.ts';
import { askIssuer, ownCard } from './ask-issuer.ts';
import { type CardDesk, cardAudit } from './card-desk.ts';
import { FreshProofNeededError } from './card-errors.ts';
import { expiryText } from './card-summary.ts';
import { type OwnerLimits, ownerRoute } from './owner-route.ts';

function isFresh({ provedAt }: ProvenWallet, now: number): boolean {
  return now - provedAt <= FRESH_PROOF_SECONDS * 1_000;
}

async function revealed(
  desk: CardDesk,
  { walletAddress }: ProvenWallet,
  cardId: string,
): Promise<ResponseOf<typeof revealCard>> {
  const made = await ownCard(desk, walletAddress, cardId);
  const secret = await askIssuer(desk, made, () => desk.issuer.reveal(made.issuerCard));
  // Recorded before it is told: what cannot be recorded is not told.
  const by = { actor: 'wallet-owner', at: desk.now() } as const;
  await desk.store.recordAudit(cardAudit('card.revealed', made.card.id, by));
  return {
    cardNumber: secret.cardNumber,
    expiryDate: expiryText(secret),
    cvv: secret.cvv,
    holderName: made.card.holderName,
  };
}

/** `POST /api/virtual-card/reveal`: number and CVV again, to an owner who signed a moment ago. */
export function revealRoute(
  desk: CardDesk,
  options: { readonly limits: OwnerLimits; readonly readProvenWallet: ReadProvenWallet },
): ApiRoute {
  return ownerRoute(revealCard, options, async (owner, request, response) => {
    const { cardId } = readBody(revealCard.body, request.body);
    if (!isFresh(owner, desk.now())) throw new FreshProofNeededError();
    response.json(await revealed(desk, owner, cardId));
  });
}
