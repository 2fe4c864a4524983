const charactersBetween = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)).join('');

/** The characters that nearly every page uses. */
export const CORE_CHARACTERS = `${charactersBetween(0x20, 0x7e)}\u00a0©°·×÷–—‘’“”•…€↑↓−`;

/** The other characters of western European languages, and rare symbols. */
export const WESTERN_CHARACTERS = [...charactersBetween(0xa1, 0xff), ...'ıŒœˆ˚˜‚„′″‹›⁄™']
  .filter((character) => character !== '\u00ad' && !CORE_CHARACTERS.includes(character))
  .join('');

/** The characters of central and eastern European languages and Turkish, and four more. */
export const EASTERN_CHARACTERS = [
  charactersBetween(0x100, 0x113),
  charactersBetween(0x116, 0x12b),
  charactersBetween(0x12e, 0x130),
  charactersBetween(0x132, 0x137),
  charactersBetween(0x139, 0x13e),
  charactersBetween(0x141, 0x148),
  charactersBetween(0x14a, 0x14d),
  charactersBetween(0x150, 0x151),
  charactersBetween(0x154, 0x17e),
  charactersBetween(0x218, 0x21b),
  'ẞ†₹₽',
].join('');

/** Formats characters as a CSS `unicode-range`, such as `U+20-7E, U+A0`. */
export function unicodeRange(characters: string): string {
  const points = [...new Set([...characters].map((character) => character.codePointAt(0) ?? 0))].sort(
    (a, b) => a - b,
  );
  const ranges: [first: number, last: number][] = [];
  for (const point of points) {
    const lastRange = ranges.at(-1);
    if (lastRange && lastRange[1] === point - 1) lastRange[1] = point;
    else ranges.push([point, point]);
  }
  const hex = (point: number) => point.toString(16).toUpperCase();
  return ranges
    .map(([first, last]) => (first === last ? `U+${hex(first)}` : `U+${hex(first)}-${hex(last)}`))
    .join(', ');
}
