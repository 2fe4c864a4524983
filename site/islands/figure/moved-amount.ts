import { formatFull } from '../../../data/model/format.ts';

/**
 * A moved amount with two decimals, or with all that it has where two would show nothing: `'1500000'` → `'1,500,000.00'`,
 * `'0.000001'` stays. Unsigned decimal text in.
 */
export function formatMoved(decimalText: string): string {
  const amount = formatFull(decimalText);
  return /[1-9]/.test(amount) || !/[1-9]/.test(decimalText) ? amount : decimalText.replace(/0+$/, '');
}
