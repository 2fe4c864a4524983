import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noFigureInputs } from '../metrics/figure.ts';
import { answerLocally } from './answer.ts';
import { sampleBook } from './testing/sample-book.ts';

const book = sampleBook();
const NOW = Date.UTC(2026, 0, 2);
const ask = (message: string) =>
  answerLocally(message, noFigureInputs('embedded-ledger', new Set()), NOW, book);

describe('the assistant’s answer', () => {
  it.each([
    ['how long are my tokens frozen?', '/faq#lock'],
    ['HOW LONG IS THE LOCKUP', '/faq#lock'],
    ['early withdrawl', '/faq#lock'],
    ['charge for a topup', '/faq#fee'],
    ['where to purchase it', '/faq#buy'],
  ])('to “%s” is the passage %s, with its source', (message, href) => {
    const answer = ask(message);
    expect(answer).toMatchObject({ kind: 'answer', source: href });
    expect(answer.sources[0]?.href).toBe(href);
  });

  it('mentions the risk if it is about the yield, and only then', () => {
    expect(ask('what is the apy').response).toContain(book.texts.risk);
    expect(ask('how long is the lock period').response).not.toContain(book.texts.risk);
  });

  it.each(['what is the weather in Dubai', 'bitcoin price', 'pancakes', '???', '🦆'])(
    'to “%s” is unknown and links to the contact page',
    (message) => {
      expect(ask(message)).toMatchObject({ kind: 'unknown', sources: [{ href: '/contact' }] });
    },
  );

  it('is small talk only if the message says nothing else', () => {
    expect(ask('Hello there!').kind).toBe('small-talk');
    expect(ask('thank you so much').kind).toBe('small-talk');
    expect(ask('hello, how long is the lock period?').source).toBe('/faq#lock');
  });

  it.each(['price of BD', 'total staked now', 'vault balance', 'how many stakers', 'market cap'])(
    'to “%s” shows no number while the figure is unknown',
    (message) => {
      expect(ask(message)).toMatchObject({ kind: 'figure', response: book.texts.figures.missing });
    },
  );

  it('exists for any message, and links only to the portal’s pages', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 500 }), (message) => {
        const { response, sources } = ask(message);
        expect(response.length).toBeGreaterThan(0);
        for (const { href } of sources) expect(href).toMatch(/^\/(?!\/)/);
      }),
    );
  });
});
