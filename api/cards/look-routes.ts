import type { PortalConfig } from '../../data/config/environment.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import { cardFunding, cardUsage, myCard } from '../../data/contract/cards.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { newCardLimits } from '../../data/model/tiers.ts';
import type { ApiRoute } from '../known-calls.ts';
import { limited } from '../security/rate-limit.ts';
import type { ReadProvenWallet } from '../wallet/proven-wallet.ts';
import { askIssuer, type MadeCard, madeCard } from './ask-issuer.ts';
import type { CardDesk } from './card-desk.ts';
import { NoSuchCardError } from './card-errors.ts';
import { cardSummaryOf } from './card-summary.ts';
import type { CardTransaction } from './issuer.ts';
import { type OwnerLimits, ownerRoute } from './owner-route.ts';

/** Transactions that are told: the newest. */
const TRANSACTIONS_TOLD = 50;
const CENT_DECIMALS = 2;

const iso = (at: number) => new Date(at).toISOString();
const dollars = (cents: bigint) => toDecimalText(cents, CENT_DECIMALS);

/** What was spent since a moment, in US cents: what is open counts, what was declined does not. */
function spentSince(transactions: readonly CardTransaction[], since: number): bigint {
  return transactions
    .filter(({ at, state }) => at >= since && state !== 'declined')
    .reduce((sum, { amount }) => sum + amount, 0n);
}

async function usageOf(desk: CardDesk, made: MadeCard): Promise<ResponseOf<typeof cardUsage>> {
  const now = desk.now();
  const date = new Date(now);
  // Issuers count limits by the days and months of UTC.
  const month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  const { card } = made;
  const found = await askIssuer(desk, made, () => desk.issuer.transactions(card, month));
  const { dailyLimitUsd, monthlyLimitUsd } = newCardLimits(card.tier);
  return {
    cardId: card.id,
    asOf: iso(now),
    spentToday: dollars(spentSince(found.transactions, day)),
    spentThisMonth: dollars(spentSince(found.transactions, month)),
    dailyLimit: String(dailyLimitUsd),
    monthlyLimit: String(monthlyLimitUsd),
    transactions: found.transactions
      .slice(0, TRANSACTIONS_TOLD)
      .map(({ id, at, merchant, category, amount, state }) => ({
        id,
        at: iso(at),
        merchant,
        category,
        amount: dollars(amount),
        state,
      })),
    isComplete: found.isComplete && found.transactions.length <= TRANSACTIONS_TOLD,
  };
}

/** The calls that change nothing: `/mine`, `/usage` and `/funding` of `/api/virtual-card`. */
export function lookRoutes(
  desk: CardDesk,
  options: {
    readonly limits: OwnerLimits;
    readonly readProvenWallet: ReadProvenWallet;
    readonly fundingAddress: PortalConfig['cards']['fundingAddress'];
  },
): ApiRoute[] {
  const { store, issuer } = desk;
  return [
    ownerRoute(myCard, options, async ({ walletAddress }, _request, response) => {
      const card = await store.cards.cardOf(walletAddress);
      response.json({
        card: card && cardSummaryOf(card, issuer),
        cardsLeft: await store.cards.cardsLeft(issuer.name),
      } satisfies ResponseOf<typeof myCard>);
    }),
    ownerRoute(cardUsage, options, async ({ walletAddress }, _request, response) => {
      const card = await store.cards.cardOf(walletAddress);
      if (!card) throw new NoSuchCardError();
      response.json(await usageOf(desk, madeCard(card, desk)));
    }),
    {
      method: cardFunding.method,
      path: cardFunding.path,
      handle: limited(options.limits.byAddress, async (_request, response) => {
        const address = options.fundingAddress;
        response.json({
          isOpen: address !== null,
          address,
          token: 'USDT',
          network: 'ERC-20',
          isTestCard: issuer.isTest,
        } satisfies ResponseOf<typeof cardFunding>);
      }),
    },
  ];
}
