/**
 * JSON as a Solana node writes and reads it: unsigned 64-bit integers are bare number literals, beyond what a JavaScript
 * number can hold. They are `bigint` on this side and lose no digit in either direction.
 */

/** The parts of JSON that carry number literals verbatim; the standard library's typings do not have them yet. */
interface VerbatimJson {
  rawJSON(literal: string): unknown;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}

const verbatim = JSON as unknown as VerbatimJson;

/** A number that a double may round has at least this many digits in a row; anything else is parsed natively, faster. */
const LONG_DIGITS = /[0-9]{16}/;
const INTEGER_LITERAL = /^-?[0-9]+$/;

/**
 * Parses JSON text; integers outside the safe range become `bigint`.
 *
 * @throws SyntaxError where the text is not JSON
 */
export function parseJson(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text);
  return verbatim.parse(text, (_key, value, { source }) =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    source !== undefined &&
    INTEGER_LITERAL.test(source)
      ? BigInt(source)
      : value,
  );
}

/** Writes JSON text; a `bigint` becomes a bare integer literal, `undefined` members are left out. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? verbatim.rawJSON(member.toString()) : member,
  );
}
