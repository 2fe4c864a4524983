import { toDecimalText } from '../amounts.ts';
import { formatFull } from '../format.ts';

/** Whole BD: `'1,234,500 BD'`. */
export function bdText(whole: bigint): string {
  return `${whole.toLocaleString('en-US')} BD`;
}

/** Formats whole BD as millions, rounded to one decimal, such as `12.3M BD`. */
export function millionBdText(whole: bigint): string {
  return `${millionsText(Number(whole))}M BD`;
}

/** Whole US dollars: `'$12,500'`. */
export function dollarText(whole: number | bigint): string {
  return `$${whole.toLocaleString('en-US')}`;
}

/** Whole US dollars in millions: `'$12 million'`. */
export function millionDollarText(whole: number): string {
  return `$${millionsText(whole)} million`;
}

/** Whole US dollars with a sign: `'+$28,800'`, `'−$24,062'`. */
export function signedDollarText(whole: number): string {
  return `${whole < 0 ? '−' : '+'}${dollarText(Math.abs(whole))}`;
}

/** US cents as dollars with two decimals: `'$86.25'`, `'−$513.75'`. */
export function centsAsDollarText(amount: bigint): string {
  return `${amount < 0n ? '−' : ''}$${formatFull(toDecimalText(amount < 0n ? -amount : amount, 2))}`;
}

/** US cents as dollars without decimals, rounded down: `'$143,000'`. */
export function centsAsWholeDollarText(amount: bigint): string {
  return dollarText(amount / 100n);
}

/** `'3 hours'`, `'1 minute'`; for two numbers, `'3 to 5 hours'`. */
export function durationWithUnit(amount: number | readonly [number, number], unit: string): string {
  if (typeof amount === 'number') return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
  return `${amount[0]} to ${amount[1]} ${unit}s`;
}

/** Milliseconds as text, such as `15 minutes`. */
export const minutesWithUnit = (milliseconds: number) => durationWithUnit(milliseconds / 60_000, 'minute');

function millionsText(whole: number): string {
  return (whole / 1_000_000).toLocaleString('en-US', { maximumFractionDigits: 1 });
}
