import { readdirSync } from 'node:fs';

/** The languages of the site besides English. */
export const LANGUAGES = {
  // Latin digits, because visitors compare amounts and addresses with wallets and explorers, which show and expect Latin digits.
  ar: { tag: 'ar-u-nu-latn', dir: 'rtl', name: 'العربية', short: 'ع' },
} as const;

export type Language = keyof typeof LANGUAGES;

const isLanguage = (text: string): text is Language => Object.hasOwn(LANGUAGES, text);

/** The language of a path, and the path of the same page in English: `/ar/faq` is `/faq` in `ar`. */
export function splitPath(path: string): { readonly language: Language | null; readonly page: `/${string}` } {
  const [, language = '', rest = ''] = /^\/([a-z]{2})(?:\.html)?(\/.*)?$/.exec(path) ?? [];
  if (!isLanguage(language)) return { language: null, page: path as `/${string}` };
  return { language, page: (rest || '/') as `/${string}` };
}

/** The path of an English page in a language. */
export const pathIn = (language: Language, page: string): `/${string}` =>
  `/${language}${page === '/' ? '' : page}`;

/** The English paths of the pages that exist in a language: one file each in `site/pages/<language>/`. */
export function translatedPages(language: Language): readonly `/${string}`[] {
  return readdirSync(`site/pages/${language}`)
    .sort()
    .map((file): `/${string}` => (file === 'index.astro' ? '/' : `/${file.replace(/\.astro$/, '')}`));
}

/** The languages besides English in which a page exists. */
export function languagesOf(page: string): readonly Language[] {
  return (Object.keys(LANGUAGES) as Language[]).filter((language) =>
    translatedPages(language).some((path) => path === page),
  );
}
