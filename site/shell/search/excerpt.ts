/** A piece of an excerpt; marked where it matches the search. */
export interface ExcerptPart {
  readonly text: string;
  readonly isMatch: boolean;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
};

function decode(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|#x27|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

/**
 * An excerpt of Pagefind's, which is HTML with `<mark>` around each match, as plain pieces of text: nothing of it is
 * ever read as HTML again.
 */
export function excerptParts(html: string): readonly ExcerptPart[] {
  return html
    .split(/(<mark>.*?<\/mark>)/s)
    .map((piece) => {
      const [, match] = /^<mark>(.*)<\/mark>$/s.exec(piece) ?? [];
      return { text: decode(match ?? piece), isMatch: match !== undefined };
    })
    .filter(({ text }) => text !== '');
}
