import { type CollectionEntry, type CollectionKey, getEntry, type RenderResult, render } from 'astro:content';
import { readFileSync } from 'node:fs';
import { pageLanguage } from '../locale/page-language.ts';
import { factsOf, fingerprintOf } from '../locale/translations.ts';
import { resolveFacts } from './facts.ts';

export interface LocalizedText {
  readonly Content: RenderResult['Content'];
  readonly headings: RenderResult['headings'];
  /** The translated question; null if there is none. */
  readonly question: string | null;
  /** Whether the text is in English although the page is not, because the translation is missing or outdated. */
  readonly isFallback: boolean;
}

export async function renderLocalized(entry: CollectionEntry<CollectionKey>): Promise<LocalizedText> {
  const language = pageLanguage();
  const file = entry.filePath ?? '';
  const translation = language
    ? await getEntry('translations', `${language}/${file.replace(/^content\/|\.mdx$/g, '')}`)
    : undefined;
  const isCurrent =
    translation !== undefined && translation.data.source === fingerprintOf(readFileSync(file, 'utf8'));
  const { Content, headings } = await render(isCurrent ? translation : entry);
  const question = isCurrent && language ? translation.data.question : undefined;
  return {
    Content,
    headings,
    question: question && language ? resolveFacts(question, factsOf(language)) : null,
    isFallback: language !== null && !isCurrent,
  };
}

export const fallbackAttributes = (isFallback: boolean) =>
  isFallback ? ({ lang: 'en', dir: 'ltr' } as const) : {};
