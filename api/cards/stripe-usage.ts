import type { Stripe } from 'stripe';
import type { CardTransaction, CardTransactions } from './issuer.ts';
import { UNNAMED_MERCHANT, unexpectedResponseError } from './stripe-client.ts';

const ITEMS_PER_PAGE = 100;
/** More pages than any card needs. A longer list is an error, because a partial sum would be wrong. */
const MAX_PAGES = 20;

/** Reads a list, newest rows first, back to `since` (Unix ms). `isComplete` means that the whole list was read. */
async function readBack<Row extends { readonly id: string; readonly created: number }>(
  readPage: (after: { readonly starting_after?: string }) => Promise<Stripe.ApiList<Row>>,
  since: number,
): Promise<{ readonly rows: readonly Row[]; readonly isComplete: boolean }> {
  const rows: Row[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const last = rows.at(-1);
    const { data, has_more } = await readPage(last ? { starting_after: last.id } : {});
    rows.push(...data);
    const oldest = data.at(-1);
    if (!has_more || !oldest) return { rows, isComplete: true };
    if (oldest.created * 1_000 < since) return { rows, isComplete: false };
  }
  throw unexpectedResponseError();
}

type Merchant = Pick<Stripe.Issuing.Transaction.MerchantData, 'name' | 'category'>;

const merchantOf = ({ name, category }: Merchant) => ({
  merchant: name ?? UNNAMED_MERCHANT,
  category: category || null,
});

/** The amount of a payment is negative in a Stripe transaction, but positive in an authorization. */
function toSettledTransaction({
  id,
  created,
  amount,
  merchant_data,
}: Stripe.Issuing.Transaction): CardTransaction {
  return { id, at: created * 1_000, ...merchantOf(merchant_data), amount: -BigInt(amount), state: 'settled' };
}

/**
 * Converts a declined authorization, or the part of a pending authorization that has not been captured yet. Returns null
 * for other authorizations.
 */
function toUnsettledTransaction(authorization: Stripe.Issuing.Authorization): CardTransaction | null {
  const { id, created, approved, status, merchant_data, transactions } = authorization;
  const shared = { id, at: created * 1_000, ...merchantOf(merchant_data) };
  const amount = BigInt(authorization.amount);
  if (!approved) return { ...shared, amount, state: 'declined' };
  if (status !== 'pending') return null;
  const capturedAmount = transactions.reduce((sum, transaction) => sum - BigInt(transaction.amount), 0n);
  return amount > capturedAmount ? { ...shared, amount: amount - capturedAmount, state: 'pending' } : null;
}

/** Reads a card's transactions from `since` (Unix ms) onward. The last page may contain older ones too. */
export async function readStripeUsage(
  stripe: Stripe,
  card: string,
  since: number,
): Promise<CardTransactions> {
  const { transactions, authorizations } = stripe.issuing;
  const query = { card, limit: ITEMS_PER_PAGE };
  const transactionList = await readBack((cursor) => transactions.list({ ...query, ...cursor }), since);
  const authorizationList = await readBack((cursor) => authorizations.list({ ...query, ...cursor }), since);
  const unsettledTransactions = authorizationList.rows
    .map(toUnsettledTransaction)
    .filter((row) => row !== null);
  return {
    transactions: [...transactionList.rows.map(toSettledTransaction), ...unsettledTransactions].toSorted(
      (a, b) => b.at - a.at,
    ),
    isComplete: transactionList.isComplete && authorizationList.isComplete,
  };
}
