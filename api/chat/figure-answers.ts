import { toDecimalText } from '../../data/model/amounts.ts';
import { formatAge, formatFull, formatPrice, formatUsd } from '../../data/model/format.ts';
import { lockState } from '../../data/model/staking-terms.ts';
import { cardTier } from '../../data/model/tiers.ts';
import type { Facts } from '../metrics/facts.ts';
import { liveBalanceBody, stakingTotalBody, tradingMarketBody } from '../metrics/figures.ts';
import type { AskedFigure } from './asked-figure.ts';
import type { DucklingWords } from './chat-book.ts';

/** What the assistant says of a figure, and where it can be seen. */
export interface FigureAnswer {
  readonly text: string;
  readonly href: string;
  readonly title: string;
}

/** Names of the feeds, as people know them. */
const FEED_NAMES: Readonly<Record<string, string>> = { dexscreener: 'DexScreener', jupiter: 'Jupiter' };

/** Puts values in the places that `{name}` marks. */
export function filled(words: string, values: Readonly<Record<string, string>>): string {
  return words.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

const readAgo = (asOf: string, now: number) => `read ${formatAge(now - Date.parse(asOf))}`;

function marketText(
  figure: 'price' | 'market-cap',
  facts: Facts,
  now: number,
  words: DucklingWords['figures'],
) {
  const market = tradingMarketBody(facts, now);
  if (!market) return words.missing;
  const isDemo = market.source === 'demo';
  const values = { source: FEED_NAMES[market.source] ?? market.source, age: readAgo(market.asOf, now) };
  if (figure === 'price') {
    return filled(isDemo ? words.priceDemo : words.price, { ...values, value: formatPrice(market.priceUsd) });
  }
  const value = formatUsd(market.marketCap).replace(/^\$/, '');
  return filled(isDemo ? words.marketCapDemo : words.marketCap, { ...values, value });
}

function chainText(
  figure: 'staked' | 'stakers' | 'vault',
  facts: Facts,
  now: number,
  words: DucklingWords['figures'],
) {
  if (figure === 'vault') {
    const vault = liveBalanceBody(facts, now);
    if (!vault) return words.missing;
    return filled(words.vault, { value: formatFull(vault.vaultBalance), age: readAgo(vault.asOf, now) });
  }
  const total = stakingTotalBody(facts, now);
  if (!total) return words.missing;
  const stakers = String(total.stakerCount);
  const age = readAgo(total.asOf, now);
  return figure === 'stakers'
    ? filled(words.stakers, { value: stakers, age })
    : filled(words.staked, { value: formatFull(total.balance), stakers, age });
}

/** A live figure in words, with its age. One that is not known is said to be missing, never told as zero. */
export function figureAnswer(
  figure: AskedFigure,
  facts: Facts,
  now: number,
  words: DucklingWords,
): FigureAnswer {
  if (figure === 'price' || figure === 'market-cap') {
    return { text: marketText(figure, facts, now, words.figures), href: '/analytics', title: 'Analytics' };
  }
  const text = chainText(figure, facts, now, words.figures);
  return figure === 'vault'
    ? { text, href: '/', title: 'Live Dashboard' }
    : { text, href: '/enhanced-analytics', title: 'Enhanced analytics' };
}

const dayText = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function lockWords(
  open: readonly { readonly unlocksAt: number }[],
  now: number,
  words: DucklingWords['wallet'],
): string {
  const last = Math.max(...open.map(({ unlocksAt }) => unlocksAt));
  const lock = lockState(last, now);
  if (lock.kind === 'unlocked') return words.unlocked;
  const left = `${lock.days} days, ${lock.hours} hours and ${lock.minutes} minutes`;
  const values = { until: dayText(last), left, count: String(open.length) };
  return filled(open.length > 1 ? words.severalLocked : words.locked, values);
}

/** What is known of a wallet: its stake, its tier, what is left of its lock. */
export function walletAnswer(wallet: string, facts: Facts, now: number, words: DucklingWords): FigureAnswer {
  const place = { href: `/my-position?wallet=${wallet}`, title: 'My position' };
  const { stakes } = facts;
  if (!stakes) return { ...place, text: words.wallet.missing };
  const age = `read ${formatAge(now - stakes.readAt)}`;
  const { content } = stakes;
  const staker = content.byWallet.get(wallet);
  const open = content.openByWallet.get(wallet) ?? [];
  if (!staker || open.length === 0) return { ...place, text: filled(words.wallet.none, { age }) };
  const text = filled(words.wallet.staked, {
    value: formatFull(toDecimalText(staker.staked, content.decimals)),
    tier: cardTier(staker.staked, content.decimals) ?? 'None',
    lock: lockWords(open, now, words.wallet),
    age,
  });
  return { ...place, text };
}
