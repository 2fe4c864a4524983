import type { ResponseOf } from '../../data/contract/call.ts';
import { cardFunding, cardUsage, myCard } from '../../data/contract/cards.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { cardLimits } from '../../data/model/tiers.ts';
import type { StoredCard } from '../../data/store/card-port.ts';
import { isClosedByIssuer } from '../../data/store/rules/card-changes.ts';
import { iso } from '../admin/records/wire-rows.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { type CardAtIssuer, callIssuer, requireIssued } from './call-issuer.ts';
import type { CardCallContext, CardContext } from './card-context.ts';
import { freezeOrCloseReason, summarizeCard } from './card-summary.ts';
import type { CardTransaction } from './issuer.ts';
import { ownerRoute } from './owner-route.ts';

/** A response contains only the newest transactions, at most this many. */
const MAX_TRANSACTIONS = 50;
const CENT_DECIMALS = 2;

const centsToDollars = (cents: bigint) => toDecimalText(cents, CENT_DECIMALS);

/** The amount spent from `since` (Unix ms) onward, in US cents. Pending transactions count, declined ones do not. */
function spentSince(transactions: readonly CardTransaction[], since: number): bigint {
  return transactions
    .filter(({ at, state }) => at >= since && state !== 'declined')
    .reduce((sum, { amount }) => sum + amount, 0n);
}

async function readUsage(context: CardContext, issued: CardAtIssuer): Promise<ResponseOf<typeof cardUsage>> {
  const now = context.now();
  const date = new Date(now);
  // Issuers apply limits per UTC day and month.
  const monthStart = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  const dayStart = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  const { card } = issued;
  const usage = await callIssuer(context, issued, () => context.issuer.transactions(card, monthStart));
  const { dailyLimitUsd, monthlyLimitUsd } = cardLimits(card);
  return {
    cardId: card.id,
    asOf: iso(now),
    spentToday: centsToDollars(spentSince(usage.transactions, dayStart)),
    spentThisMonth: centsToDollars(spentSince(usage.transactions, monthStart)),
    dailyLimit: String(dailyLimitUsd),
    monthlyLimit: String(monthlyLimitUsd),
    transactions: usage.transactions.slice(0, MAX_TRANSACTIONS).map(({ at, amount, ...transaction }) => ({
      ...transaction,
      at: iso(at),
      amount: centsToDollars(amount),
    })),
    isComplete: usage.isComplete && usage.transactions.length <= MAX_TRANSACTIONS,
  };
}

type LastClosed = ResponseOf<typeof myCard>['lastClosed'];

/** Why a card was closed; null for a test card that was closed after the switch to real cards. */
function closeReason(card: StoredCard): NonNullable<LastClosed>['closedFor'] | null {
  const portalReason = freezeOrCloseReason(card);
  if (portalReason === 'team') return 'team';
  if (card.closedByHolderAt !== null) return 'holder';
  return isClosedByIssuer(card, card.changedAt) ? 'issuer' : portalReason;
}

function toLastClosed(card: StoredCard | null): LastClosed {
  const closedFor = card && closeReason(card);
  return closedFor && { closedAt: iso(card.changedAt), closedFor, lastFour: card.issued?.lastFour ?? null };
}

export function readRoutes(context: CardCallContext): ApiRoute[] {
  const { store, issuer, fundingAddress: address, topUpFeed } = context;
  return [
    ownerRoute(myCard, 'card-reads', context, async ({ walletAddress }, _request, response) => {
      const card = await store.cards.cardOf(walletAddress);
      const application = await store.cards.provenApplication(walletAddress);
      response.json({
        card: card && summarizeCard(card, issuer),
        lastClosed: card ? null : toLastClosed(await store.cards.lastClosed(walletAddress)),
        noticesTo: application && (application.hasChat ? 'email-and-telegram' : 'email'),
        applied: application?.referenceNumber ?? null,
        cardholderFields: [...issuer.cardholderFields],
        cardsLeft: await store.cards.cardsLeft(issuer.name),
      } satisfies ResponseOf<typeof myCard>);
    }),
    ownerRoute(cardUsage, 'card-reads', context, async ({ walletAddress }, _request, response) => {
      const card = await store.cards.cardOf(walletAddress);
      if (!card) throw new ApiError('no-such-card');
      response.json(await readUsage(context, requireIssued(card, context)));
    }),
    callRoute(cardFunding, { limit: 'card-reads' }, async (_request, response) => {
      response.json({
        isOpen: address !== null,
        address,
        token: 'USDT',
        network: 'ERC-20',
        isTestCard: issuer.isTest,
        isCreditedAutomatically: topUpFeed !== null,
      } satisfies ResponseOf<typeof cardFunding>);
    }),
  ];
}
