import { ratioText, scaledDecimal } from '../amounts.ts';
import { CARD_LIMIT, TOP_UP_FEE_PERCENT } from '../card-terms.ts';
import { SERVICE_TIMES } from '../service-times.ts';
import { STATED_FIGURES } from '../stated-figures.ts';
import { termsOf } from '../tiers.ts';
import { bd, dollars, duration } from './wording.ts';

/** The sum that the fee of a top-up is shown on, in whole USDT. */
const TOP_UP_EXAMPLE = 100n;

const duckling = termsOf('Duckling');
const banker = termsOf('Banker');
const raven = termsOf('Raven');

/** Cards, as running text reads them. */
export const CARD_FACTS = {
  bankerMinimum: bd(banker.minimumStakeBd),
  ravenMinimum: bd(raven.minimumStakeBd),
  ducklingDaily: dollars(duckling.dailyLimitUsd),
  ducklingMonthly: dollars(duckling.monthlyLimitUsd),
  bankerDaily: dollars(banker.dailyLimitUsd),
  bankerMonthly: dollars(banker.monthlyLimitUsd),
  ravenDaily: dollars(raven.dailyLimitUsd),
  ravenMonthly: dollars(raven.monthlyLimitUsd),
  ducklingNewCard: dollars(duckling.newCardMonthlyLimitUsd),
  bankerNewCard: dollars(banker.newCardMonthlyLimitUsd),
  ravenNewCard: dollars(raven.newCardMonthlyLimitUsd),
  cardLimit: String(CARD_LIMIT),
  topUpFee: `${TOP_UP_FEE_PERCENT}%`,
  topUpExample: `${TOP_UP_EXAMPLE} USDT`,
  topUpExampleFee: `${ratioText(TOP_UP_EXAMPLE * scaledDecimal(TOP_UP_FEE_PERCENT, 1), 1_000n, 2)} USDT`,
  applicationReview: duration(SERVICE_TIMES.applicationReviewHours, 'hour'),
  cardProcessing: duration(SERVICE_TIMES.cardProcessingHours, 'hour'),
  verificationWait: duration(SERVICE_TIMES.verificationSeconds, 'second'),
  /** Of a check by a person, asked for by the short form and by the full one. */
  inlineReview: duration(SERVICE_TIMES.shortReviewHours, 'hour'),
  modalReview: duration(SERVICE_TIMES.fullReviewHours, 'hour'),
  nftSplit: STATED_FIGURES.nftSplitPercent.join('/'),
  ipoYear: String(STATED_FIGURES.ipoTargetYear),
} as const;
