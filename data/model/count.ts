/**
 * Whole numbers with commas between thousands, without the browser's own formatter: the first use of that keeps an old
 * phone busy for a tenth of a second, and every page shows a count as soon as it has loaded.
 */

/** Decimal digits, grouped: `'99998436'` → `'99,998,436'`. */
export function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Decimal text, its whole part grouped: `'1234.5'` → `'1,234.5'`. */
export function groupWhole(decimalText: string): string {
  const [whole = '', fraction] = decimalText.split('.');
  const grouped = groupDigits(whole);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A count as it is read: 1234 → `'1,234'`. Never negative; numbers up to 2⁵³. */
export function formatCount(count: number | bigint): string {
  return groupDigits(String(count));
}
