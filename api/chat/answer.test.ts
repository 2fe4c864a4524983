import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChainName } from '../../data/contract/provenance.ts';
import { noFigureInputs } from '../metrics/figure.ts';
import { stakesContent } from '../staking/current-stakes.ts';
import { SAMPLE_INDEX, TEST_START } from '../testing/fake-index.ts';
import { manyStakes } from '../testing/sample-stakes.ts';
import { answerLocally } from './answer.ts';
import { figureAnswer, walletAnswer } from './figure-answers.ts';
import { sampleBook } from './testing/sample-book.ts';

const book = sampleBook();
const NOW = Date.UTC(2026, 0, 2);
const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const inputs = noFigureInputs('embedded-ledger', new Set());
const ask = (message: string, earlier: readonly string[] = [], wallet: string | null = null) =>
  answerLocally(message, { inputs, now: NOW, book, earlier, wallet });

describe('the assistant’s answer', () => {
  it.each([
    ['how long are my coins frozen?', '/faq#lock'],
    ['HOW LONG IS MY STAKE LOKCED', '/faq#lock'],
    ['fees for a topup', '/faq#fee'],
    ['where can i purchase bd', '/faq#buy'],
    ['monthly cap for the raven card', '/faq#tiers'],
  ])('to “%s” is the passage %s, with its source', (message, href) => {
    const answer = ask(message);
    expect(answer).toMatchObject({ kind: 'answer', source: href });
    expect(answer.sources[0]?.href).toBe(href);
  });

  it('mentions the risk if it is about the yield, and only then', () => {
    expect(ask('what is the apy').response).toContain(book.texts.risk);
    expect(ask('how long is the lock period').response).not.toContain(book.texts.risk);
  });

  it.each(['what is the weather in Dubai', 'bitcoin etf', 'pancakes', '???', '🦆'])(
    'to “%s” has the kind “unknown”, and links to the contact page',
    (message) => {
      const { kind, sources } = ask(message);
      expect(kind).toBe('unknown');
      expect(sources.at(-1)?.href).toBe('/contact');
    },
  );

  it('begins with the passage’s question, so that it never opens with a bare yes or no', () => {
    expect(ask('is my money safe').response).toMatch(/^Can I lose money\?\n\nYes, all of it\./);
  });

  it('corrects a typing error, but not a product name that resembles a known word', () => {
    expect(book.spelling.correct('locke lockd')).toBe('locke lock');
  });

  it('offers the closest passages if the assistant is not certain', () => {
    const { kind, response, sources } = ask('my uncle wants to purchase a load of bd');
    expect(kind).toBe('unknown');
    expect(response).toContain('On the market that the links page names.');
    expect(sources.map(({ href }) => href)).toContain('/faq#buy');
  });

  it('to an incomplete question takes the missing parts from the previous question', () => {
    expect(ask('and for raven?', ['what is the monthly limit of duckling']).response).toContain('$3');
    expect(ask('and for raven?', ['what is the monthyl limit of ducklign']).response).toContain('$3');
    expect(ask('is my money safe', ['what is the monthly limit of duckling']).source).toBe('/faq#loss');
    expect(ask('and for raven?').response).not.toContain('The raven card has a monthly limit of $3.\n');
  });

  it('is about the visitor’s own stake once the wallet is proven', () => {
    expect(ask('when can I unstake', [], WALLET)).toMatchObject({ kind: 'figure', source: 'figure:wallet' });
    expect(ask('when can I unstake').source).not.toBe('figure:wallet');
  });

  it('to an incomplete address says that the address is invalid, not that the wallet has no stake', () => {
    const { response, source } = ask('does 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosg stake?');
    expect({ response, source }).toEqual({ response: book.texts.wallet.invalid, source: 'figure:wallet' });
  });

  it.each([
    ['es', '¿cuánto tiempo está bloqueado mi stake?'],
    ['de', 'wie lange ist mein stake gesperrt?'],
    ['fr', 'combien de temps mon stake est bloqué?'],
    ['ar', 'كم يوما القفل؟'],
  ] as const)(
    'to a question in another language (%s) begins with a notice in that language',
    (language, message) => {
      const { response } = ask(message);
      expect(response.startsWith(book.texts.languages[language])).toBe(true);
      expect(response).toContain('180 days');
    },
  );

  it('to a question on another subject has the kind “unknown”, and suggests at most three questions from the FAQ', () => {
    const { kind, closest } = ask('how tall is the tallest giraffe in the zoo');
    expect(kind).toBe('unknown');
    expect(closest?.length).toBeLessThanOrEqual(3);
    expect(ask('what is the lock').closest).toBeUndefined();
  });

  it('is small talk only if the message says nothing else', () => {
    expect(ask('Hello there!').kind).toBe('small-talk');
    expect(ask('thank you so much').kind).toBe('small-talk');
    expect(ask('hello, how long is my stake locked?').source).toBe('/faq#lock');
  });

  it.each(['price of BD', 'total staked now', 'vault balance', 'how many stakers', 'market cap'])(
    'to “%s” shows no number while the figure is unknown',
    (message) => {
      expect(ask(message)).toMatchObject({ kind: 'figure', response: book.texts.figures.missing });
    },
  );

  it('with a count of holders states the age of the count, not that of the stakes', () => {
    const readInputs = { ...inputs, index: SAMPLE_INDEX };
    const textOf = (figure: 'holders' | 'participation' | 'stakers') =>
      figureAnswer(figure, readInputs, TEST_START + 1_000, book.texts).text;
    expect(textOf('holders')).toContain('31 s ago');
    expect(textOf('participation')).toContain('31 s ago');
    expect(textOf('stakers')).toContain('1 s ago');
  });

  it('with figures from the embedded ledger says so', () => {
    const textOf = (source: ChainName) =>
      figureAnswer('stakers', { ...inputs, source, index: SAMPLE_INDEX }, TEST_START, book.texts).text;
    const stakes = { content: stakesContent(manyStakes(1), 6), slot: 4_242, readAt: TEST_START };
    const walletTextOf = (source: ChainName) =>
      walletAnswer(WALLET, { ...inputs, source, stakes }, TEST_START, book.texts).text;
    const { demoLedger } = book.texts.figures;
    expect(textOf('embedded-ledger').endsWith(`\n\n${demoLedger}`)).toBe(true);
    expect(walletTextOf('embedded-ledger').endsWith(`\n\n${demoLedger}`)).toBe(true);
    expect(textOf('solana') + walletTextOf('solana')).not.toContain(demoLedger);
  });

  it('is never empty, whatever the message, and links only to the portal’s pages', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 500 }), (message) => {
        const { response, sources } = ask(message);
        expect(response.length).toBeGreaterThan(0);
        for (const { href } of sources) expect(href).toMatch(/^\/(?!\/)/);
      }),
    );
  });
});
