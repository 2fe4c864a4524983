import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getAttributeValue, getElementsByTagName, textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';
import type { ChatBook } from '../api/chat/chat-book.ts';
import { figurePage } from '../api/chat/figure-answers.ts';
import { REQUESTED_FIGURES } from '../api/chat/question-kind.ts';
import { splitPath } from '../site/locale/languages.ts';
import type { Section, SectionIndex } from '../site/shell/search/section-search.ts';
import type { BuiltPage } from './built-pages.ts';
import { passagesOf } from './chat-book.ts';

/** The root folder of the built site contains the English index. The folder of each other language contains its own. */
export const SECTION_INDEX_FILE = 'section-index.json';
/** How many of the most frequent English words the search never corrects. More words would not improve the results. */
const COMMON_WORD_COUNT = 1_000;
const OWN_STAKE_PAGE = '/my-position';

/** The page or section that a passage of the assistant links to; null for an unknown figure. */
function hrefOf({ href, kind, figure }: ChatBook['passages'][number]): string | null {
  if (kind === 'own-stake') return OWN_STAKE_PAGE;
  if (kind !== 'figure') return href;
  const name = REQUESTED_FIGURES.find((one) => one === figure);
  return name ? figurePage(name) : null;
}

function phrasingsOf(passages: ChatBook['passages']): ReadonlyMap<string, ReadonlySet<string>> {
  const phrasings = new Map<string, Set<string>>();
  for (const passage of passages) {
    const href = hrefOf(passage);
    if (href === null) continue;
    const lines = phrasings.get(href) ?? new Set();
    phrasings.set(href, lines);
    for (const line of passage.askedAs) lines.add(line);
  }
  return phrasings;
}

/** An entry for the page, with its heading and description, followed by the page's sections. */
function sectionsOf({ path, html }: Pick<BuiltPage, 'path' | 'html'>): readonly Omit<Section, 'askedAs'>[] {
  const document = parseDocument(html);
  const [heading] = getElementsByTagName('h1', document, true, 1);
  if (!heading) return [];
  const page = textContent(heading).trim();
  const description = getElementsByTagName('meta', document).find(
    ({ attribs }) => attribs.name === 'description',
  );
  const text = (description && getAttributeValue(description, 'content')) ?? '';
  return [{ href: path, title: page, page, text }, ...passagesOf({ path, html })];
}

/** The entries that the site's searches rank: pages, their sections and the questions, with the assistant's phrasings. */
export function sectionIndexOf(
  pages: readonly Pick<BuiltPage, 'path' | 'html'>[],
  { passages, commonWords }: Pick<ChatBook, 'passages' | 'commonWords'>,
): SectionIndex {
  const phrasings = phrasingsOf(passages);
  return {
    sections: pages
      .flatMap(sectionsOf)
      .map((section) => ({ ...section, askedAs: [...(phrasings.get(section.href) ?? [])] })),
    commonWords: commonWords.split(' ').slice(0, COMMON_WORD_COUNT).join(' '),
  };
}

/** Writes the index of the pages that search engines may list, including the phrasings in the assistant's book. */
export async function writeSectionIndex(
  pages: readonly BuiltPage[],
  book: Pick<ChatBook, 'passages' | 'commonWords'>,
  output: string,
): Promise<void> {
  const listedPages = pages.filter(({ isListed }) => isListed);
  const byLanguage = Map.groupBy(listedPages, ({ path }) => splitPath(path).language ?? '');
  for (const [language, languagePages] of byLanguage) {
    // Only the English index has phrasings, because the assistant answers in English.
    const index = sectionIndexOf(languagePages, language === '' ? book : { passages: [], commonWords: '' });
    await mkdir(join(output, language), { recursive: true });
    await writeFile(join(output, language, SECTION_INDEX_FILE), JSON.stringify(index));
  }
}
