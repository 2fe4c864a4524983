import { ratioText, scaledDecimal, toDecimalText, wholeTokens } from '../amounts.ts';
import { formatFull } from '../format.ts';
import { monthText } from '../month.ts';
import { PORTAL_LIMITS, SERVICE_TIMES } from '../portal-terms.ts';
import { LOCK_DAYS, STATED_YIELD_PERCENT, statedReward } from '../staking-terms.ts';
import { STATED_FIGURES } from '../stated-figures.ts';
import {
  EARLY_LOCK_END,
  EARLY_STAKERS,
  MARKET_SUPPLY_BD,
  STREAMFLOW_MINIMUM_STAKE_BD,
  streamflowAllocation,
  TOTAL_SUPPLY_BD,
} from '../supply.ts';
import { MAX_CARDS, MINIMUM_STAKE_BD, TOP_UP_FEE_PERCENT, tierTerms } from '../tiers.ts';
import { SMALLEST_TOP_UP, toDecimalUsdt } from '../top-ups.ts';
import { JOURNEY_FACTS } from './journey-facts.ts';
import { LOAN_FACTS } from './loan-facts.ts';
import { bd, dollars, duration, millionBd } from './wording.ts';

const duckling = tierTerms('Duckling');
const banker = tierTerms('Banker');
const raven = tierTerms('Raven');

/** The reward for the minimum stake, in base units with six decimals. */
const exampleReward = statedReward(wholeTokens(MINIMUM_STAKE_BD, 6));
/** In whole USDT. */
const TOP_UP_EXAMPLE = 100n;

/**
 * Every figure in the portal's texts, formatted with its unit. A text refers to a fact and never repeats the figure:
 * `{facts.lockDays}` in MDX, `{{lockDays}}` in a field, `FACTS.lockDays` in code.
 */
export const FACTS = Object.freeze({
  totalSupply: bd(TOTAL_SUPPLY_BD),
  marketSupply: bd(MARKET_SUPPLY_BD),
  marketSupplyShort: millionBd(MARKET_SUPPLY_BD),
  streamflowAllocation: bd(streamflowAllocation(0)),
  streamflowAllocationShort: millionBd(streamflowAllocation(0)),
  streamflowMinimumStake: bd(STREAMFLOW_MINIMUM_STAKE_BD),
  earlyStakers: String(EARLY_STAKERS),
  earlyLockEnd: monthText(EARLY_LOCK_END),
  vaultHeldStated: `about ${millionBd(STATED_FIGURES.vaultHeldBd)}`,
  vaultStatedFaq: millionBd(STATED_FIGURES.vaultHeldOtherBd),
  stakedStated: millionBd(STATED_FIGURES.stakedBd),
  statedOn: monthText(STATED_FIGURES.statedOn),
  nftSplit: STATED_FIGURES.nftSplitPercent.join('/'),
  ipoYear: String(STATED_FIGURES.ipoTargetYear),

  lockDays: String(LOCK_DAYS),
  statedYield: `${STATED_YIELD_PERCENT}%`,
  minimumStake: bd(MINIMUM_STAKE_BD),
  /** The stated reward for one lock of the minimum stake. */
  exampleReward: `${formatFull(toDecimalText(exampleReward, 6))} BD`,

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
  cardLimit: String(MAX_CARDS),
  lostStakeDays: duration(PORTAL_LIMITS.lostStakeDays, 'day'),
  newCardWait: duration(PORTAL_LIMITS.newCardHours, 'hour'),
  topUpFee: `${TOP_UP_FEE_PERCENT}%`,
  smallestTopUp: `${toDecimalUsdt(SMALLEST_TOP_UP)} USDT`,
  topUpExample: `${TOP_UP_EXAMPLE} USDT`,
  topUpExampleFee: `${ratioText(TOP_UP_EXAMPLE * scaledDecimal(TOP_UP_FEE_PERCENT, 1), 1_000n, 2)} USDT`,

  applicationReview: duration(SERVICE_TIMES.applicationReviewHours, 'hour'),
  topUpByHand: duration(SERVICE_TIMES.topUpHours, 'hour'),
  cardProcessing: duration(SERVICE_TIMES.cardProcessingHours, 'hour'),
  verificationWait: duration(SERVICE_TIMES.verificationSeconds, 'second'),
  /** How long a manual verification takes if it is requested with the inline form, and with the modal. */
  inlineReview: duration(SERVICE_TIMES.shortReviewHours, 'hour'),
  modalReview: duration(SERVICE_TIMES.fullReviewHours, 'hour'),
  emailResponse: duration(SERVICE_TIMES.emailHours, 'hour'),
  chatResponse: duration(SERVICE_TIMES.chatHours, 'hour'),
  priorityResponse: duration(SERVICE_TIMES.priorityHours, 'hour'),
  privacyResponse: duration(SERVICE_TIMES.privacyDays, 'day'),

  chatLimit: String(PORTAL_LIMITS.chatQuestionLength),
  signInExpiry: duration(PORTAL_LIMITS.signInMinutes, 'minute'),
  adminIdle: duration(PORTAL_LIMITS.adminIdleMinutes, 'minute'),
  adminSessionLimit: duration(PORTAL_LIMITS.adminSessionHours, 'hour'),
  uploadLimit: `${PORTAL_LIMITS.uploadMegabytes} MB`,
  mailboxConfirmation: duration(PORTAL_LIMITS.mailboxConfirmationHours, 'hour'),
  documentRetention: duration(PORTAL_LIMITS.documentRetentionDays, 'day'),
  spendRetention: duration(PORTAL_LIMITS.spendRetentionDays, 'day'),
  reminderLink: duration(PORTAL_LIMITS.reminderLinkHours, 'hour'),
  reminderRetention: duration(PORTAL_LIMITS.reminderIdleDays, 'day'),
  messageRetention: duration(PORTAL_LIMITS.messageRetentionDays, 'day'),
  minimumAge: String(PORTAL_LIMITS.minimumAgeYears),

  ...LOAN_FACTS,
  ...JOURNEY_FACTS,
});
