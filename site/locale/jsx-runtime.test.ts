import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, it } from 'vitest';
import { provideTranslation, type Translation } from '../../data/model/locale.ts';
import { jsx, jsxs } from './jsx-runtime.ts';

const ARABIC: Translation = {
  tag: 'ar-u-nu-latn',
  prefix: '/ar',
  pages: ['/', '/faq'],
  texts: {
    Copy: 'انسخ',
    Close: 'إغلاق',
    constructor: 'بناء',
    'the stake': 'التخزين',
    'Retry {what}': 'أعد المحاولة: {what}',
    '{count} min ago': { one: 'قبل دقيقة', two: 'قبل دقيقتين', other: 'قبل {count} دقيقة' },
    'Locked for {count} days.': 'مقفل {count} يومًا.',
  },
};

afterEach(() => provideTranslation(() => null));

const renderInArabic = (type: 'a' | 'bdi' | 'p' | 'option', props: Record<string, unknown>) => {
  provideTranslation(() => ARABIC);
  return renderToStaticMarkup((Array.isArray(props.children) ? jsxs : jsx)(type, props));
};

it('changes nothing on an English page', () => {
  const props = { href: '/faq', title: 'Close', children: ['Copy', ' ', '+1.5%'] };
  expect(renderToStaticMarkup(jsxs('a', props))).toBe('<a href="/faq" title="Close">Copy +1.5%</a>');
});

it('translates texts and labels, and keeps the spaces around them', () => {
  expect(
    renderInArabic('p', { 'aria-label': 'Close', className: 'Close', children: [' Copy ', 'toString'] }),
  ).toBe('<p aria-label="إغلاق" class="Close"> انسخ toString</p>');
});

it('marks English text, but not names, and keeps the direction of amounts', () => {
  expect(renderInArabic('p', { children: 'Not in the file' })).toBe(
    '<p><span lang="en" dir="ltr">Not in the file</span></p>',
  );
  expect(renderInArabic('option', { children: 'Not in the file' })).toBe('<option>Not in the file</option>');
  expect(renderInArabic('p', { children: 'BD' })).toBe('<p>BD</p>');
  expect(renderInArabic('p', { children: '+1.5%' })).toBe('<p>\u2066+1.5%\u2069</p>');
  expect(renderInArabic('p', { children: '−$5.00' })).toBe('<p>\u2066−$5.00\u2069</p>');
  expect(renderInArabic('p', { children: ['+', 1, '%'] })).toBe('<p>\u2066+1%\u2069</p>');
});

it('translates texts with placeholders, and the values of the placeholders', () => {
  expect(renderInArabic('p', { children: 'Retry the stake' })).toBe('<p>أعد المحاولة: التخزين</p>');
  expect(renderInArabic('p', { children: 'Retry 4Mv…ie4' })).toBe('<p>أعد المحاولة: \u20684Mv…ie4\u2069</p>');
  expect(renderInArabic('p', { children: '2 min ago' })).toBe('<p>قبل دقيقتين</p>');
  expect(renderInArabic('p', { children: '1,300 min ago' })).toBe('<p>قبل \u20681,300\u2069 دقيقة</p>');
  expect(renderInArabic('p', { children: 'ten min ago' })).toContain('lang="en"');
});

it('translates adjacent texts and values as one text, and keeps the position of other children', () => {
  const mark = jsx('b', { children: 'Copy' });
  expect(renderInArabic('p', { children: ['Locked for ', 180, ' days.', null, mark, ' ', 'Copy'] })).toBe(
    '<p>مقفل \u2068180\u2069 يومًا.<b>Copy</b> انسخ</p>',
  );
});

it('does not translate data', () => {
  expect(renderInArabic('p', { translate: 'no', children: 'Close' })).toBe('<p translate="no">Close</p>');
  expect(renderInArabic('bdi', { children: 'Copy' })).toBe('<bdi>Copy</bdi>');
});

it('points links to translated pages, and marks links to pages that exist only in English', () => {
  const link = (href: string) => renderInArabic('a', { href });
  expect(link('/faq#lock')).toBe('<a href="/ar/faq#lock"></a>');
  expect(link('/')).toBe('<a href="/ar"></a>');
  expect(link('/analytics')).toBe('<a href="/analytics" hrefLang="en"></a>');
  expect(link('https://x.example/')).toBe('<a href="https://x.example/"></a>');
  expect(link('/note.pdf')).toBe('<a href="/note.pdf"></a>');
});
