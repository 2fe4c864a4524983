import { toDecimalText } from '../../data/model/amounts.ts';
import { formatAge, formatFull, formatPrice, formatUsd, utcMinuteText } from '../../data/model/format.ts';
import { lockState } from '../../data/model/staking-terms.ts';
import { cardTier } from '../../data/model/tiers.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import {
  liveBalanceBody,
  overviewBody,
  realStakingBody,
  stakingTotalBody,
  tradingMarketBody,
} from '../metrics/figures.ts';
import { isAddress } from '../wallet-address.ts';
import type { DucklingTexts } from './chat-book.ts';
import type { RequestedFigure } from './question-kind.ts';

interface FigureAnswer {
  readonly text: string;
  readonly href: string;
  readonly title: string;
}

const FEED_NAMES: Readonly<Record<string, string>> = { dexscreener: 'DexScreener', jupiter: 'Jupiter' };

/** Fills in a template's placeholders. Those with unknown names stay unchanged. */
export function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

const readAgeText = (asOf: string, now: number) => `read ${formatAge(now - Date.parse(asOf))}`;

/** A figure's page, and the values for its template. The values are null while the figure is unknown. */
interface FigureSpec {
  readonly page: { readonly href: string; readonly title: string };
  readonly readValues: (inputs: FigureInputs, now: number) => Readonly<Record<string, string>> | null;
}

type Market = NonNullable<ReturnType<typeof tradingMarketBody>>;

const DASHBOARD_PAGE = { href: '/', title: 'Live Dashboard' };
const ANALYTICS_PAGE = { href: '/analytics', title: 'Analytics' };
const STAKERS_PAGE = { href: '/enhanced-analytics', title: 'Enhanced Analytics' };
const TOKENOMICS_PAGE = { href: '/tokenomics', title: 'Tokenomics' };

/** A figure from one of the portal's API responses. Its age is counted from the response's `asOf`. */
const apiFigureSpec = <Body extends { readonly asOf: string; readonly source: string }>(
  page: FigureSpec['page'],
  bodyOf: (inputs: FigureInputs, now: number) => Body | null,
  valuesOf: (body: Body) => Readonly<Record<string, string>> | null,
): FigureSpec => ({
  page,
  readValues: (inputs, now) => {
    const body = bodyOf(inputs, now);
    const values = body && valuesOf(body);
    if (!body || !values) return null;
    return { ...values, source: FEED_NAMES[body.source] ?? body.source, age: readAgeText(body.asOf, now) };
  },
});

/** The holders are counted separately from the stakes, so the age of a figure about holders is the age of that count. */
function holderCountBody(inputs: FigureInputs, now: number) {
  const body = realStakingBody(inputs, now);
  return body?.holdersCounted ? { ...body, asOf: body.holdersCounted.asOf } : null;
}

const toValues = (value: string | null) => (value === null ? null : { value });

const marketFigureSpec = (value: (body: Market) => string | null) =>
  apiFigureSpec(ANALYTICS_PAGE, tradingMarketBody, (body) => toValues(value(body)));

const FIGURES: Readonly<Record<RequestedFigure, FigureSpec>> = {
  price: marketFigureSpec(({ priceUsd }) => `$${formatPrice(priceUsd)}`),
  change: marketFigureSpec(({ priceChange24h }) =>
    priceChange24h === null ? null : `${Number(priceChange24h) > 0 ? '+' : ''}${priceChange24h}%`,
  ),
  volume: marketFigureSpec(({ volume24h }) => (volume24h === null ? null : formatUsd(volume24h))),
  liquidity: marketFigureSpec(({ liquidity }) => (liquidity === null ? null : formatUsd(liquidity))),
  'market-cap': marketFigureSpec(({ marketCap }) => formatUsd(marketCap)),
  staked: apiFigureSpec(STAKERS_PAGE, stakingTotalBody, ({ balance, stakerCount }) => ({
    value: formatFull(balance),
    stakers: String(stakerCount),
  })),
  stakers: apiFigureSpec(STAKERS_PAGE, stakingTotalBody, ({ stakerCount }) => ({
    value: String(stakerCount),
  })),
  'staking-ratio': apiFigureSpec(ANALYTICS_PAGE, overviewBody, ({ overview }) =>
    toValues(overview.stakingRatioPercent),
  ),
  participation: apiFigureSpec(ANALYTICS_PAGE, holderCountBody, ({ stakingParticipation }) =>
    toValues(stakingParticipation === null ? null : String(stakingParticipation)),
  ),
  holders: apiFigureSpec(ANALYTICS_PAGE, holderCountBody, ({ walletsHolding }) =>
    toValues(walletsHolding === null ? null : String(walletsHolding)),
  ),
  vault: apiFigureSpec(DASHBOARD_PAGE, liveBalanceBody, ({ vaultBalance }) => ({
    value: formatFull(vaultBalance),
  })),
  'reduced-supply': apiFigureSpec(TOKENOMICS_PAGE, overviewBody, ({ overview }) => ({
    value: formatFull(overview.reducedSupply),
  })),
};

function withDemoNote(text: string, source: string | undefined, texts: DucklingTexts['figures']): string {
  if (source === 'demo') return `${text}\n\n${texts.demo}`;
  return source === 'embedded-ledger' ? `${text}\n\n${texts.demoLedger}` : text;
}

export const figurePage = (figure: RequestedFigure): string => FIGURES[figure].page.href;

/** Answers with a live figure and its age. A missing figure is reported as missing, never as zero. */
export function figureAnswer(
  figure: RequestedFigure,
  inputs: FigureInputs,
  now: number,
  { figures: texts }: DucklingTexts,
): FigureAnswer {
  const { page, readValues } = FIGURES[figure];
  const figureValues = readValues(inputs, now);
  if (!figureValues) return { text: texts.missing, ...page };
  return { text: withDemoNote(fillIn(texts[figure], figureValues), figureValues.source, texts), ...page };
}

function lockText(
  openStakes: readonly { readonly unlocksAt: number }[],
  now: number,
  texts: DucklingTexts['wallet'],
): string {
  const lastUnlock = Math.max(...openStakes.map(({ unlocksAt }) => unlocksAt));
  const lock = lockState(lastUnlock, now);
  if (lock.kind === 'unlocked') return texts.unlocked;
  const remainingText = `${lock.days} days, ${lock.hours} hours and ${lock.minutes} minutes`;
  const values = { until: utcMinuteText(lastUnlock), left: remainingText, count: String(openStakes.length) };
  return fillIn(openStakes.length > 1 ? texts.severalLocked : texts.locked, values);
}

export function walletAnswer(
  wallet: string,
  inputs: FigureInputs,
  now: number,
  texts: DucklingTexts,
): FigureAnswer {
  const title = 'My position';
  if (!isAddress(wallet)) return { href: '/my-position', title, text: texts.wallet.invalid };
  const page = { href: `/my-position#wallet=${wallet}`, title };
  const { stakes } = inputs;
  if (!stakes) return { ...page, text: texts.wallet.missing };
  const age = `read ${formatAge(now - stakes.readAt)}`;
  const { content } = stakes;
  const staker = content.stakerByWallet.get(wallet);
  const openStakes = content.openStakesByWallet.get(wallet) ?? [];
  const answer = (text: string) => ({ ...page, text: withDemoNote(text, inputs.source, texts.figures) });
  if (!staker || openStakes.length === 0) return answer(fillIn(texts.wallet.none, { age }));
  const text = fillIn(texts.wallet.staked, {
    value: formatFull(toDecimalText(staker.staked, content.decimals)),
    tier: cardTier(staker.staked, content.decimals) ?? 'None',
    lock: lockText(openStakes, now, texts.wallet),
    age,
  });
  return answer(text);
}
