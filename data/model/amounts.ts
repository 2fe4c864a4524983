/*
 * Token amounts. From the chain to the formatter, an amount is a `bigint` in base units and never a floating-point number.
 * One whole token has 10^decimals base units.
 */

const DECIMAL_TEXT = /^(-?)(\d+)(?:\.(\d+))?$/;

/** 10^0 to 10^18, computed only once because lists convert thousands of amounts. */
const POWERS_OF_TEN: readonly bigint[] = Array.from({ length: 19 }, (_, power) => 10n ** BigInt(power));

/** @throws {RangeError} when no mint can have this number of decimals. */
export function unitsPerToken(decimals: number): bigint {
  const units = POWERS_OF_TEN[decimals];
  if (units === undefined) throw new RangeError(`A mint has between 0 and 18 decimals, not ${decimals}.`);
  return units;
}

export function tokensToBaseUnits(tokens: bigint, decimals: number): bigint {
  return tokens * unitsPerToken(decimals);
}

/** Formats base units as decimal text without commas or trailing zeros: `99998436010000n` with 6 decimals → `'99998436.01'`. */
export function toDecimalText(baseUnits: bigint, decimals: number): string {
  const perToken = unitsPerToken(decimals);
  const magnitude = baseUnits < 0n ? -baseUnits : baseUnits;
  const fraction = (magnitude % perToken).toString().padStart(decimals, '0').replace(/0+$/, '');
  const sign = baseUnits < 0n ? '-' : '';
  const whole = (magnitude / perToken).toString();
  return decimals === 0 || fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

/**
 * Converts decimal text to base units.
 * @throws {RangeError} when the text is not a plain decimal number, or contains a fraction of a base unit.
 */
export function fromDecimalText(text: string, decimals: number): bigint {
  const match = DECIMAL_TEXT.exec(text);
  if (!match) throw new RangeError(`"${text}" is not a plain decimal number such as 1500000 or 0.5.`);
  const [, sign = '', whole = '0', fraction = ''] = match;
  const significant = fraction.replace(/0+$/, '');
  if (significant.length > decimals) {
    throw new RangeError(`"${text}" is finer than one base unit (${decimals} decimals).`);
  }
  const units = BigInt(whole) * unitsPerToken(decimals) + BigInt(significant.padEnd(decimals, '0'));
  return sign === '-' ? -units : units;
}

/** The number of decimals that `exactUnits` keeps: at least as many as any mint has. */
export const EXACT_DECIMALS = 18;

/** Decimal text as an integer, for comparing amounts exactly without knowing the mint's decimals. */
export function exactUnits(decimalText: string): bigint {
  return fromDecimalText(decimalText, EXACT_DECIMALS);
}

/** `value ÷ divisor` for a positive divisor, rounded half away from zero. */
function divideRounded(value: bigint, divisor: bigint): bigint {
  const magnitude = value < 0n ? -value : value;
  const rounded = (magnitude * 2n + divisor) / (divisor * 2n);
  return value < 0n ? -rounded : rounded;
}

/**
 * Decimal text times 10^scale, rounded to an integer, half away from zero. The text may be a price, so it can have any
 * number of decimals. With a scale of -2, the result is in hundreds.
 * @throws {RangeError} when the text is not a plain decimal number.
 */
export function scaledDecimal(text: string, scale: number): bigint {
  const match = DECIMAL_TEXT.exec(text);
  if (!match) throw new RangeError(`"${text}" is not a plain decimal number such as 0.000114.`);
  const [, sign = '', whole = '0', fraction = ''] = match;
  const digits = BigInt(whole + fraction);
  const value = sign === '-' ? -digits : digits;
  const shift = scale - fraction.length;
  return shift >= 0 ? value * 10n ** BigInt(shift) : divideRounded(value, 10n ** BigInt(-shift));
}

/**
 * `numerator ÷ denominator` as text with a fixed number of decimal places, rounded half away from zero. Null when the
 * denominator is zero.
 */
export function ratioText(numerator: bigint, denominator: bigint, places: number): string | null {
  if (denominator === 0n) return null;
  const scaled = (denominator < 0n ? -numerator : numerator) * 10n ** BigInt(places);
  const rounded = divideRounded(scaled, denominator < 0n ? -denominator : denominator);
  const text = (rounded < 0n ? -rounded : rounded).toString().padStart(places + 1, '0');
  const whole = text.slice(0, text.length - places);
  const body = places === 0 ? whole : `${whole}.${text.slice(text.length - places)}`;
  return rounded < 0n ? `-${body}` : body;
}

/**
 * An amount times a factor, such as a price in plain decimal text. The result is exact decimal text without trailing zeros.
 * @throws {RangeError} when the text is not a plain decimal number.
 */
export function productText(baseUnits: bigint, decimals: number, factor: string): string {
  const places = decimals + (factor.split('.')[1]?.length ?? 0);
  const product = baseUnits * scaledDecimal(factor, places - decimals);
  const digits = (product < 0n ? -product : product).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${product < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
