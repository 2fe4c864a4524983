import { toDecimalText } from '../../data/model/amounts.ts';
import { formatAge, formatFull, formatPrice, formatUsd } from '../../data/model/format.ts';
import { lockState } from '../../data/model/staking-terms.ts';
import { cardTier } from '../../data/model/tiers.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import { liveBalanceBody, stakingTotalBody, tradingMarketBody } from '../metrics/figures.ts';
import type { DucklingTexts } from './chat-book.ts';
import type { RequestedFigure } from './question-kind.ts';

/** A text about a figure, and the page that shows the figure. */
interface FigureAnswer {
  readonly text: string;
  readonly href: string;
  readonly title: string;
}

/** The market feeds' display names. */
const FEED_NAMES: Readonly<Record<string, string>> = { dexscreener: 'DexScreener', jupiter: 'Jupiter' };

/** Replaces each `{name}` with its value. Unknown names stay. */
function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

const readAgo = (asOf: string, now: number) => `read ${formatAge(now - Date.parse(asOf))}`;

function marketText(
  figure: 'price' | 'market-cap',
  facts: FigureInputs,
  now: number,
  texts: DucklingTexts['figures'],
) {
  const market = tradingMarketBody(facts, now);
  if (!market) return texts.missing;
  const isDemo = market.source === 'demo';
  const values = { source: FEED_NAMES[market.source] ?? market.source, age: readAgo(market.asOf, now) };
  if (figure === 'price') {
    return fillIn(isDemo ? texts.priceDemo : texts.price, { ...values, value: formatPrice(market.priceUsd) });
  }
  const value = formatUsd(market.marketCap).replace(/^\$/, '');
  return fillIn(isDemo ? texts.marketCapDemo : texts.marketCap, { ...values, value });
}

function chainText(
  figure: 'staked' | 'stakers' | 'vault',
  facts: FigureInputs,
  now: number,
  texts: DucklingTexts['figures'],
) {
  if (figure === 'vault') {
    const vault = liveBalanceBody(facts, now);
    if (!vault) return texts.missing;
    return fillIn(texts.vault, { value: formatFull(vault.vaultBalance), age: readAgo(vault.asOf, now) });
  }
  const total = stakingTotalBody(facts, now);
  if (!total) return texts.missing;
  const stakers = String(total.stakerCount);
  const age = readAgo(total.asOf, now);
  return figure === 'stakers'
    ? fillIn(texts.stakers, { value: stakers, age })
    : fillIn(texts.staked, { value: formatFull(total.balance), stakers, age });
}

/** Answers with a live figure and its age. A missing figure is reported as missing, never as zero. */
export function figureAnswer(
  figure: RequestedFigure,
  facts: FigureInputs,
  now: number,
  texts: DucklingTexts,
): FigureAnswer {
  if (figure === 'price' || figure === 'market-cap') {
    return { text: marketText(figure, facts, now, texts.figures), href: '/analytics', title: 'Analytics' };
  }
  const text = chainText(figure, facts, now, texts.figures);
  return figure === 'vault'
    ? { text, href: '/', title: 'Live Dashboard' }
    : { text, href: '/enhanced-analytics', title: 'Enhanced analytics' };
}

const dayText = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function lockText(
  open: readonly { readonly unlocksAt: number }[],
  now: number,
  texts: DucklingTexts['wallet'],
): string {
  const last = Math.max(...open.map(({ unlocksAt }) => unlocksAt));
  const lock = lockState(last, now);
  if (lock.kind === 'unlocked') return texts.unlocked;
  const left = `${lock.days} days, ${lock.hours} hours and ${lock.minutes} minutes`;
  const values = { until: dayText(last), left, count: String(open.length) };
  return fillIn(open.length > 1 ? texts.severalLocked : texts.locked, values);
}

/** Answers with a wallet's stake, tier and remaining lock time. */
export function walletAnswer(
  wallet: string,
  facts: FigureInputs,
  now: number,
  texts: DucklingTexts,
): FigureAnswer {
  const page = { href: `/my-position?wallet=${wallet}`, title: 'My position' };
  const { stakes } = facts;
  if (!stakes) return { ...page, text: texts.wallet.missing };
  const age = `read ${formatAge(now - stakes.readAt)}`;
  const { content } = stakes;
  const staker = content.byWallet.get(wallet);
  const open = content.openByWallet.get(wallet) ?? [];
  if (!staker || open.length === 0) return { ...page, text: fillIn(texts.wallet.none, { age }) };
  const text = fillIn(texts.wallet.staked, {
    value: formatFull(toDecimalText(staker.staked, content.decimals)),
    tier: cardTier(staker.staked, content.decimals) ?? 'None',
    lock: lockText(open, now, texts.wallet),
    age,
  });
  return { ...page, text };
}
