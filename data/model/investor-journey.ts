import { ratioText, scaledDecimal } from './amounts.ts';
import { STATED_YIELD_PERCENT, statedReward } from './staking-terms.ts';
import { valueUsd } from './supply.ts';

/** The hypothetical example on the investor journey page. */
export const JOURNEY = {
  /** Whole BD. */
  boughtBd: 5_000_000n,
  buyPriceUsd: '0.00012',
  years: 3,
  /** Assumed USDT income over all the years, in whole US dollars. */
  incomeUsd: 36_000n,
  /** Assumed final holdings in whole BD. */
  holdingsBd: 28_600_000n,
  /** The final price in each of the three return scenarios. */
  endPricesUsd: ['0.005', '0.015', '0.030'],
  /** How far the price falls in the first two loss cases. */
  lossFallsPercent: [90, 99],
} as const;

const CENT_DECIMALS = 2;
/** The number of decimals in a price: the example's prices have up to seven, and a 99% fall adds two. */
const PRICE_SCALE = 9;

export function journeyOutlayCents(): bigint {
  return scaledDecimal(valueUsd(JOURNEY.boughtBd, JOURNEY.buyPriceUsd, 0), CENT_DECIMALS);
}

interface JourneyScenario {
  readonly priceUsd: string;
  /** The value of the final holdings, in US cents. */
  readonly holdingsCents: bigint;
  readonly totalCents: bigint;
  /** Total ÷ outlay, as a rounded whole number. */
  readonly multiple: string;
  /** Final price ÷ purchase price, with one decimal. */
  readonly priceFactor: string;
}

/** The three return scenarios. Each multiple is (final holdings × price + income) ÷ outlay. */
export function journeyScenarios(): readonly JourneyScenario[] {
  return JOURNEY.endPricesUsd.map((priceUsd) => {
    const holdingsCents = scaledDecimal(valueUsd(JOURNEY.holdingsBd, priceUsd, 0), CENT_DECIMALS);
    const totalCents = holdingsCents + JOURNEY.incomeUsd * 100n;
    return {
      priceUsd,
      holdingsCents,
      totalCents,
      multiple: ratioText(totalCents, journeyOutlayCents(), 0) ?? '',
      priceFactor: ratioText(scaledPrice(priceUsd), scaledPrice(JOURNEY.buyPriceUsd), 1) ?? '',
    };
  });
}

interface JourneyLoss {
  readonly totalCents: bigint;
  readonly resultCents: bigint;
  /** Total ÷ outlay, with two decimals. */
  readonly multiple: string;
}

export function journeyPriceAfterFall(fallPercent: number): string {
  const fallenPrice = scaledPrice(JOURNEY.buyPriceUsd) * BigInt(100 - fallPercent);
  return (ratioText(fallenPrice, 100n * 10n ** BigInt(PRICE_SCALE), PRICE_SCALE) ?? '').replace(/0+$/, '');
}

/** Whole BD after one lock, if the stated reward is paid in full. */
export function journeyHoldingsAfterLock(): bigint {
  return JOURNEY.boughtBd + statedReward(JOURNEY.boughtBd);
}

/** The loss cases: a fall after one rewarded lock, a deeper fall without a reward, and no buyer at all. */
export function journeyLosses(): readonly JourneyLoss[] {
  const [fall, collapse] = JOURNEY.lossFallsPercent;
  return [
    toLoss(journeyHoldingsAfterLock(), journeyPriceAfterFall(fall)),
    toLoss(JOURNEY.boughtBd, journeyPriceAfterFall(collapse)),
    toLoss(JOURNEY.boughtBd, '0'),
  ];
}

function toLoss(holdingsBd: bigint, priceUsd: string): JourneyLoss {
  const totalCents = scaledDecimal(valueUsd(holdingsBd, priceUsd, 0), CENT_DECIMALS);
  const outlay = journeyOutlayCents();
  return { totalCents, resultCents: totalCents - outlay, multiple: ratioText(totalCents, outlay, 2) ?? '' };
}

/** The price at which one lock with the stated reward breaks even, with seven decimals. */
export function journeyBreakEvenUsd(): string {
  return ratioText(journeyOutlayCents(), journeyHoldingsAfterLock() * 100n, 7) ?? '';
}

/** The final holdings in whole BD if they grow by the stated yield alone, not compounded. */
export function journeySimpleHoldingsBd(): bigint {
  const yearlyYieldBd = (JOURNEY.boughtBd * scaledDecimal(STATED_YIELD_PERCENT, 1)) / 1_000n;
  return JOURNEY.boughtBd + yearlyYieldBd * BigInt(JOURNEY.years);
}

function scaledPrice(text: string): bigint {
  return scaledDecimal(text, PRICE_SCALE);
}
