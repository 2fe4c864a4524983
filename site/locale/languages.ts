import { readdirSync } from 'node:fs';

/** The site's languages other than English. */
export const LANGUAGES = {
  // Latin digits, because visitors compare amounts and addresses with wallets and explorers, which show and expect Latin digits.
  ar: { tag: 'ar-u-nu-latn', dir: 'rtl', name: 'العربية', short: 'ع' },
} as const;

export type Language = keyof typeof LANGUAGES;

const isLanguage = (text: string): text is Language => Object.hasOwn(LANGUAGES, text);

/** The language of a path (null for English), and the path of the English page: `/ar/faq` is `/faq` in `ar`. */
export function splitPath(path: string): { readonly language: Language | null; readonly page: `/${string}` } {
  const [, language = '', rest = ''] = /^\/([a-z]{2})(?:\.html)?(\/.*)?$/.exec(path) ?? [];
  if (!isLanguage(language)) return { language: null, page: path as `/${string}` };
  return { language, page: (rest || '/') as `/${string}` };
}

export const pathIn = (language: Language, page: string): `/${string}` =>
  `/${language}${page === '/' ? '' : page}`;

/** The English paths of the pages that exist in a language: one file each in `site/pages/<language>/`. */
export function translatedPages(language: Language): readonly `/${string}`[] {
  return readdirSync(`site/pages/${language}`)
    .sort()
    .map((file): `/${string}` => (file === 'index.astro' ? '/' : `/${file.replace(/\.astro$/, '')}`));
}

/** The languages other than English in which a page exists. */
export function languagesOf(page: string): readonly Language[] {
  return (Object.keys(LANGUAGES) as Language[]).filter((language) =>
    translatedPages(language).some((path) => path === page),
  );
}
