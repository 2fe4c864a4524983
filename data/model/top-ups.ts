import { scaledDecimal, toDecimalText } from './amounts.ts';
import { TOP_UP_FEE_PERCENT } from './tiers.ts';

const USDT_DECIMALS = 6;
/** The contract address of USDT on Ethereum mainnet. */
export const USDT_CONTRACT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';

const UNITS_PER_USDT = 1_000_000n;
/** The smallest amount that is credited, in base units. Smaller amounts, which are often spam, are stored as `dust`. */
export const SMALLEST_TOP_UP = UNITS_PER_USDT;

/**
 * `confirming`: seen, but not final. `credited`: a card got the amount, less the fee. `unmatched`: waiting for the team,
 * because no card could be credited. `settled`: the team returned it, or found that it was not for a card. `dust`: too small.
 * `outgoing`: sent from the funding address.
 */
export const TRANSFER_STATES = [
  'confirming',
  'credited',
  'unmatched',
  'settled',
  'dust',
  'outgoing',
] as const;
export type TransferState = (typeof TRANSFER_STATES)[number];

export const toDecimalUsdt = (units: bigint): string => toDecimalText(units, USDT_DECIMALS);

/** The fee on a top-up and the credited amount, in base units. The fee is rounded down, so it never exceeds the stated rate. */
export function splitTopUp(amount: bigint): { readonly fee: bigint; readonly credited: bigint } {
  const fee = (amount * scaledDecimal(TOP_UP_FEE_PERCENT, 1)) / 1_000n;
  return { fee, credited: amount - fee };
}

/**
 * The last digit of a tag, computed with the Luhn formula, so that one wrong digit never gives the tag of another card.
 * @param digits the first five digits
 */
function checkDigit(digits: number): number {
  const sum = [...String(digits)].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

const isTag = (tag: number) =>
  tag >= 100_001 && tag % 10 > 0 && checkDigit(Math.floor(tag / 10)) === tag % 10;

/**
 * Generates a tag: six digits, where neither the first nor the last is 0.
 * @param random returns a number from 0 up to but not including 1
 */
export function generateTag(random: () => number): number {
  for (;;) {
    const digits = 10_000 + Math.floor(random() * 90_000);
    const tag = digits * 10 + checkDigit(digits);
    if (isTag(tag)) return tag;
  }
}

/** The card tag in the six decimals of an amount; null if the decimals are not a valid tag, or the amount is too small. */
export function cardTagOf(amount: bigint): number | null {
  const tag = Number(amount % UNITS_PER_USDT);
  return amount >= SMALLEST_TOP_UP && isTag(tag) ? tag : null;
}
