import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  areTypableLines,
  characterCount,
  cleanLine,
  cleanLines,
  isMailAddress,
  isTypableLine,
  telegramName,
} from './form-text.ts';
import { anyText } from './testing/any-text.ts';

const anyShortText = anyText({ maxLength: 60 });

describe('a typed text', () => {
  it.each([
    ['  Ada  ', 'Ada'],
    ['\u00a0\u3000Ada\u2003', 'Ada'],
    ['\u200b\u2060Ada\ufeff\u00ad', 'Ada'],
    ['\u200b\u200b', ''],
    ['\u3164', ''],
    ['Ade\u0301le', 'Ad\u00e9le'],
    ['نام\u200cخانوادگی', 'نام\u200cخانوادگی'],
    ['👩\u200d🚀', '👩\u200d🚀'],
    ['O’Brien-Łukasz Jr.', 'O’Brien-Łukasz Jr.'],
  ])('%j is stored as %j', (typed, stored) => {
    expect(cleanLine(typed)).toBe(stored);
  });

  it('is not changed by a second cleaning', () => {
    fc.assert(
      fc.property(anyShortText, (text) => {
        const cleaned = cleanLines(text);
        expect(cleanLines(cleaned)).toBe(cleaned);
        expect(cleaned).toBe(cleaned.trim());
        expect(cleaned).not.toContain('\r');
      }),
    );
  });

  it('loses invisible characters only at its ends', () => {
    const ends = fc.string({
      unit: fc.constantFrom(' ', '\t', '\n', '\u00a0', '\u200b', '\ufeff', '\u2060'),
    });
    const word = fc
      .string({ unit: fc.constantFrom('a', 'Ж', '字', '🦆', '-', ' x'), minLength: 1 })
      .map((text) => `a${text}`);
    fc.assert(
      fc.property(ends, word, ends, (before, text, after) => {
        expect(cleanLine(before + text + after)).toBe(text);
      }),
    );
  });

  it.each([`x${' '.repeat(1_000_000)}y`, `a${'\u0301'.repeat(500_000)}${'\u0316'.repeat(500_000)}`])(
    'is cleaned in linear time (text %#)',
    (text) => {
      expect(cleanLine(text)).toBe(text);
    },
  );

  it.each([
    `e${'\u0301'.repeat(31)}`,
    'a\u0000b',
    'a\u0007b',
    'a\u001b[31m',
    'a\u007f',
    'a\u0085b',
    'a\u2028b',
    'a\u202eb',
    'a\u2067b',
    'a\ud800',
    '\udc00a',
    'a\uffff',
    'a\nb',
    'a\tb',
    'a\r\nBcc: x',
  ])('is not accepted as one line: %j', (text) => {
    expect(isTypableLine(text)).toBe(false);
  });

  it('may have up to 30 combining marks in a row', () => {
    expect(isTypableLine(`e${'\u0301'.repeat(30)}`)).toBe(true);
  });

  it('may contain line feeds and tabs in a field for several lines, but no other control characters', () => {
    expect(areTypableLines('One\n\n\tTwo')).toBe(true);
    expect(areTypableLines('One\rTwo')).toBe(false);
    expect(areTypableLines('One\u0000Two')).toBe(false);
    expect(cleanLines('One\r\nTwo\rThree')).toBe('One\nTwo\nThree');
  });

  it('contains no control character if it is accepted as one line', () => {
    fc.assert(
      fc.property(anyShortText, (text) => {
        if (isTypableLine(text)) {
          expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
          expect(text.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('is measured in characters', () => {
    expect(characterCount('🦆🦆🦆')).toBe(3);
    expect(characterCount('')).toBe(0);
  });
});

describe('an email address', () => {
  it.each([
    'ada@example.com',
    'a.b+c_d%e@mail.example.co.uk',
    "o'brien@example.com",
    'x@xn--bcher-kva.example',
    `${'a'.repeat(64)}@example.com`,
  ])('can be %s', (text) => {
    expect(isMailAddress(text)).toBe(true);
  });

  it.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    'ada@example..com',
    'ada@-example.com',
    'ada@example.com.',
    'ada @example.com',
    'ada@example.com\nBcc: bo@example.com',
    'ada@example.com,bo@example.com',
    'ada@example.com;bo@example.com',
    'Ada <ada@example.com>',
    '"ada"@example.com',
    'ada@exa mple.com',
    'ada@[127.0.0.1]',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'example.'.repeat(40)}com`,
  ])('cannot be %j', (text) => {
    expect(isMailAddress(text)).toBe(false);
  });

  it('is checked in linear time, for any text', () => {
    fc.assert(
      fc.property(anyShortText, fc.integer({ min: 0, max: 200 }), (text, times) => {
        expect(isMailAddress(`${'a.'.repeat(times)}@${'b-'.repeat(times)}${text}\n`)).toBe(false);
      }),
    );
  });
});

describe('a Telegram username', () => {
  it.each([
    ['@ada', 'ada'],
    [' @@ada ', 'ada'],
    ['https://t.me/ada', 'ada'],
    ['t.me/ada', 'ada'],
    ['ada', 'ada'],
    ['@', ''],
  ])('typed as %j is %j', (typed, name) => {
    expect(telegramName(typed)).toBe(name);
  });
});
