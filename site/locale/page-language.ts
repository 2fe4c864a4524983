import { AsyncLocalStorage } from 'node:async_hooks';
import { provideTranslation, type Translation } from '../../data/model/locale.ts';
import { LANGUAGES, type Language, languagesOf, pathIn } from './languages.ts';
import { builtTranslation } from './translations.ts';

/** The language of the page being rendered, and the texts in that language; null for English. */
const renderedLanguage = new AsyncLocalStorage<{ language: Language; translation: Translation } | null>();

export const pageLanguage = (): Language | null => renderedLanguage.getStore()?.language ?? null;

provideTranslation(() => renderedLanguage.getStore()?.translation ?? null);

export const renderIn = <Result>(language: Language | null, render: () => Result): Result =>
  renderedLanguage.run(language && { language, translation: builtTranslation(language) }, render);

/** The path of `page` in the language of the page being rendered, or its English path if it has no translation. */
export function pathOfPage(page: `/${string}`): `/${string}` {
  const language = pageLanguage();
  return language && languagesOf(page).includes(language) ? pathIn(language, page) : page;
}

/** The language versions of a page, English first. Empty if the page exists only in English. */
export function versionsOf(page: `/${string}`) {
  const languages = languagesOf(page);
  if (languages.length === 0) return [];
  const english = { language: 'en' as const, name: 'English', short: 'EN', path: page };
  return [
    english,
    ...languages.map((language) => {
      const { name, short } = LANGUAGES[language];
      return { language, name, short, path: pathIn(language, page) };
    }),
  ];
}
