/*
 * Texts in the language of the page. English texts are in the code. A page in another language contains its translation as JSON,
 * and a text without a translation stays English. Every page loads this file, so functions that few pages need are in
 * `locale-texts.ts`.
 */

export interface Translation {
  /** For `Intl`, such as `ar-u-nu-latn`. */
  readonly tag: string;
  /** Translations by English text. A text with plural forms is listed under its English plural. */
  readonly texts: Readonly<Record<string, string | PluralForms>>;
  /** The path prefix of the language's pages, such as `/ar`. */
  readonly prefix: string;
  /** The English paths of the pages that exist in this language. */
  readonly pages: readonly string[];
}

export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

export type TextValues = Readonly<Record<string, string | number>>;

export const TRANSLATION_ID = 'translation';

/** The page's translation, parsed once when this script loads in a browser; null on the server and on English pages. */
const pageTranslation: Translation | null = JSON.parse(
  globalThis.document?.getElementById(TRANSLATION_ID)?.textContent || 'null',
);
let readOnServer: () => Translation | null = () => null;

/** Sets how the server looks up the translation for the page being rendered. */
export function provideTranslation(read: () => Translation | null): void {
  readOnServer = read;
}

/** The translation of the page; null on an English page. */
export const currentTranslation = (): Translation | null => pageTranslation ?? readOnServer();

/** Lets a value, such as an address or an amount, keep its direction inside text of another direction. */
export const isolate = (value: string) => `\u2068${value}\u2069`;

export function fillText(text: string, values: TextValues, current: Translation | null): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name) => {
    const value = String(values[name] ?? placeholder);
    return current ? isolate(value) : value;
  });
}

/** A text in the language of the page, with `{name}` replaced by values. */
export function t(english: string, values: TextValues = {}): string {
  const current = currentTranslation();
  const translated = current?.texts[english];
  // English text on a page in another language keeps its direction, and the build marks it as English.
  const text = typeof translated === 'string' ? translated : current ? `\u2066${english}\u2069` : english;
  return fillText(text, values, current);
}
