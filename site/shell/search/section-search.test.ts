import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSectionSearch } from './section-search.ts';

const SECTIONS = {
  lock: ['How long is my stake locked?', '180 days. There is no early withdrawal.', 'lock period, stuck'],
  withdraw: ['Can I withdraw early?', 'No.', 'early exit'],
  fee: ['What does a top-up cost?', 'The fee is 4.5%.', ''],
  card: ['Who can have a card?', 'Each wallet with a stake.', ''],
} as const;

const search = createSectionSearch(
  {
    sections: Object.entries(SECTIONS).map(([id, [title, text, askedAs]]) => ({
      href: `/faq#${id}`,
      title,
      page: 'Questions',
      text,
      askedAs: [askedAs],
    })),
    commonWords: 'weather cart',
  },
  [
    ['lock', 'frozen'],
    ['withdraw', 'withdrawal', 'unstake', 'cash-out'],
    ['fee', 'cost', 'commission'],
  ],
);
const findIds = (query: string) => search.find(query).results.map(({ passage: { href } }) => href.slice(5));

describe('the search among sections', () => {
  it.each([
    ['a title', 'stake locked', 'lock'],
    ['another phrasing', 'stuck', 'lock'],
    ['words of a text in any order', 'wallet each', 'card'],
    ['synonyms', 'frozen', 'lock'],
    ['synonyms of two words', 'cash out early', 'withdraw'],
    ['a typing error', 'lokced', 'lock'],
    ['a typing error in a synonym', 'comission', 'fee'],
    ['the beginning of a word', 'withdr', 'withdraw'],
  ])('finds %s', (_case, query, id) => {
    expect(findIds(query)[0]).toBe(id);
  });

  it('ignores words that no section contains', () => {
    expect(findIds('elephants unstake quickly')).toEqual(findIds('unstake'));
    expect(findIds('elephants')).toEqual([]);
    expect(findIds('')).toEqual([]);
  });

  it('suggests sections with similarly spelled words for a query without results', () => {
    expect(findIds('stakeholding')).toEqual([]);
    expect(search.findSimilar('stakeholding').map(({ passage }) => passage.href)).toContain('/faq#lock');
    expect(search.findSimilar('qqq xy')).toEqual([]);
  });

  it('does not correct everyday words, and returns the query that it searched', () => {
    expect(search.find('cart weather').searchedQuery).toBe('cart weather');
    expect(search.find('Lokced car').searchedQuery).toBe('locked card');
  });

  it('matches synonyms of the words in the query', () => {
    const { isMatch } = search.find('unstkae');
    expect(['Withdrawal', 'withdraw', 'stake', 'is'].map(isMatch)).toEqual([true, true, false, false]);
  });

  it('reads its index from the site’s own origin, even if the API has another one', async () => {
    onTestFinished(() => {
      vi.unstubAllGlobals();
      vi.resetModules();
    });
    const fetchMock = vi.fn(async (_url: string) => Response.json({ sections: [], commonWords: '' }));
    vi.stubGlobal('fetch', fetchMock);
    vi.stubGlobal('SEARCH_SYNONYMS', '');
    const meta = { content: 'https://api.example' };
    vi.stubGlobal('document', { querySelector: () => meta, getElementById: () => null });
    vi.resetModules();
    const { loadSectionSearch } = await import('./section-search.ts');
    await loadSectionSearch();
    expect(fetchMock.mock.calls.map(([url]) => url)).toEqual(['/section-index.json']);
  });
});
