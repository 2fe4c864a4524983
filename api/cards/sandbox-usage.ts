import { createHash } from 'node:crypto';
import type { CardTransaction, CardTransactions } from './issuer.ts';

const DAY = 86_400_000;
/** Days of usage that are made up before the moment that is asked for. */
const DAYS_BEFORE = 30;
/** A purchase waits so long before it is settled. */
const SETTLES_AFTER = DAY;

/** Made-up shops. Each name says that it is a test. */
const SHOPS = [
  ['TEST: Duckpond Coffee', 'eating_places_restaurants', 350, 1_200],
  ['TEST: Reed & Rush Books', 'book_stores', 900, 4_500],
  ['TEST: Willow Groceries', 'grocery_stores_supermarkets', 1_500, 9_000],
  ['TEST: Waterway Trains', 'passenger_railways', 1_100, 7_500],
  ['TEST: Millrace Software', 'computer_software_stores', 500, 3_000],
] as const;

/** Four numbers from 0 up to 2³² that belong to a seed for ever. */
function numbersOf(seed: string): readonly [number, number, number, number] {
  const hash = createHash('sha256').update(seed).digest();
  return [hash.readUInt32BE(0), hash.readUInt32BE(4), hash.readUInt32BE(8), hash.readUInt32BE(12)];
}

/** The one purchase of a day, or none. */
function purchaseOf(seed: string, day: number, until: number): CardTransaction | null {
  const [whether, shopNumber, cents, moment] = numbersOf(`${seed} ${day}`);
  if (whether % 3 === 0) return null;
  const [merchant, category, least, most] = SHOPS[shopNumber % SHOPS.length] ?? SHOPS[0];
  const at = day * DAY + (moment % DAY);
  const isDeclined = whether % 10 === 1;
  return {
    id: `test_${seed}_${day}`,
    at,
    merchant,
    category,
    amount: BigInt(least + (cents % (most - least))),
    state: isDeclined ? 'declined' : at + SETTLES_AFTER > until ? 'pending' : 'settled',
  };
}

/**
 * What a test card would have paid for: made up, the same at every asking, never before the card was made. Moments are
 * Unix milliseconds.
 */
export function madeUpTransactions({
  seed,
  madeAt,
  since,
  until,
}: {
  readonly seed: string;
  readonly madeAt: number;
  readonly since: number;
  readonly until: number;
}): CardTransactions {
  const wanted = Math.min(since, until) - DAYS_BEFORE * DAY;
  const from = Math.max(madeAt, wanted);
  const transactions: CardTransaction[] = [];
  for (let day = Math.floor(until / DAY); day >= Math.floor(from / DAY); day -= 1) {
    const purchase = purchaseOf(seed, day, until);
    if (purchase && purchase.at >= from && purchase.at <= until) transactions.push(purchase);
  }
  return { transactions, isComplete: madeAt >= wanted };
}
