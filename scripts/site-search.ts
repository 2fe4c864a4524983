import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { close, createIndex } from 'pagefind';
import type { BuiltPage } from './built-pages.ts';

/** Pagefind's own interfaces, which the site has no use for. */
const UNUSED = /^pagefind-(?:ui|modular-ui|component-ui|highlight)\b/;
/** Parts of a page's body that are no words of its own. */
const PASSED_OVER = ['nav', 'form', '[hidden]', '[aria-hidden="true"]', 'noscript'];

/** A question that opens is a place of its own in the results, as a heading is. */
export function questionsAsHeadings(html: string): string {
  return html.replaceAll(
    /<details([^>]*\sid="?[\w-]+"?[^>]*)>\s*<summary[^>]*>([^<]+)<\/summary>/g,
    '<h3$1>$2</h3><details>',
  );
}

/**
 * Writes the search index of some pages into `pagefind/` of the built site.
 * @throws {Error} naming the page at fault.
 */
export async function writeSearchIndex(pages: readonly BuiltPage[], output: string): Promise<void> {
  const { index, errors } = await createIndex({ excludeSelectors: PASSED_OVER });
  if (!index) throw new Error(`The search index could not be begun: ${errors.join(' ')}`);
  try {
    for (const { path, html } of pages) {
      const added = await index.addHTMLFile({ url: path, content: questionsAsHeadings(html) });
      if (added.errors.length > 0) throw new Error(`${path} could not be indexed: ${added.errors.join(' ')}`);
    }
    const made = await index.getFiles();
    if (made.errors.length > 0)
      throw new Error(`The search index could not be made: ${made.errors.join(' ')}`);
    for (const { path, content } of made.files) {
      if (UNUSED.test(path)) continue;
      const file = join(output, 'pagefind', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  } finally {
    await close();
  }
}
