import type { Stripe } from 'stripe';
import type { CardTransaction, CardTransactions } from './issuer.ts';
import { unexpectedResponse } from './stripe-client.ts';

const PAGE = 100;
/** No card has this many pages. A longer list is an error, because a partial sum would be wrong. */
const MAX_PAGES = 20;

interface StripeRow {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
}

interface Page<Row> {
  readonly data: readonly Row[];
  readonly has_more: boolean;
}

/** Reads pages, newest first, back to a time (Unix ms). `isComplete` means that the whole list was read. */
async function readBack<Row extends StripeRow>(
  readPage: (after: { readonly starting_after?: string }) => Promise<Page<Row>>,
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
  throw unexpectedResponse();
}

type Merchant = Pick<Stripe.Issuing.Transaction.MerchantData, 'name' | 'category'>;

const merchantOf = ({ name, category }: Merchant) => ({
  merchant: name ?? 'Merchant not named',
  category: category || null,
});

/** A payment or a refund. Stripe's amounts are negative for payments. */
function settled({ id, created, amount, merchant_data }: Stripe.Issuing.Transaction): CardTransaction {
  return { id, at: created * 1_000, ...merchantOf(merchant_data), amount: -BigInt(amount), state: 'settled' };
}

/** The pending amount of an authorization: its total minus the captured amount. */
function unsettled(authorization: Stripe.Issuing.Authorization): CardTransaction | null {
  const { id, created, approved, status, merchant_data, transactions } = authorization;
  const shared = { id, at: created * 1_000, ...merchantOf(merchant_data) };
  const amount = BigInt(authorization.amount);
  if (!approved) return { ...shared, amount, state: 'declined' };
  if (status !== 'pending') return null;
  const captured = transactions.reduce((sum, transaction) => sum - BigInt(transaction.amount), 0n);
  return amount > captured ? { ...shared, amount: amount - captured, state: 'pending' } : null;
}

/** Card transactions since a time (Unix ms), and older ones on the last page. */
export async function readStripeUsage(
  stripe: Stripe,
  card: string,
  since: number,
): Promise<CardTransactions> {
  const { issuing } = stripe;
  const paid = await readBack((after) => issuing.transactions.list({ card, limit: PAGE, ...after }), since);
  const authorizations = await readBack(
    (after) => issuing.authorizations.list({ card, limit: PAGE, ...after }),
    since,
  );
  const open = authorizations.rows.map(unsettled).filter((row) => row !== null);
  return {
    transactions: [...paid.rows.map(settled), ...open].toSorted((a, b) => b.at - a.at),
    isComplete: paid.isComplete && authorizations.isComplete,
  };
}
