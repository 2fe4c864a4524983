import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAGE_SIZES } from '../../../data/model/page-sizes.ts';
import { readTableView, type TableViewOptions, writeTableView } from './table-view.ts';

const sortable = (id: string) => ({ id, accessorFn: () => 0 });
const options: TableViewOptions = {
  name: 'stakers',
  columns: [sortable('wallet'), sortable('staked'), { id: 'progress' }],
  choice: { id: 'badge', options: ['Gold', 'No badge'] },
  sorting: { id: 'staked', desc: true },
};
const initialView = readTableView('', options);

const anyView = fc.record({
  sorting: fc.record({ id: fc.constantFrom('wallet', 'staked'), desc: fc.boolean() }),
  searchText: fc.string({ maxLength: 100 }),
  selectedOption: fc.constantFrom(null, 'Gold', 'No badge'),
  page: fc.integer({ min: 1, max: 999_999 }),
  pageSize: fc.constantFrom(...PAGE_SIZES),
});

describe('the view of a table in the URL', () => {
  it('is read back as it was written, beside other parameters', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const query = writeTableView('?premium-page=3&x=1', view, options);
        expect(readTableView(query, options)).toEqual(view);
        expect(new URLSearchParams(query).get('premium-page')).toBe('3');
        expect(new URLSearchParams(query).get('x')).toBe('1');
      }),
    );
  });

  it('is absent while the table has its initial view', () => {
    expect(writeTableView('?stakers-page=7', initialView, options)).toBe('');
    expect(initialView).toEqual({
      sorting: options.sorting,
      searchText: '',
      selectedOption: null,
      page: 1,
      pageSize: 10,
    });
  });

  it('is written in readable form', () => {
    const view = { ...initialView, sorting: { id: 'wallet', desc: true }, page: 2 } as const;
    expect(writeTableView('', view, options)).toBe('?stakers-sort=-wallet&stakers-page=2');
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
  ])('ignores invalid parameters and those of other tables: %s', (query) => {
    expect(readTableView(`?${query}`, options)).toEqual(initialView);
  });

  it('limits the length of the search string', () => {
    expect(readTableView(`?stakers-find=${'x'.repeat(5_000)}`, options).searchText).toHaveLength(100);
  });
});
