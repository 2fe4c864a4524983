import { afterEach, expect, it } from 'vitest';
import { provideTranslation, t } from './locale.ts';
import { intlTag, localizePath, tCount, translateTexts } from './locale-texts.ts';

afterEach(() => provideTranslation(() => null));

const useArabic = () =>
  provideTranslation(() => ({
    tag: 'ar-u-nu-latn',
    prefix: '/ar',
    pages: ['/', '/faq'],
    texts: {
      Close: 'إغلاق',
      'Open {wallet}': 'افتح {wallet}',
      '{count} results': { one: 'نتيجة واحدة', few: '{count} نتائج', other: '{count} نتيجة' },
    },
  }));

it('texts, paths and formats are English without a translation', () => {
  expect(t('Open {wallet}', { wallet: 'Phantom' })).toBe('Open Phantom');
  expect([tCount(1, '1 result', '{count} results'), tCount(3, '1 result', '{count} results')]).toEqual([
    '1 result',
    '3 results',
  ]);
  expect(localizePath('/faq#lock')).toBe('/faq#lock');
  expect(intlTag('en-GB')).toBe('en-GB');
});

it('a text is translated, and the values in it keep their direction', () => {
  useArabic();
  expect(t('Open {wallet}', { wallet: 'Phantom' })).toBe('افتح \u2068Phantom\u2069');
  expect(tCount(1, '1 result', '{count} results')).toBe('نتيجة واحدة');
  expect(tCount(3, '1 result', '{count} results')).toBe('\u20683\u2069 نتائج');
  expect(tCount(100, '1 result', '{count} results')).toBe('\u2068100\u2069 نتيجة');
  expect(translateTexts({ close: 'Close', path: '/faq', list: ['Close', 3, null] })).toEqual({
    close: 'إغلاق',
    path: '/faq',
    list: ['إغلاق', 3, null],
  });
});

it('an English text without a translation keeps its direction', () => {
  useArabic();
  expect(t('{a} of {b}', { a: 1, b: 2 })).toBe('\u2066\u20681\u2069 of \u20682\u2069\u2069');
});

it('a path changes only if its page exists in the language of the current page', () => {
  useArabic();
  expect(['/', '/faq', '/faq#lock', '/contact', '/faqs', 'https://x.example/'].map(localizePath)).toEqual([
    '/ar',
    '/ar/faq',
    '/ar/faq#lock',
    '/contact',
    '/faqs',
    'https://x.example/',
  ]);
});

it('a number on an Arabic page has Latin digits', () => {
  useArabic();
  expect(new Intl.NumberFormat(intlTag()).format(1_234.5)).toBe('1,234.5');
});
