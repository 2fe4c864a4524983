const ASCII = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index)).join('');

/** What nearly every page is written with. Any other character comes from the whole font, loaded where one stands. */
export const CORE_CHARACTERS = `${ASCII}\u00a0©°·×÷–—‘’“”•…€→↑↓−≈≤≥`;

/** Characters as the value of CSS `unicode-range`: `U+20-7E, U+A0`. */
export function unicodeRange(characters: string): string {
  const points = [...new Set([...characters].map((character) => character.codePointAt(0) ?? 0))].sort(
    (a, b) => a - b,
  );
  const ranges: [first: number, last: number][] = [];
  for (const point of points) {
    const open = ranges.at(-1);
    if (open && open[1] === point - 1) open[1] = point;
    else ranges.push([point, point]);
  }
  const hex = (point: number) => point.toString(16).toUpperCase();
  return ranges
    .map(([first, last]) => (first === last ? `U+${hex(first)}` : `U+${hex(first)}-${hex(last)}`))
    .join(', ');
}
