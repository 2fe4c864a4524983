import { ratioText, scaledDecimal } from './amounts.ts';
import { STATED_YIELD_PERCENT, statedReward } from './staking-terms.ts';
import { valueUsd } from './supply.ts';

/** The hypothetical case of the investor journey, for illustration only. */
export const JOURNEY = {
  /** Whole BD. */
  boughtBd: 5_000_000n,
  buyPriceUsd: '0.00012',
  years: 3,
  /** Assumed USDT income over the years, in whole US dollars. */
  incomeUsd: 36_000n,
  /** Assumed final holdings in whole BD. */
  holdingsBd: 28_600_000n,
  /** Prices at the end, of the three return scenarios. */
  endPricesUsd: ['0.005', '0.015', '0.030'],
  /** Price falls in the first two loss cases. */
  lossFallsPercent: [90, 99],
} as const;

const CENTS = 2;
/** Prices of the case have up to seven decimals, and up to nine after a fall by 99%. */
const PRICE_SCALE = 9;

/** What the case cost, in US cents. */
export function journeyOutlayCents(): bigint {
  return scaledDecimal(valueUsd(JOURNEY.boughtBd, JOURNEY.buyPriceUsd, 0), CENTS);
}

interface JourneyScenario {
  readonly priceUsd: string;
  /** US cents. */
  readonly holdingsCents: bigint;
  readonly totalCents: bigint;
  /** Total ÷ outlay, as a rounded whole number. */
  readonly multiple: string;
  /** Price ÷ price paid, with one decimal. */
  readonly rise: string;
}

/** The three return scenarios: final holdings × price + income, ÷ outlay. */
export function journeyScenarios(): readonly JourneyScenario[] {
  return JOURNEY.endPricesUsd.map((priceUsd) => {
    const holdingsCents = scaledDecimal(valueUsd(JOURNEY.holdingsBd, priceUsd, 0), CENTS);
    const totalCents = holdingsCents + JOURNEY.incomeUsd * 100n;
    return {
      priceUsd,
      holdingsCents,
      totalCents,
      multiple: ratioText(totalCents, journeyOutlayCents(), 0) ?? '',
      rise: ratioText(price(priceUsd), price(JOURNEY.buyPriceUsd), 1) ?? '',
    };
  });
}

interface JourneyLoss {
  /** Whole BD held at the end. */
  readonly holdingsBd: bigint;
  readonly totalCents: bigint;
  readonly resultCents: bigint;
  /** Total ÷ outlay, with two decimals. */
  readonly multiple: string;
}

/** The price paid minus a fall, as plain decimal text. */
export function journeyPriceAfterFall(fallPercent: number): string {
  const left = price(JOURNEY.buyPriceUsd) * BigInt(100 - fallPercent);
  return (ratioText(left, 100n * 10n ** BigInt(PRICE_SCALE), PRICE_SCALE) ?? '').replace(/0+$/, '');
}

/** Whole BD after one lock whose stated reward is paid in full. */
export function journeyHoldingsAfterLock(): bigint {
  return JOURNEY.boughtBd + statedReward(JOURNEY.boughtBd);
}

/** The loss cases: a fall with the reward of one lock, a deeper one without it, and no buyer at all. */
export function journeyLosses(): readonly JourneyLoss[] {
  const [fall, collapse] = JOURNEY.lossFallsPercent;
  return [
    loss(journeyHoldingsAfterLock(), journeyPriceAfterFall(fall)),
    loss(JOURNEY.boughtBd, journeyPriceAfterFall(collapse)),
    loss(JOURNEY.boughtBd, '0'),
  ];
}

function loss(holdingsBd: bigint, priceUsd: string): JourneyLoss {
  const totalCents = scaledDecimal(valueUsd(holdingsBd, priceUsd, 0), CENTS);
  const outlay = journeyOutlayCents();
  return {
    holdingsBd,
    totalCents,
    resultCents: totalCents - outlay,
    multiple: ratioText(totalCents, outlay, 2) ?? '',
  };
}

/** The price at which one lock with its stated reward breaks even; seven decimals. */
export function journeyBreakEvenUsd(): string {
  return ratioText(journeyOutlayCents(), journeyHoldingsAfterLock() * 100n, 7) ?? '';
}

/** Whole BD from the stated yield alone over the years, not compounded. */
export function journeySimpleHoldingsBd(): bigint {
  const yearly = (JOURNEY.boughtBd * scaledDecimal(STATED_YIELD_PERCENT, 1)) / 1_000n;
  return JOURNEY.boughtBd + yearly * BigInt(JOURNEY.years);
}

function price(text: string): bigint {
  return scaledDecimal(text, PRICE_SCALE);
}
