import { fromDecimalText } from '../../../data/model/amounts.ts';

// Wide enough for the base units of any mint, so that decimal text of any precision is compared exactly.
export const EXACT_DECIMALS = 18;

/** An exact amount, as decimal text, as a number that can be ordered. */
export function exactUnits(decimalText: string): bigint {
  return fromDecimalText(decimalText, EXACT_DECIMALS);
}
