import type { ResponseOf } from '../../data/contract/call.ts';
import { createCard } from '../../data/contract/cards.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import type { ReadProvenWallet } from '../wallet/proven-wallet.ts';
import { askIssuer, madeCard } from './ask-issuer.ts';
import type { CardDesk } from './card-desk.ts';
import {
  CardNotToldError,
  IssuerSaysNoError,
  IssuerSilentError,
  WalletNotProvedError,
} from './card-errors.ts';
import { cardSummaryOf, expiryText } from './card-summary.ts';
import { type EligibilityChecks, eligibleTier } from './eligible-tier.ts';
import { makeCard } from './make-card.ts';
import { type OwnerLimits, ownerRoute } from './owner-route.ts';

async function created(
  desk: CardDesk,
  wish: Parameters<typeof makeCard>[1],
): Promise<ResponseOf<typeof createCard>> {
  const made = madeCard(await makeCard(desk, wish), desk);
  const { card, issuerCard } = made;
  try {
    const secret = await askIssuer(desk, made, () => desk.issuer.reveal(issuerCard));
    return {
      cardNumber: secret.cardNumber,
      expiryDate: expiryText(secret),
      cvv: secret.cvv,
      holderName: card.holderName,
      card: cardSummaryOf(card, desk.issuer),
    };
  } catch (error) {
    if (error instanceof IssuerSaysNoError || error instanceof IssuerSilentError) {
      throw new CardNotToldError({ cause: error });
    }
    throw error;
  }
}

/** `POST /api/virtual-card/create`: to the owner of a wallet whose stake qualifies at this very moment. */
export function createRoute(
  desk: CardDesk,
  options: EligibilityChecks & { readonly limits: OwnerLimits; readonly readProvenWallet: ReadProvenWallet },
): ApiRoute {
  return ownerRoute(createCard, options, async (owner, request, response) => {
    const { walletAddress, holderName } = readBody(createCard.body, request.body);
    if (walletAddress !== owner.walletAddress) throw new WalletNotProvedError();
    const tier = await eligibleTier(walletAddress, options);
    response.json(
      await desk.underWay.alone(walletAddress, () => created(desk, { walletAddress, tier, holderName })),
    );
  });
}
