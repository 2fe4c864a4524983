/**
 * Whole numbers with commas between thousands. Not `Intl.NumberFormat`, whose first use takes an old phone a tenth of a
 * second, and every page shows a count as it loads.
 */

/** Decimal digits, grouped: `'99998436'` → `'99,998,436'`. */
export function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Decimal text with its whole part grouped: `'1234.5'` → `'1,234.5'`. */
export function groupDecimalText(decimalText: string): string {
  const [whole = '', fraction] = decimalText.split('.');
  const grouped = groupDigits(whole);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A grouped count: 1234 → `'1,234'`. Never negative; numbers up to 2⁵³. */
export function formatCount(count: number | bigint): string {
  return groupDigits(String(count));
}
