/*
 * Formats numbers with commas between thousands. Every page shows a count as it loads, so `Intl.NumberFormat` is not used: its
 * first use takes a tenth of a second on an old phone.
 */

/** `'99998436'` → `'99,998,436'`. */
export function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `'1234.5'` → `'1,234.5'`. */
export function groupDecimalText(decimalText: string): string {
  const [whole = '', fraction] = decimalText.split('.');
  const grouped = groupDigits(whole);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** 1234 → `'1,234'`. For counts from 0 to 2⁵³. */
export function formatCount(count: number | bigint): string {
  return groupDigits(String(count));
}
