import { formatFull } from '../../../data/model/format.ts';

/**
 * A moved amount with two decimals, or with all that it has where two would show nothing: `'1500000'` → `'1,500,000.00'`,
 * `'0.000001'` stays. Unsigned decimal text in.
 */
export function formatMoved(decimalText: string): string {
  const amount = formatFull(decimalText);
  return /[1-9]/.test(amount) || !/[1-9]/.test(decimalText) ? amount : decimalText.replace(/0+$/, '');
}

/**
 * A wallet's stake as `formatMoved`, but never rounded up: what is a base unit short of a tier does not read as if it had
 * reached it. `'4999999.999999'` → `'4,999,999.99'`.
 */
export function formatStake(decimalText: string): string {
  const cut = decimalText.replace(/(\.\d\d)\d+$/, '$1');
  return formatMoved(/[1-9]/.test(cut) ? cut : decimalText);
}
