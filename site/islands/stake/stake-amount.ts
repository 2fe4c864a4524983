import {
  EXACT_DECIMALS,
  exactUnits,
  ratioText,
  scaledDecimal,
  toDecimalText,
  tokensToBaseUnits,
} from '../../../data/model/amounts.ts';
import { statedReward } from '../../../data/model/staking-terms.ts';
import { type CardTier, cardTier, TIER_TERMS } from '../../../data/model/tiers.ts';

const PLAIN_NUMBER = /^\d+(\.\d+)?$/;
const GROUPED_NUMBER = /^\d{1,3}(,\d{3})+(\.\d+)?$/;
/** The maximum number of characters that the server accepts in an amount. */
const MAX_LENGTH = 40;
const LAMPORT_DECIMALS = 9;

const decimalText = (units: bigint) => toDecimalText(units, EXACT_DECIMALS);

/** A typed amount as decimal text. Null if it is invalid or zero. `'1,234,500'` → `'1234500'`. */
export function parseTypedAmount(input: string): string | null {
  const text = input.trim();
  const plainText = GROUPED_NUMBER.test(text) ? text.replaceAll(',', '') : text;
  return PLAIN_NUMBER.test(plainText) && plainText.length <= MAX_LENGTH && /[1-9]/.test(plainText)
    ? plainText
    : null;
}

/** The amount in a link to the staking page, such as `?amount=1500000`; an empty string if there is no valid amount. */
export function amountOfLink(search: string): string {
  return parseTypedAmount(new URLSearchParams(search).get('amount') ?? '') ?? '';
}

/** Half of a balance in whole BD, decimal text; null below 2 BD. */
export function halfOf(balance: string): string | null {
  const half = exactUnits(balance) / 2n / tokensToBaseUnits(1n, EXACT_DECIMALS);
  return half === 0n ? null : String(half);
}

/** The value of an amount in US dollars, with two decimals. @param price USD for one BD, decimal text */
export function worthUsd(amount: string, price: string): string {
  const decimals = 2 * EXACT_DECIMALS;
  const worth = scaledDecimal(amount, EXACT_DECIMALS) * scaledDecimal(price, EXACT_DECIMALS);
  return ratioText(worth, 10n ** BigInt(decimals), 2) ?? '';
}

/** A tier that a wallet's stake has not reached. Amounts are BD as decimal text. */
export interface TierAbove {
  readonly tier: CardTier;
  readonly amountToTier: string;
  /** How much of `amountToTier` the wallet does not have; null if it has enough, or if its balance is unknown. */
  readonly shortfall: string | null;
}

/**
 * The tiers that a stake has not reached, those within the wallet's reach first.
 * @param staked BD, decimal text
 * @param available BD in the wallet, decimal text; null if unknown
 */
export function tiersAbove(staked: string, available: string | null): readonly TierAbove[] {
  const units = exactUnits(staked);
  // The tiers ascend, so those within reach come first.
  return TIER_TERMS.flatMap(({ tier, minimumStakeBd }) => {
    const amountToTier = tokensToBaseUnits(minimumStakeBd, EXACT_DECIMALS) - units;
    if (amountToTier <= 0n) return [];
    const shortfall = available === null ? 0n : amountToTier - exactUnits(available);
    return [
      {
        tier,
        amountToTier: decimalText(amountToTier),
        shortfall: shortfall > 0n ? decimalText(shortfall) : null,
      },
    ];
  });
}

export interface StakeOutlook {
  /** The stated reward for locking the amount once: BD, decimal text. */
  readonly reward: string;
  /** The tier after the stake; null below the lowest tier, undefined if the current stake is unknown. */
  readonly tier: CardTier | null | undefined;
  /**
   * The next higher tier, and the BD still needed after this stake to reach it; null at the highest tier, undefined if the
   * current stake is unknown.
   */
  readonly nextTier: Pick<TierAbove, 'tier' | 'amountToTier'> | null | undefined;
  /** Whether the amount is known to be more than the wallet has. */
  readonly isTooMuch: boolean;
}

/**
 * The expected result of staking `amount`. All amounts are BD as decimal text.
 * @param staked null if unknown
 * @param available null if unknown
 * @returns null if the amount has more decimals than any mint has
 */
export function stakeOutlook(
  amount: string,
  staked: string | null,
  available: string | null,
): StakeOutlook | null {
  if ((amount.split('.')[1] ?? '').replace(/0+$/, '').length > EXACT_DECIMALS) return null;
  const units = exactUnits(amount);
  const total = staked === null ? null : exactUnits(staked) + units;
  return {
    reward: decimalText(statedReward(units)),
    tier: total === null ? undefined : cardTier(total, EXACT_DECIMALS),
    nextTier: total === null ? undefined : (tiersAbove(decimalText(total), null)[0] ?? null),
    isTooMuch: available !== null && units > exactUnits(available),
  };
}

/** An exact amount of SOL from lamports: `'2039280'` → `'0.00203928 SOL'`. */
export function solText(lamports: string): string {
  return `${toDecimalText(BigInt(lamports), LAMPORT_DECIMALS)} SOL`;
}
