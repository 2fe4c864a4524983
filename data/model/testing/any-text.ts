import { type Arbitrary, type ArrayConstraints, array, nat } from 'fast-check';

/** Text of any code points. The `binary` unit of fast-check lists every code point first, which takes seconds. */
export function anyText(codePoints: ArrayConstraints = {}): Arbitrary<string> {
  return array(nat(0x10ffff), codePoints).map((codes) => String.fromCodePoint(...codes).toWellFormed());
}
