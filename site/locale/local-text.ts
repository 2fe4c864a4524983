import { isolate, type PluralForms, type Translation, translation } from '../../data/model/locale.ts';

interface Pattern {
  readonly find: RegExp;
  readonly names: readonly string[];
  readonly own: string | PluralForms;
}

interface Lookup {
  readonly patterns: readonly Pattern[];
  /** Caches the results, because islands render the same texts many times. */
  readonly known: Map<string, string | null>;
}

const lookups = new WeakMap<Translation['texts'], Lookup>();
/** Limits the cache, because texts with a clock change every second. */
const MAX_KNOWN = 1_000;

/** `{count}` stands for a number, any other placeholder for any text. */
const CAPTURES = { count: '(\\d[\\d,]*)', other: '([\\s\\S]+?)' } as const;

/** A text as the source of a regular expression. */
export const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function lookupOf(texts: Translation['texts']): Lookup {
  const found = lookups.get(texts);
  if (found) return found;
  const patterns = Object.entries(texts)
    .filter(([english]) => /\{\w+\}/.test(english))
    // The text with the most literal letters is the best match.
    .sort(([a], [b]) => b.replace(/\{\w+\}/g, '').length - a.replace(/\{\w+\}/g, '').length)
    .map(([english, own]): Pattern => {
      const parts = english.split(/\{(\w+)\}/);
      const source = parts.map((part, index) =>
        index % 2 === 0 ? escaped(part) : CAPTURES[part === 'count' ? 'count' : 'other'],
      );
      return {
        find: new RegExp(`^${source.join('')}$`),
        names: parts.filter((_, index) => index % 2 === 1),
        own,
      };
    });
  const lookup = { patterns, known: new Map<string, string | null>() };
  lookups.set(texts, lookup);
  return lookup;
}

function filled(found: Translation, { own, names }: Pattern, captured: readonly string[]): string | null {
  const values = new Map(names.map((name, index) => [name, captured[index] ?? '']));
  const form = () => {
    if (typeof own === 'string') return own;
    const count = Number(values.get('count')?.replaceAll(',', ''));
    return own[new Intl.PluralRules(found.tag).select(count)] ?? own.other;
  };
  return (
    form()?.replace(/\{(\w+)\}/g, (_, name) => {
      const value = values.get(name) ?? '';
      return localText(found, value) ?? isolate(value);
    }) ?? null
  );
}

function search(found: Translation, text: string): string | null {
  const own = Object.hasOwn(found.texts, text) ? found.texts[text] : undefined;
  if (typeof own === 'string') return own;
  if (!/[A-Za-z]/.test(text)) return null;
  for (const pattern of lookupOf(found.texts).patterns) {
    const captured = pattern.find.exec(text);
    if (captured) return filled(found, pattern, captured.slice(1));
  }
  return null;
}

/**
 * A text in another language, by its English text or by a text with placeholders that matches it: `'12 s ago'` matches
 * `'{count} s ago'`. The value of a placeholder is translated as well. Spaces at the ends are kept. Null without a translation.
 */
export function localText(found: Translation, english: string): string | null {
  const { known } = lookupOf(found.texts);
  const before = known.get(english);
  if (before !== undefined) return before;
  const [, start = '', text = '', end = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(english) ?? [];
  const own = text === '' ? null : search(found, text);
  const local = own === null ? null : `${start}${own}${end}`;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(english, local);
  return local;
}

/** A text of a script in the language of its page, or in English. */
export function inPageLanguage(english: string): string {
  const found = translation();
  return (found && localText(found, english)) ?? english;
}
