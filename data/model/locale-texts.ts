import { currentTranslation, fillText, type TextValues, t } from './locale.ts';

/**
 * The singular or plural text in the language of the page. `{count}` is replaced by the count, unless `values` is given.
 */
export function tCount(count: number, one: string, other: string, values: TextValues = { count }): string {
  const current = currentTranslation();
  const forms = current?.texts[other];
  if (!current || typeof forms !== 'object') return t(count === 1 ? one : other, values);
  const form = forms[new Intl.PluralRules(current.tag).select(count)] ?? forms.other;
  return form === undefined ? t(other, values) : fillText(form, values, current);
}

/** The same value with every text in it translated. Other strings, such as paths, have no translation and stay unchanged. */
export function translateTexts<Value>(value: Value): Value {
  const current = currentTranslation();
  if (!current) return value;
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const translated = current.texts[part];
      return typeof translated === 'string' ? translated : part;
    }
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null || part instanceof Date) return part;
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, walk(one)]));
  };
  return walk(value) as Value;
}

/** The tag of the page's language for `Intl`. English pages use `english`. */
export const intlTag = (english = 'en-US') => currentTranslation()?.tag ?? english;

/** The path of a page in the language of the current page. If the page exists only in English, its path does not change. */
export function localizePath(path: string): string {
  const current = currentTranslation();
  const [page = ''] = path.split(/[#?]/, 1);
  if (!current?.pages.includes(page)) return path;
  return `${current.prefix}${page === '/' ? '' : page}${path.slice(page.length)}`;
}
