/** Where a text holds a query: offsets of its first character and of the one behind its last. */
export type Match = readonly [start: number, end: number];

/** Typographic signs that people type as plain ones. */
const PLAIN: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '−': '-',
  '–': '-',
};

/**
 * A text as the search compares it: lower case, plain quotes and dashes, any white space as a space. It has exactly the
 * length of the text, so that an offset in one is an offset in the other.
 */
export function fold(text: string): string {
  return text.replace(/\s|[^\s]/gu, (sign) => {
    if (/\s/.test(sign)) return ' '.repeat(sign.length);
    const lower = PLAIN[sign] ?? sign.toLowerCase();
    return lower.length === sign.length ? lower : sign;
  });
}

/** Every place of a folded query in a folded text, first to last and apart from each other. None for an empty query. */
export function findAll(foldedText: string, foldedQuery: string): readonly Match[] {
  const matches: Match[] = [];
  if (foldedQuery === '') return matches;
  let from = foldedText.indexOf(foldedQuery);
  while (from !== -1) {
    const end = from + foldedQuery.length;
    matches.push([from, end]);
    from = foldedText.indexOf(foldedQuery, end);
  }
  return matches;
}

/** A query as typed, folded: outer white space means nothing, inner white space one space. */
export function foldQuery(typed: string): string {
  return fold(typed.trim().replace(/\s+/g, ' '));
}
