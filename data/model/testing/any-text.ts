import { type Arbitrary, type ArrayConstraints, array, nat } from 'fast-check';

/** Text of any code points. The unit `binary` of fast-check lists every code point first, which takes a second. */
export function anyText(codePoints: ArrayConstraints = {}): Arbitrary<string> {
  return array(nat(0x10ffff), codePoints).map((codes) => String.fromCodePoint(...codes).toWellFormed());
}
