import { isolate } from '../../data/model/locale.ts';
import type { FactTexts } from '../content/facts.ts';

const DURATION = /^(\d+)(?: to (\d+))? (second|minute|hour|day|month|year)s?$/;
const MONTH = /^([A-Z][a-z]+) (\d{4})$/;
const TWO_MONTHS = /^([A-Z][a-z]+) and ([A-Z][a-z]+)$/;
const ABOUT = /^about (.+)$/;

const monthDate = (month: string, year = '2000') => new Date(`1 ${month} ${year} 12:00 UTC`);

/** “About” before an amount, by language, because `Intl` does not translate “about”. `{amount}` is the rest of the fact. */
const ABOUT_IN: Readonly<Record<string, string>> = { ar: 'نحو {amount}' };

/** A fact in the language `tag`. Translates durations, months and a leading “about”, and leaves everything else unchanged. */
export function localizedFact(text: string, tag: string): string {
  const [, from, to, unit] = DURATION.exec(text) ?? [];
  if (from !== undefined && unit !== undefined) {
    const format = new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' });
    return isolate(
      to === undefined ? format.format(Number(from)) : format.formatRange(Number(from), Number(to)),
    );
  }
  const [, month, year] = MONTH.exec(text) ?? [];
  if (month !== undefined && year !== undefined) {
    const options = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
    return isolate(monthDate(month, year).toLocaleDateString(tag, options));
  }
  const [, ...months] = TWO_MONTHS.exec(text) ?? [];
  if (months.length > 0) {
    const names = months.map((one) =>
      monthDate(one).toLocaleDateString(tag, { month: 'long', timeZone: 'UTC' }),
    );
    return isolate(new Intl.ListFormat(tag).format(names));
  }
  const [, amount] = ABOUT.exec(text) ?? [];
  const about = ABOUT_IN[new Intl.Locale(tag).language];
  if (amount !== undefined && about !== undefined) return about.replace('{amount}', isolate(amount));
  return isolate(text);
}

/** Localizes each fact, except those with an email address, because they become links. */
export function localizedFacts(facts: FactTexts, tag: string): FactTexts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, text]) => [name, text.includes('@') ? text : localizedFact(text, tag)]),
  );
}
