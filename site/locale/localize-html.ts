/** The start tag of a link without `hreflang` to a page or file of this site. */
const LINK = /<a\b(?![^>]*\shreflang=)([^>]*?\shref=")(\/(?!\/)[^"]*)(")/gi;
/** Untranslated English text, which `t` encloses in U+2066 and U+2069. */
const MARKED = /\u2066([^\u2066\u2069]*)\u2069/g;
/** Tags, and whole elements with content that is not markup, such as scripts. */
const MARKUP = /<(script|style|title|textarea)\b[\s\S]*?<\/\1>|<[^>]*>/g;

/**
 * Finishes a page in another language. Changes its links to lead to pages in that language, marks links to pages that exist
 * only in English, and wraps untranslated English text in `<span lang="en">`.
 * @param localizePath returns the path of the same page in this page's language
 */
export function localizeHtml(html: string, localizePath: (path: string) => string): string {
  const linked = html.replace(LINK, (_, start: string, path: string, end: string) => {
    const localized = localizePath(path);
    return localized === path && !isFile(path)
      ? `<a hreflang="en"${start}${path}${end}`
      : `<a${start}${localized}${end}`;
  });
  return markEnglish(linked);
}

/** The path of a file, such as a PDF, has an extension. The path of a page has none. */
const isFile = (path: string) => /\.\w+$/.test(path);

/**
 * Wraps untranslated English text between tags. Leaves the content of islands unchanged, so that it matches what their
 * scripts render on hydration.
 */
function markEnglish(html: string): string {
  if (!html.includes('\u2066')) return html;
  let islandDepth = 0;
  let tagEnd = 0;
  const markText = (text: string) =>
    islandDepth > 0 ? text : text.replace(MARKED, '<span lang="en" dir="ltr">$1</span>');
  const parts: string[] = [];
  for (const { 0: tag, index } of html.matchAll(MARKUP)) {
    parts.push(markText(html.slice(tagEnd, index)), tag);
    if (tag.startsWith('<astro-island')) islandDepth += 1;
    if (tag === '</astro-island>') islandDepth -= 1;
    tagEnd = index + tag.length;
  }
  return [...parts, markText(html.slice(tagEnd))].join('');
}
