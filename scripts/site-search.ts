import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { close, createIndex } from 'pagefind';
import type { BuiltPage } from './built-pages.ts';

/** Pagefind's interface files, and its code for pages in an unknown language. The site uses neither. */
const UNUSED = /^(?:pagefind-(?:ui|modular-ui|component-ui|highlight)|wasm\.unknown)\b/;
/** Elements that say nothing about a page: links, controls, card artwork, and placeholders for figures. */
const SKIPPED_SELECTORS = [
  'nav',
  'form',
  'button',
  'noscript',
  '[hidden]',
  '[aria-hidden="true"]',
  '[data-sections]',
  '[data-reference]',
  '.script-only',
  '.without-script',
  'span.visually-hidden',
  '[aria-busy="true"]:not([data-size])',
];

/** Turns questions in <details> into headings, so that each is a separate result. */
export function questionsAsHeadings(html: string): string {
  return html.replaceAll(
    /<details([^>]*\sid="?[\w-]+"?[^>]*)>\s*<summary[^>]*>([^<]+)<\/summary>/g,
    '<h3$1>$2</h3><details>',
  );
}

/**
 * Writes a search index of the pages into the built site's `pagefind/` folder.
 * @throws {Error} that names the page, if a page cannot be indexed
 */
export async function writeSearchIndex(pages: readonly BuiltPage[], output: string): Promise<void> {
  const { index, errors } = await createIndex({ excludeSelectors: SKIPPED_SELECTORS });
  if (!index) throw new Error(`The search index could not be created: ${errors.join(' ')}`);
  try {
    for (const { path, html } of pages) {
      const addOutcome = await index.addHTMLFile({ url: path, content: questionsAsHeadings(html) });
      if (addOutcome.errors.length > 0)
        throw new Error(`${path} could not be indexed: ${addOutcome.errors.join(' ')}`);
    }
    const writeOutcome = await index.getFiles();
    if (writeOutcome.errors.length > 0)
      throw new Error(`The search index could not be written: ${writeOutcome.errors.join(' ')}`);
    for (const { path, content } of writeOutcome.files) {
      if (UNUSED.test(path)) continue;
      const file = join(output, 'pagefind', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  } finally {
    await close();
  }
}
