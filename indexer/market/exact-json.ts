import { z } from 'zod';
import { scaledDecimal } from '../../data/model/amounts.ts';

/**
 * Decimal numbers of JSON without a loss: a number is kept as the digits it was written with, never as a floating-point
 * number, which would round it.
 */

/** The reviver's third argument, which the standard library's typings do not have yet. */
type ParseVerbatim = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;
const parseVerbatim = JSON.parse as ParseVerbatim;

/** Parses JSON; every number becomes the text it was written as. @throws {SyntaxError} where the text is not JSON */
export function parseExactJson(text: string): unknown {
  return parseVerbatim(text, (_key, value, { source }) => (typeof value === 'number' ? source : value));
}

const NUMBER = /^(-?)(\d{1,40})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,3}))?$/;
const MOST_DIGITS = 60;

/**
 * A JSON number as plain decimal text, exact: `1.2e-5` is `0.000012`. Null where it is none, or has more digits than any
 * figure of a market.
 */
export function plainDecimal(text: string): string | null {
  const match = NUMBER.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const point = whole.length + Number(exponent);
  if (point < -MOST_DIGITS || point > MOST_DIGITS) return null;
  const digits = (whole + fraction).padEnd(point, '0');
  const integer = point > 0 ? digits.slice(0, point).replace(/^0+(?=\d)/, '') : '0';
  const rest = (point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits).replace(/0+$/, '');
  const magnitude = rest === '' ? integer : `${integer}.${rest}`;
  return magnitude === '0' ? '0' : sign + magnitude;
}

/** The sum of plain decimal texts, exact. */
export function sumDecimals(texts: readonly string[]): string {
  const scale = Math.max(0, ...texts.map((text) => text.split('.')[1]?.length ?? 0));
  const sum = texts.reduce((total, text) => total + scaledDecimal(text, scale), 0n);
  return plainDecimal(`${sum}e-${scale}`) ?? sum.toString();
}

/** In a document of `parseExactJson`: a number, written bare or in quotes, as plain decimal text. */
export const exactNumber = z.string().transform((text, context) => {
  const plain = plainDecimal(text);
  if (plain !== null) return plain;
  context.addIssue('is not a number that a market has');
  return z.NEVER;
});
