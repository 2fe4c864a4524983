import { currentTranslation, isolate, type PluralForms, type Translation } from '../../data/model/locale.ts';

interface Pattern {
  readonly regExp: RegExp;
  readonly names: readonly string[];
  readonly translated: string | PluralForms;
}

interface Lookup {
  readonly patterns: readonly Pattern[];
  /** Caches the results, because islands render the same texts many times. */
  readonly cache: Map<string, string | null>;
}

const lookups = new WeakMap<Translation['texts'], Lookup>();
/** The maximum number of cached texts. The cache needs a limit, because texts with a running clock change every second. */
const MAX_CACHED = 1_000;

/** `{count}` matches a number. Any other placeholder matches any text. */
const CAPTURES = { count: '(\\d[\\d,]*)', other: '([\\s\\S]+?)' } as const;

export const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function lookupOf(texts: Translation['texts']): Lookup {
  const cached = lookups.get(texts);
  if (cached) return cached;
  const patterns = Object.entries(texts)
    .filter(([english]) => /\{\w+\}/.test(english))
    // The pattern with the most literal characters is the best match.
    .sort(([a], [b]) => b.replace(/\{\w+\}/g, '').length - a.replace(/\{\w+\}/g, '').length)
    .map(([english, translated]): Pattern => {
      const parts = english.split(/\{(\w+)\}/);
      const source = parts.map((part, index) =>
        index % 2 === 0 ? escapeRegExp(part) : CAPTURES[part === 'count' ? 'count' : 'other'],
      );
      return {
        regExp: new RegExp(`^${source.join('')}$`),
        names: parts.filter((_, index) => index % 2 === 1),
        translated,
      };
    });
  const lookup = { patterns, cache: new Map<string, string | null>() };
  lookups.set(texts, lookup);
  return lookup;
}

function fillPattern(
  translation: Translation,
  { translated, names }: Pattern,
  captures: readonly string[],
): string | null {
  const values = new Map(names.map((name, index) => [name, captures[index] ?? '']));
  const pluralForm = () => {
    if (typeof translated === 'string') return translated;
    const count = Number(values.get('count')?.replaceAll(',', ''));
    return translated[new Intl.PluralRules(translation.tag).select(count)] ?? translated.other;
  };
  return (
    pluralForm()?.replace(/\{(\w+)\}/g, (_, name) => {
      const value = values.get(name) ?? '';
      return localizedText(translation, value) ?? isolate(value);
    }) ?? null
  );
}

function findTranslation(translation: Translation, text: string): string | null {
  const translated = Object.hasOwn(translation.texts, text) ? translation.texts[text] : undefined;
  if (typeof translated === 'string') return translated;
  if (!/[A-Za-z]/.test(text)) return null;
  for (const pattern of lookupOf(translation.texts).patterns) {
    const match = pattern.regExp.exec(text);
    if (match) return fillPattern(translation, pattern, match.slice(1));
  }
  return null;
}

/**
 * Translates an English text. Looks for the exact text, then for a pattern with placeholders: `'12 s ago'` matches
 * `'{count} s ago'`. The value of a placeholder is translated as well. Leading and trailing spaces are kept.
 * @returns null if there is no translation
 */
export function localizedText(translation: Translation, english: string): string | null {
  const { cache } = lookupOf(translation.texts);
  const cached = cache.get(english);
  if (cached !== undefined) return cached;
  const [, leadingSpace = '', text = '', trailingSpace = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(english) ?? [];
  const translated = text === '' ? null : findTranslation(translation, text);
  const localized = translated === null ? null : `${leadingSpace}${translated}${trailingSpace}`;
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(english, localized);
  return localized;
}

export function translateForPage(english: string): string {
  const pageTranslation = currentTranslation();
  return (pageTranslation && localizedText(pageTranslation, english)) ?? english;
}
