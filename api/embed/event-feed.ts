import type { TransactionRow } from '../../data/contract/metrics.ts';
import * as PATHS from '../../data/contract/paths.ts';
import type { ChainName } from '../../data/contract/provenance.ts';
import { RECENT_EVENT_COUNT } from '../metrics/index-follower.ts';
import { isDemo } from './embedded-figures.ts';

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const movementText = ({ type, account, amount }: TransactionRow) =>
  `${capitalize(type)}: ${amount} BD (${account.replace('-', ' ')})`;

function feedItem(signature: string, movements: readonly TransactionRow[], isMadeUp: boolean) {
  const [first] = movements;
  const text = movements.map(movementText).join('\n');
  return {
    id: signature,
    title: text.replaceAll('\n', ', '),
    content_text: text,
    ...(first && first.blockTime !== null
      ? { date_published: new Date(first.blockTime * 1_000).toISOString() }
      : {}),
    tags: [...new Set(movements.map(({ type }) => type)), ...(isMadeUp ? ['demo'] : [])],
    // The movements as `/api/transactions` returns them. JSON Feed allows extra fields that begin with an underscore.
    _movements: movements,
  };
}

/**
 * The JSON Feed (https://jsonfeed.org/version/1.1) of the newest transactions of the vault and the stake pool. It contains
 * only final transactions, because feed readers keep items permanently.
 * @param rows newest first
 * @param options `source` is the chain, `site` and `api` are origins
 */
export function eventFeed(
  rows: readonly TransactionRow[],
  { source, site, api }: { readonly source: ChainName; readonly site: string; readonly api: string },
) {
  // A full list may end in the middle of a transaction in its oldest slot. Movements of different transactions in one slot
  // may alternate, so the whole slot is left out.
  const cutSlot = rows.length < RECENT_EVENT_COUNT ? null : rows.at(-1)?.slot;
  const completeRows = rows.filter(({ slot }) => slot !== cutSlot);
  const transactions = [...Map.groupBy(completeRows, ({ signature }) => signature)];
  const finalTransactions = transactions.filter(([, movements]) =>
    movements.every(({ status }) => status === 'finalized'),
  );
  const isMadeUp = isDemo(source);
  return {
    version: 'https://jsonfeed.org/version/1.1',
    title: `BlackDuck: chain events${isMadeUp ? ' (demo)' : ''}`,
    home_page_url: `${site}/`,
    feed_url: `${api}${PATHS.eventFeed}`,
    language: 'en',
    items: finalTransactions.map(([signature, movements]) => feedItem(signature, movements, isMadeUp)),
  };
}
