import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAGE_SIZES } from './column.ts';
import { readTableView, type TableTerms, writeTableView } from './table-address.ts';

const terms: TableTerms = {
  name: 'stakers',
  columns: [{ id: 'wallet', sortKey: () => '' }, { id: 'staked', sortKey: () => 0n }, { id: 'progress' }],
  choice: { id: 'badge', options: ['Gold', 'No badge'] },
  sorting: { column: 'staked', direction: 'descending' },
};
const begins = readTableView('', terms);

const anyView = fc.record({
  sorting: fc.record({
    column: fc.constantFrom('wallet', 'staked'),
    direction: fc.constantFrom('ascending', 'descending'),
  }),
  find: fc.string({ maxLength: 100 }),
  chosen: fc.constantFrom(null, 'Gold', 'No badge'),
  page: fc.integer({ min: 1, max: 999_999 }),
  pageSize: fc.constantFrom(...PAGE_SIZES),
});

describe('what an address says of a table', () => {
  it('is read back as it was written, beside what it says of other things', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const query = writeTableView('?premium-page=3&x=1', view, terms);
        expect(readTableView(query, terms)).toEqual(view);
        expect(new URLSearchParams(query).get('premium-page')).toBe('3');
        expect(new URLSearchParams(query).get('x')).toBe('1');
      }),
    );
  });

  it('is nothing while the table is as it begins', () => {
    expect(writeTableView('?stakers-page=7', begins, terms)).toBe('');
    expect(begins).toEqual({
      sorting: terms.sorting,
      find: '',
      chosen: null,
      page: 1,
      pageSize: 10,
    });
  });

  it('is plain enough to be read by a person', () => {
    const view = { ...begins, sorting: { column: 'wallet', direction: 'descending' }, page: 2 } as const;
    expect(writeTableView('', view, terms)).toBe('?stakers-sort=-wallet&stakers-page=2');
  });

  it.each([
    'stakers-sort=progress',
    'stakers-sort=-nothing',
    'stakers-badge=Wood',
    'stakers-page=0',
    'stakers-page=-1',
    'stakers-page=1e9',
    'stakers-page=99999999',
    'stakers-rows=11',
    'stakers-rows=1000000',
    'premium-page=4',
  ])('is as the table begins where it says %s, which the table does not have', (query) => {
    expect(readTableView(`?${query}`, terms)).toEqual(begins);
  });

  it('never makes the text that is looked for longer than what can be typed', () => {
    expect(readTableView(`?stakers-find=${'x'.repeat(5_000)}`, terms).find).toHaveLength(100);
  });
});
