import { beforeAll, describe, expect, it } from 'vitest';
import type { Addition } from '../../data/store/chat-port.ts';
import { noFigureInputs } from '../metrics/figure.ts';
import { answerLocally } from './answer.ts';
import { creditTeam, type ExtendedBook, extendedBookOpener } from './team-additions.ts';
import { SAMPLE_PASSAGES, sampleBook } from './testing/sample-book.ts';

const AT = Date.UTC(2026, 0, 2);
const phrasing = (question: string, href: string, title = ''): Addition => ({
  kind: 'phrasing',
  id: question,
  question,
  href,
  title,
  addedAt: AT,
});
const answer = (question: string, text: string): Addition => ({
  kind: 'answer',
  id: 'parrot',
  question,
  answer: text,
  addedAt: AT,
});
const bookWithAdditions = (...additions: readonly Addition[]) =>
  extendedBookOpener(async (all) => sampleBook(SAMPLE_PASSAGES, all), {
    additionsVersion: async () => additions.length,
    additions: async () => additions.map((each) => ({ ...each, by: 'ada' })),
  })();
const say = (book: ExtendedBook, message: string) =>
  creditTeam(
    answerLocally(message, { inputs: noFigureInputs('embedded-ledger', new Set()), now: AT, book }),
    book,
  );

describe('a phrasing by the team', () => {
  it('counts as one question, even with a comma or an “or”', async () => {
    const book = await bookWithAdditions(phrasing('parrot, canary or budgie', '/faq#vault'));
    expect(say(book, 'parrot canary budgie')).toMatchObject({ source: '/faq#vault' });
    const [vault, ...split] = book.passages.find(new Map([['parrot', 1]]));
    expect([vault?.passage.askedAs, split]).toEqual([['parrot canary budgie'], []]);
  });

  it('belongs to the section’s passage with the stored title, or to the first passage if no title matches', async () => {
    const part = (title: string) => ({
      href: '/faq#table',
      title,
      page: 'FAQ',
      text: 'Text.',
      askedAs: [],
      kind: 'section' as const,
    });
    const passages = [part('First row'), part('Second row')];
    const findPassage = (title: string) => {
      const book = sampleBook(passages, [phrasing('my parrot', '/faq#table', title)]);
      return book.passages.find(new Map([['parrot', 1]]))[0]?.passage.title;
    };
    expect([findPassage('Second row'), findPassage('A row that was renamed')]).toEqual([
      'Second row',
      'First row',
    ]);
  });

  it('is left out if its passage no longer exists', async () => {
    expect(say(await bookWithAdditions(phrasing('my parrot', '/faq#gone')), 'my parrot').kind).toBe(
      'unknown',
    );
  });
});

describe('an answer by the team', () => {
  let book: ExtendedBook;
  beforeAll(async () => {
    book = await bookWithAdditions(answer('Can I pay with a parrot?', 'No.\n\n<b>Not</b> yet.'));
  });

  it('names the team and the date of the answer, and links to no page', () => {
    const found = say(book, 'pay with a parrot');
    expect(found).toMatchObject({ kind: 'answer', by: 'team', source: 'team:parrot', sources: [] });
    expect(found.writtenAt).toBe(new Date(AT).toISOString());
    expect(found.response).toContain('<b>Not</b> yet.');
  });

  it('can have other phrasings', async () => {
    const other = await bookWithAdditions(
      answer('Can I pay with a parrot?', 'No.'),
      phrasing('birds as payment', 'team:parrot'),
    );
    expect(say(other, 'birds as payment')).toMatchObject({ by: 'team' });
  });

  it('is not listed as a source of another answer', () => {
    const near = { title: 'What does a parrot cost?', href: 'team:parrot' };
    const own = { title: 'Fee', href: '/faq#fee' };
    const found = { response: '4.5%', kind: 'answer', source: '/faq#fee', passages: [] } as const;
    expect(creditTeam({ ...found, sources: [own, near] }, book)).toMatchObject({
      by: 'portal',
      sources: [own],
    });
  });
});

describe('the book', () => {
  const stored = { version: 0, additions: [] as Addition[], isUnavailable: false };
  const readIfAvailable = async <T>(value: T) => {
    if (stored.isUnavailable) throw new Error('The store is unavailable.');
    return value;
  };
  const chat = {
    additionsVersion: () => readIfAvailable(stored.version),
    additions: async () => (await readIfAvailable(stored.additions)).map((each) => ({ ...each, by: 'ada' })),
  };

  it('is reopened only after the additions change, and stays open while the store is unavailable', async () => {
    const opened: number[] = [];
    const open = extendedBookOpener(async (all = []) => {
      opened.push(all.length);
      return sampleBook(SAMPLE_PASSAGES, all);
    }, chat);
    for (const _ of Array(2)) await open();
    expect(opened).toEqual([0]);
    stored.additions.push(phrasing('my parrot', '/faq#vault'));
    stored.version += 1;
    expect(say(await open(), 'my parrot').source).toBe('/faq#vault');
    stored.isUnavailable = true;
    expect(say(await open(), 'my parrot').source).toBe('/faq#vault');
    expect(opened).toEqual([0, 1]);
    const openWithoutStore = extendedBookOpener(async () => sampleBook(), chat);
    expect(say(await openWithoutStore(), 'how long is my stake locked').kind).toBe('answer');
  });

  it('is opened for the next question if the previous attempt failed', async () => {
    stored.isUnavailable = false;
    let isReadable = false;
    const open = extendedBookOpener(async () => {
      if (!isReadable) throw new Error('The file is being replaced.');
      return sampleBook();
    }, chat);
    await expect(open()).rejects.toThrow();
    isReadable = true;
    expect((await open()).titles.size).toBeGreaterThan(0);
  });
});
