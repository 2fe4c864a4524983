import { ratioText, scaledDecimal, toDecimalText, tokensToBaseUnits } from '../amounts.ts';
import { formatFull } from '../format.ts';
import { monthText } from '../month.ts';
import { PORTAL_LIMITS, SERVICE_TIMES } from '../portal-terms.ts';
import { LOCK_DAYS, STATED_YIELD_PERCENT, statedReward } from '../staking-terms.ts';
import { STATED_FIGURES } from '../stated-figures.ts';
import {
  EARLY_LOCK_END,
  EARLY_STAKER_COUNT,
  MARKET_SUPPLY_BD,
  STREAMFLOW_ALLOCATION_BD,
  STREAMFLOW_MINIMUM_STAKE_BD,
  TOTAL_SUPPLY_BD,
} from '../supply.ts';
import { MAX_CARDS, MINIMUM_STAKE_BD, TOP_UP_FEE_PERCENT, tierTerms } from '../tiers.ts';
import { SMALLEST_TOP_UP, toDecimalUsdt } from '../top-ups.ts';
import { bdText, dollarText, durationWithUnit, millionBdText } from './amount-text.ts';
import { JOURNEY_FACTS } from './journey-facts.ts';
import { LOAN_FACTS } from './loan-facts.ts';

const duckling = tierTerms('Duckling');
const banker = tierTerms('Banker');
const raven = tierTerms('Raven');

/** The reward for the minimum stake, in base units with six decimals. */
const exampleReward = statedReward(tokensToBaseUnits(MINIMUM_STAKE_BD, 6));
/** The amount of the example top-up, in whole USDT. */
const TOP_UP_EXAMPLE = 100n;

/**
 * Every figure in the portal's texts, formatted with its unit. Texts never repeat a figure. They refer to it by name:
 * `{facts.lockDays}` in MDX, `{{lockDays}}` in frontmatter and YAML, `FACTS.lockDays` in code.
 */
export const FACTS = Object.freeze({
  totalSupply: bdText(TOTAL_SUPPLY_BD),
  marketSupply: bdText(MARKET_SUPPLY_BD),
  marketSupplyShort: millionBdText(MARKET_SUPPLY_BD),
  streamflowAllocation: bdText(STREAMFLOW_ALLOCATION_BD),
  streamflowAllocationShort: millionBdText(STREAMFLOW_ALLOCATION_BD),
  streamflowMinimumStake: bdText(STREAMFLOW_MINIMUM_STAKE_BD),
  earlyStakers: String(EARLY_STAKER_COUNT),
  earlyLockEnd: monthText(EARLY_LOCK_END),
  vaultHeldStated: `about ${millionBdText(STATED_FIGURES.vaultHeldBd)}`,
  vaultStatedFaq: millionBdText(STATED_FIGURES.vaultHeldOtherBd),
  stakedStated: millionBdText(STATED_FIGURES.stakedBd),
  statedOn: monthText(STATED_FIGURES.statedOn),
  nftSplit: STATED_FIGURES.nftSplitPercent.join('/'),
  ipoYear: String(STATED_FIGURES.ipoTargetYear),

  lockDays: String(LOCK_DAYS),
  statedYield: `${STATED_YIELD_PERCENT}%`,
  minimumStake: bdText(MINIMUM_STAKE_BD),
  exampleReward: `${formatFull(toDecimalText(exampleReward, 6))} BD`,

  bankerMinimum: bdText(banker.minimumStakeBd),
  ravenMinimum: bdText(raven.minimumStakeBd),
  ducklingDaily: dollarText(duckling.dailyLimitUsd),
  ducklingMonthly: dollarText(duckling.monthlyLimitUsd),
  bankerDaily: dollarText(banker.dailyLimitUsd),
  bankerMonthly: dollarText(banker.monthlyLimitUsd),
  ravenDaily: dollarText(raven.dailyLimitUsd),
  ravenMonthly: dollarText(raven.monthlyLimitUsd),
  ducklingNewCard: dollarText(duckling.newCardMonthlyLimitUsd),
  bankerNewCard: dollarText(banker.newCardMonthlyLimitUsd),
  ravenNewCard: dollarText(raven.newCardMonthlyLimitUsd),
  cardLimit: String(MAX_CARDS),
  lostStakeDays: durationWithUnit(PORTAL_LIMITS.lostStakeDays, 'day'),
  newCardWait: durationWithUnit(PORTAL_LIMITS.newCardHours, 'hour'),
  topUpFee: `${TOP_UP_FEE_PERCENT}%`,
  smallestTopUp: `${toDecimalUsdt(SMALLEST_TOP_UP)} USDT`,
  topUpExample: `${TOP_UP_EXAMPLE} USDT`,
  topUpExampleFee: `${ratioText(TOP_UP_EXAMPLE * scaledDecimal(TOP_UP_FEE_PERCENT, 1), 1_000n, 2)} USDT`,

  applicationReview: durationWithUnit(SERVICE_TIMES.applicationReviewHours, 'hour'),
  topUpByHand: durationWithUnit(SERVICE_TIMES.topUpHours, 'hour'),
  cardProcessing: durationWithUnit(SERVICE_TIMES.cardProcessingHours, 'hour'),
  verificationWait: durationWithUnit(SERVICE_TIMES.verificationSeconds, 'second'),
  /** How long a manual verification takes: `inlineReview` if requested with the inline form, `modalReview` if with the modal. */
  inlineReview: durationWithUnit(SERVICE_TIMES.shortReviewHours, 'hour'),
  modalReview: durationWithUnit(SERVICE_TIMES.fullReviewHours, 'hour'),
  emailResponse: durationWithUnit(SERVICE_TIMES.emailHours, 'hour'),
  chatResponse: durationWithUnit(SERVICE_TIMES.chatHours, 'hour'),
  priorityResponse: durationWithUnit(SERVICE_TIMES.priorityHours, 'hour'),
  privacyResponse: durationWithUnit(SERVICE_TIMES.privacyDays, 'day'),

  chatLimit: String(PORTAL_LIMITS.chatQuestionLength),
  signInExpiry: durationWithUnit(PORTAL_LIMITS.signInMinutes, 'minute'),
  adminIdle: durationWithUnit(PORTAL_LIMITS.adminIdleMinutes, 'minute'),
  adminSessionLimit: durationWithUnit(PORTAL_LIMITS.adminSessionHours, 'hour'),
  uploadLimit: `${PORTAL_LIMITS.uploadMegabytes} MB`,
  mailboxConfirmation: durationWithUnit(PORTAL_LIMITS.mailboxConfirmationHours, 'hour'),
  documentRetention: durationWithUnit(PORTAL_LIMITS.documentRetentionDays, 'day'),
  spendRetention: durationWithUnit(PORTAL_LIMITS.spendRetentionDays, 'day'),
  reminderLink: durationWithUnit(PORTAL_LIMITS.reminderLinkHours, 'hour'),
  reminderRetention: durationWithUnit(PORTAL_LIMITS.reminderIdleDays, 'day'),
  messageRetention: durationWithUnit(PORTAL_LIMITS.messageRetentionDays, 'day'),
  minimumAge: String(PORTAL_LIMITS.minimumAgeYears),

  ...LOAN_FACTS,
  ...JOURNEY_FACTS,
});
