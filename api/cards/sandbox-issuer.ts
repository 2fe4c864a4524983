import { createHash } from 'node:crypto';
import { CARDHOLDER_FIELDS } from '../../data/model/cardholder.ts';
import type { StoredCard } from '../../data/store/card-port.ts';
import type { CardIssuer, CardTransaction, CardTransactions } from './issuer.ts';

const DAY_MS = 86_400_000;
/** The made-up transactions begin this many days before the requested period, unless the card is newer. */
const DAYS_BEFORE = 30;
const SETTLEMENT_MS = DAY_MS;

const SHOPS = [
  ['TEST: Duckpond Coffee', 'eating_places_restaurants', 350, 1_200],
  ['TEST: Reed & Rush Books', 'book_stores', 900, 4_500],
  ['TEST: Willow Groceries', 'grocery_stores_supermarkets', 1_500, 9_000],
  ['TEST: Waterway Trains', 'passenger_railways', 1_100, 7_500],
  ['TEST: Millrace Software', 'computer_software_stores', 500, 3_000],
] as const;

function numbersOf(seed: string): readonly [number, number, number, number] {
  const hash = createHash('sha256').update(seed).digest();
  return [hash.readUInt32BE(0), hash.readUInt32BE(4), hash.readUInt32BE(8), hash.readUInt32BE(12)];
}

/** A day's made-up purchase; null for a day without one. */
function purchaseOf(seed: string, day: number, until: number): CardTransaction | null {
  const [chance, shopNumber, cents, time] = numbersOf(`${seed} ${day}`);
  if (chance % 3 === 0) return null;
  const [merchant, category, min, max] = SHOPS[shopNumber % SHOPS.length] ?? SHOPS[0];
  const at = day * DAY_MS + (time % DAY_MS);
  const isDeclined = chance % 10 === 1;
  return {
    id: `test_${seed}_${day}`,
    at,
    merchant,
    category,
    amount: BigInt(min + (cents % (max - min))),
    state: isDeclined ? 'declined' : at + SETTLEMENT_MS > until ? 'pending' : 'settled',
  };
}

/** A given day has the same transactions in every call. No transaction is older than the card. Times are in Unix ms. */
export function makeUpTransactions(
  { id, createdAt }: Pick<StoredCard, 'id' | 'createdAt'>,
  since: number,
  until: number,
): CardTransactions {
  const earliest = Math.min(since, until) - DAYS_BEFORE * DAY_MS;
  const periodStart = Math.max(createdAt, earliest);
  const transactions: CardTransaction[] = [];
  for (let day = Math.floor(until / DAY_MS); day >= Math.floor(periodStart / DAY_MS); day -= 1) {
    const purchase = purchaseOf(id, day, until);
    if (purchase && purchase.at >= periodStart && purchase.at <= until) transactions.push(purchase);
  }
  return { transactions, isComplete: createdAt >= earliest };
}

/** The number of every sandbox card. Stripe publishes it for tests (https://docs.stripe.com/testing). */
const SANDBOX_CARD_NUMBER = '4242424242424242';

const YEARS_VALID = 3;

function cvvOf(issuerCardId: string): string {
  const hash = createHash('sha256').update(`cvv of ${issuerCardId}`).digest();
  return String(hash.readUInt32BE(0) % 1_000).padStart(3, '0');
}

function expiryOf(issuerCardId: string): { readonly expiryMonth: number; readonly expiryYear: number } {
  const createdAt = new Date(Number(/^test_(\d{1,15})_/.exec(issuerCardId)?.[1] ?? Number.NaN));
  if (Number.isNaN(createdAt.getTime())) throw new RangeError('Not a sandbox card.');
  return { expiryMonth: createdAt.getUTCMonth() + 1, expiryYear: createdAt.getUTCFullYear() + YEARS_VALID };
}

/**
 * An issuer of test cards, which all have the same published test number. It has no state: everything about a card is
 * derived from the card's id, so a restart loses nothing. Only the store knows whether a card is frozen.
 */
export function createSandboxIssuer({
  now,
  requiresStripeFields = false,
}: {
  readonly now: () => number;
  readonly requiresStripeFields?: boolean;
}): CardIssuer {
  return {
    name: 'sandbox',
    isTest: true,
    cardholderFields: requiresStripeFields ? CARDHOLDER_FIELDS : [],
    create: async (card) => {
      // The creation time determines the expiry.
      const issuerCardId = `test_${card.createdAt}_${card.id}`;
      const lastFour = SANDBOX_CARD_NUMBER.slice(-4);
      return { issuerCardId, issuerCardholderId: null, lastFour, ...expiryOf(issuerCardId) };
    },
    hasCreated: async () => false,
    get: async () => ({ state: null, isPortalFreeze: false }),
    reveal: async (issuerCardId) => ({
      cardNumber: SANDBOX_CARD_NUMBER,
      cvv: cvvOf(issuerCardId),
      ...expiryOf(issuerCardId),
    }),
    freeze: async () => {},
    unfreeze: async () => {},
    removeFreezeMark: async () => {},
    close: async () => {},
    setLimits: async () => {},
    transactions: async (card, since) => {
      // A frozen card has no new transactions.
      const until = card.state === 'frozen' ? card.changedAt : now();
      return makeUpTransactions(card, since, until);
    },
    readMessage: null,
  };
}
