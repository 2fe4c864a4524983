import { scaledDecimal } from '../../../data/model/amounts.ts';
import { formatAbbreviated, formatFull } from '../../../data/model/format.ts';
import { currentTranslation } from '../../../data/model/locale.ts';

/** An ISO date as `'20 May 2027, 09:30 UTC'`. */
export function momentText(moment: string): string {
  const at = new Date(moment);
  const pageTranslation = currentTranslation();
  // In Arabic, the medium style would show the month as a number.
  const dateStyle = pageTranslation ? 'long' : 'medium';
  return `${at.toLocaleString(pageTranslation?.tag ?? 'en-GB', { dateStyle, timeStyle: 'short', timeZone: 'UTC' })} UTC`;
}

/** A percentage from its hundredths, with its sign: `50n` → `'+0.50%'`, or `'+0.5%'` with one place. */
export function signedPercent(hundredths: bigint, decimalPlaces: 1 | 2): string {
  const sign = hundredths > 0n ? '+' : hundredths < 0n ? '−' : '';
  const digits = (hundredths < 0n ? -hundredths : hundredths).toString().padStart(3, '0');
  const fraction = digits.slice(-2, decimalPlaces === 1 ? -1 : undefined);
  return `${sign}${digits.slice(0, -2)}.${fraction}%`;
}

/** The change of the price over the last 24 hours: `'-1.5'` → `'−1.50%'`. A dash if the feed has none. */
export function dayChangeText(percent: string | null | undefined): string {
  return percent ? signedPercent(scaledDecimal(percent, 2), 2) : '—';
}

/** An abbreviated amount without trailing zeros: `'120000000'` → `'120M'`, `'12300000'` → `'12.3M'`. */
export function formatCompact(decimalText: string): string {
  return formatAbbreviated(decimalText).replace(/\.?0+(?=[KM]?$)/, '');
}

/** An unsigned amount with two decimals, or with all of them if two would show zero: `'0.000001'` → `'0.000001'`. */
export function formatAmount(decimalText: string): string {
  const amount = formatFull(decimalText);
  return /[1-9]/.test(amount) || !/[1-9]/.test(decimalText) ? amount : decimalText.replace(/0+$/, '');
}

/**
 * Like `formatAmount`, but rounded down: a stake one base unit below a tier must not appear to reach it. `'4999999.999999'`
 * → `'4,999,999.99'`.
 */
export function formatStake(decimalText: string): string {
  const truncated = decimalText.replace(/(\.\d\d)\d+$/, '$1');
  return formatAmount(/[1-9]/.test(truncated) ? truncated : decimalText);
}
