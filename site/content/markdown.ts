import { markdownToHtml } from 'satteri';

/** Markdown of a YAML field as HTML, with the typographic quotes and apostrophes that MDX gets. */
export function htmlOf(markdown: string): string {
  return markdownToHtml(markdown, { features: { smartPunctuation: true } }).html.trim();
}
