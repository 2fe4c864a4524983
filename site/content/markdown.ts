import { markdownToHtml } from 'satteri';

/** Markdown of a YAML field as HTML, with the typographic quotes and apostrophes that MDX gets. */
export function htmlOf(markdown: string): string {
  const { html } = markdownToHtml(markdown, { features: { smartPunctuation: true } });
  // Line ends of the source mean nothing here; without them the text says the same in fewer bytes.
  return html.replaceAll(/\s*\n\s*/g, ' ').trim();
}
