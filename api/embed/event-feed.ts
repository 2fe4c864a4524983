import type { TransactionRow } from '../../data/contract/metrics.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { RECENT_EVENTS } from '../metrics/index-follower.ts';

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const movementText = ({ type, account, amount }: TransactionRow) =>
  `${capitalized(type)}: ${amount} BD (${account.replace('-', ' ')})`;

function item(signature: string, movements: readonly TransactionRow[]) {
  const [first] = movements;
  const text = movements.map(movementText).join('\n');
  return {
    id: signature,
    title: text.replaceAll('\n', ', '),
    content_text: text,
    ...(first && first.blockTime !== null
      ? { date_published: new Date(first.blockTime * 1_000).toISOString() }
      : {}),
    tags: [...new Set(movements.map(({ type }) => type))],
    // The movements as `/api/transactions` returns them. JSON Feed allows fields whose names begin with an underscore.
    _movements: movements,
  };
}

/**
 * The JSON Feed (https://jsonfeed.org/version/1.1) of the newest transactions of the vault and the stake pool. Only those that
 * are final, because readers keep an item for good.
 * @param rows newest first
 */
export function eventFeed(
  rows: readonly TransactionRow[],
  origins: { readonly site: string; readonly api: string },
) {
  const bySignature = [...Map.groupBy(rows, ({ signature }) => signature)];
  // A full list may end within a transaction.
  const whole = rows.length < RECENT_EVENTS ? bySignature : bySignature.slice(0, -1);
  const final = whole.filter(([, movements]) => movements.every(({ status }) => status === 'finalized'));
  return {
    version: 'https://jsonfeed.org/version/1.1',
    title: 'BlackDuck: chain events',
    home_page_url: `${origins.site}/`,
    feed_url: `${origins.api}${PATHS.eventFeed}`,
    language: 'en',
    items: final.map(([signature, movements]) => item(signature, movements)),
  };
}
