/** The audit's own arithmetic: whole numbers only, and none of the portal's code. */

/** Base units as plain decimal text without trailing zeros. */
export function decimals(units: bigint, places: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Numerator ÷ denominator with two decimals, rounded half away from zero. */
export function twoPlaces(numerator: bigint, denominator: bigint): string {
  const size = numerator < 0n ? -numerator : numerator;
  const hundredths = (size * 200n + denominator) / (denominator * 2n);
  const text = hundredths.toString().padStart(3, '0');
  return `${numerator < 0n && hundredths > 0n ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** Plain decimal text as a numerator over a power of ten. @throws {RangeError} where it is none */
export function fraction(text: string): { readonly numerator: bigint; readonly denominator: bigint } {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new RangeError('It is not a plain decimal number.');
  const [, sign = '', whole = '', part = ''] = match;
  return { numerator: BigInt(sign + whole + part), denominator: 10n ** BigInt(part.length) };
}
