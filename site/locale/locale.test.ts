// @module-tag slow
import { expect, it } from 'vitest';
import { FACTS } from '../../data/model/facts/facts.ts';
import { islandTextCoverage, unusedIslandTexts } from '../../scripts/island-texts.ts';
import { splitPath, translatedPages } from './languages.ts';
import { localizeHtml } from './localize-html.ts';
import { localizedFact } from './localized-facts.ts';
import { coverageOf, fingerprintOf, textFiles } from './translations.ts';

const TAG = 'ar-u-nu-latn';
const ARABIC_SCRIPT = /\p{Script=Arabic}/u;
const placeholders = (text: string) => [...text.matchAll(/\{+\w+\}+/g)].map(([one]) => one).sort();

it('translations have the same placeholders as the English texts', () => {
  for (const { file, texts } of textFiles('ar')) {
    for (const [english, translation] of Object.entries(texts)) {
      if (typeof translation === 'string')
        expect(placeholders(translation), `${file}: ${english}`).toEqual(placeholders(english));
      else {
        // Some plural forms have a word instead of the number.
        const { other, ...rest } = translation;
        expect(placeholders(other ?? ''), `${file}: ${english}`).toEqual(placeholders(english));
        for (const form of Object.values(rest).filter((one) => one !== undefined))
          expect(placeholders(english)).toEqual(expect.arrayContaining(placeholders(form)));
      }
    }
  }
});

it('nearly every file has an up-to-date translation', () => {
  const { files, outdated, missing } = coverageOf('ar');
  expect(files.length).toBeGreaterThan(60);
  expect({ outdated: outdated.length, missing: missing.length }).toEqual({
    outdated: expect.any(Number),
    missing: expect.any(Number),
  });
  expect((outdated.length + missing.length) / files.length, [...outdated, ...missing].join(' ')).toBeLessThan(
    0.15,
  );
});

it('nearly every text of the islands is translated, and no removed text still has a translation', () => {
  const { share, untranslated } = islandTextCoverage('ar');
  expect(share, untranslated.map(({ file, text }) => `${file}: ${text}`).join('\n')).toBeGreaterThan(0.85);
  expect(unusedIslandTexts('ar')).toEqual([]);
});

it('a fingerprint changes with the English question or answer, but not with the phrasings for the assistant', () => {
  const fingerprint = (question: string, phrasing: string, body: string) =>
    fingerprintOf(`---\nquestion: ${question}\norder: 10\naskedAs:\n  - ${phrasing}\n---\n\n${body}\n`);
  const first = fingerprint('How long?', 'lock time', '180 days.');
  expect(fingerprint('How long?', 'other words', '180 days.')).toBe(first);
  expect(fingerprint('How short?', 'lock time', '180 days.')).not.toBe(first);
  expect(fingerprint('How long?', 'lock time', '90 days.')).not.toBe(first);
});

it('facts are formatted for the language, but amounts stay the same', () => {
  expect(localizedFact('24 hours', TAG)).toBe('\u206824 ساعة\u2069');
  expect(localizedFact('2 to 4 hours', TAG)).toBe('\u20682–4 ساعات\u2069');
  expect(localizedFact('February 2026', TAG)).toBe('\u2068فبراير 2026\u2069');
  expect(localizedFact('1,500,000 BD', TAG)).toBe('\u20681,500,000 BD\u2069');
  for (const name of ['lostStakeDays', 'topUpByHand', 'loanPaymentMonths', 'vaultHeldStated'] as const)
    expect(localizedFact(FACTS[name], TAG), name).toMatch(ARABIC_SCRIPT);
});

it('a path is split into its language and its page', () => {
  expect(splitPath('/ar')).toEqual({ language: 'ar', page: '/' });
  expect(splitPath('/ar/faq')).toEqual({ language: 'ar', page: '/faq' });
  expect(splitPath('/art')).toEqual({ language: null, page: '/art' });
  expect(translatedPages('ar')).toContain('/faq');
});

it('localized HTML links to translated pages, and marks links to English pages and English text', () => {
  const localizePath = (path: string) => (path === '/faq' ? '/ar/faq' : path);
  const localize = (text: string) => localizeHtml(text, localizePath);
  expect(localize('<a class="x" href="/faq">')).toBe('<a class="x" href="/ar/faq">');
  expect(localize('<a href="/terms">')).toBe('<a hreflang="en" href="/terms">');
  expect(localize('<a href="/note.pdf"><a href="https://x.example/"><a href="//x.example/">')).not.toContain(
    'hreflang',
  );
  expect(localize('<a href="/faq" hreflang="en">')).toBe('<a href="/faq" hreflang="en">');
  const marked = '\u2066Close\u2069';
  expect(localize(`<p title="${marked}">${marked}</p>`)).toBe(
    `<p title="${marked}"><span lang="en" dir="ltr">Close</span></p>`,
  );
  const untouched = `<script>${marked}</script><astro-island><p>${marked}</p></astro-island>`;
  expect(localize(untouched)).toBe(untouched);
});
