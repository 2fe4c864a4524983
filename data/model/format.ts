import { scaledDecimal } from './amounts.ts';
import { groupDigits } from './digit-grouping.ts';

/* Formats decimal text for display, exactly and without floating-point numbers. */

/** 1,000.00 in hundredths. From 1,000.00 on, a number is shown in K; from 1,000.00 K on, in M. */
const THOUSAND = 100_000n;

function hundredthsText(hundredths: bigint, isGrouped: boolean): string {
  const magnitude = (hundredths < 0n ? -hundredths : hundredths).toString().padStart(3, '0');
  const whole = magnitude.slice(0, -2);
  return `${hundredths < 0n ? '−' : ''}${isGrouped ? groupDigits(whole) : whole}.${magnitude.slice(-2)}`;
}

/** Two decimals, with commas between thousands: `'99998436.01'` → `'99,998,436.01'`. */
export function formatFull(decimalText: string): string {
  return hundredthsText(scaledDecimal(decimalText, 2), true);
}

/**
 * `x.xxM` from 1M up, `x.xxK` from 1K up, otherwise two decimals. The suffix is chosen after rounding, so 999,999.99 is
 * `1.00M` and never `1000.00K`.
 */
export function formatAbbreviated(decimalText: string): string {
  // Each number is rounded from the text: rounding a rounded number again would turn 1,004.995 into 1.01K.
  const hundredths = scaledDecimal(decimalText, 2);
  const tens = scaledDecimal(decimalText, -1);
  if (tens >= THOUSAND || tens <= -THOUSAND) {
    return `${hundredthsText(scaledDecimal(decimalText, -4), true)}M`;
  }
  if (hundredths >= THOUSAND || hundredths <= -THOUSAND) return `${hundredthsText(tens, false)}K`;
  return hundredthsText(hundredths, false);
}

/** Dollar amounts, abbreviated from $1K up. */
export function formatUsd(decimalText: string): string {
  const text = formatAbbreviated(decimalText);
  return text.startsWith('−') ? `−$${text.slice(1)}` : `$${text}`;
}

/** The number of decimals for a price, by its absolute value: 8 below 0.0001, 6 below 0.01, 4 below 1, otherwise 2. */
export function priceDecimals(priceUsd: string): 2 | 4 | 6 | 8 {
  const scaled = scaledDecimal(priceUsd, 12);
  const magnitude = scaled < 0n ? -scaled : scaled;
  if (magnitude < 100_000_000n) return 8;
  if (magnitude < 10_000_000_000n) return 6;
  return magnitude < 1_000_000_000_000n ? 4 : 2;
}

/** A price with this number of decimals, by default the one from `priceDecimals`: `'0.0001137'` with 6 → `'0.000114'`. */
export function formatPrice(priceUsd: string, decimals: number = priceDecimals(priceUsd)): string {
  const scaled = scaledDecimal(priceUsd, decimals);
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(decimals + 1, '0');
  const whole = groupDigits(digits.slice(0, digits.length - decimals));
  return `${scaled < 0n ? '−' : ''}${decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`}`;
}

/** The first and last `keep` characters of an address or a signature: `'4vJ9…Xb2T'`. */
export function shorten(text: string, keep = 4): string {
  return text.length <= keep * 2 + 1 ? text : `${text.slice(0, keep)}…${text.slice(-keep)}`;
}

/**
 * Shortens an address or a signature so that the first match of a search string stays visible. Case is ignored. If nothing
 * matches, `before` is the whole result.
 */
export function shortenAround(text: string, find: string, keep = 4) {
  const lowerSearchText = find.trim().toLowerCase();
  const start = lowerSearchText === '' ? -1 : text.toLowerCase().indexOf(lowerSearchText);
  if (start < 0) return { before: shorten(text, keep), match: '', after: '' };
  const end = start + lowerSearchText.length;
  const tailStart = text.length - keep;
  // An ellipsis replaces at least two characters.
  const shortenedBefore = `${text.slice(0, keep)}…${text.slice(Math.min(start, tailStart), start)}`;
  const shortenedAfter = `${text.slice(end, Math.max(end, keep))}…${text.slice(tailStart)}`;
  const before = start <= keep + 1 ? text.slice(0, start) : shortenedBefore;
  const after = end >= tailStart - 1 ? text.slice(end) : shortenedAfter;
  return { before, match: text.slice(start, end), after };
}

/** A time (Unix ms) in UTC, to the minute: `'2026-01-02 03:04 UTC'`. */
export function utcMinuteText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** An age in seconds, minutes, hours or days: `'12 s ago'`. Below one second, and for a negative age: `'just now'`. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds < 1) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}
