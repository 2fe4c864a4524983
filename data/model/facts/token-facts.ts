import { scaledDecimal } from '../amounts.ts';
import { formatFull } from '../format.ts';
import { monthText } from '../month.ts';
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
import { termsOf } from '../tiers.ts';
import { bd, millionBd } from './wording.ts';

/** Decimals in which the example's reward is counted. */
const EXAMPLE_DECIMALS = 6;

const least = termsOf('Duckling').minimumStakeBd;
const exampleReward = statedReward(scaledDecimal(least.toString(), EXAMPLE_DECIMALS));

/** Supply, vault and staking, as running text reads them. */
export const TOKEN_FACTS = {
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
  lockDays: String(LOCK_DAYS),
  statedYield: `${STATED_YIELD_PERCENT}%`,
  minimumStake: bd(least),
  /** Of the least stake that earns a card, for one lock. */
  exampleReward: `${formatFull(`${exampleReward}`.replace(/(\d{6})$/, '.$1'))} BD`,
} as const;
