import { type Arbitrary, type ArrayConstraints, array, nat } from 'fast-check';

/** Generates text from arbitrary code points. fast-check's `binary` unit first lists every code point, which takes seconds. */
export function anyText(codePoints: ArrayConstraints = {}): Arbitrary<string> {
  return array(nat(0x10ffff), codePoints).map((codes) => String.fromCodePoint(...codes).toWellFormed());
}
