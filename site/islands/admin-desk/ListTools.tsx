import { useEffect, useState } from 'react';
import { LONGEST_REVIEW_TEXT } from '../../../data/model/record-review.ts';
import table from '../table/table.module.css';
import styles from './admin-desk.module.css';
import type { ListView } from './desk-address.ts';
import type { ListPage } from './desk-calls.ts';
import type { Desk } from './desk-place.ts';
import { wordsOf } from './desk-words.ts';
import type { ListPlan } from './list-plan.ts';
import { LIST_TERMS } from './list-terms.ts';

/** Milliseconds without a letter after which a text is searched for. */
const TYPED_FOR = 300;

interface ListToolsProps<Row, Body extends ListPage> {
  readonly plan: ListPlan<Row, Body>;
  readonly view: ListView;
  readonly desk: Desk;
}

/** What stands above a list: a search, its filters, the days it is of, and the order on screens without headings. */
export function ListTools<Row, Body extends ListPage>({ plan, view, desk }: ListToolsProps<Row, Body>) {
  const { change } = desk;
  const setFilter = (name: string, value: string) => {
    const { [name]: _was, ...others } = view.filters;
    change({ filters: value === '' ? others : { ...others, [name]: value } });
  };
  return (
    <div className={`${table.tools} ${styles.tools}`}>
      <Search key={plan.tab} sought={view.q} onSearch={(q) => change({ q })} />
      {LIST_TERMS[plan.tab].filters.map(({ name, label, options }) => (
        <label key={name}>
          <span className={table.label}>{label}</span>
          <select value={view.filters[name] ?? ''} onChange={({ target }) => setFilter(name, target.value)}>
            <option value="">All</option>
            {options.map((option) => (
              <option key={option} value={option}>
                {wordsOf(option)}
              </option>
            ))}
          </select>
        </label>
      ))}
      <div className={styles.days}>
        {(['from', 'to'] as const).map((name) => (
          <label key={name}>
            <span className={table.label}>{name === 'from' ? 'From' : 'To'}</span>
            <input
              type="date"
              value={view.filters[name] ?? ''}
              onChange={({ target }) => setFilter(name, target.value)}
            />
          </label>
        ))}
      </div>
      <label className={table.narrow}>
        <span className={table.label}>Order</span>
        <select
          value={`${view.sort} ${view.order}`}
          onChange={({ target }) => {
            const [sort = '', order] = target.value.split(' ');
            change({ sort, order: order === 'asc' ? 'asc' : 'desc' });
          }}
        >
          {plan.columns.flatMap(({ sort, name }) =>
            sort === undefined
              ? []
              : (['asc', 'desc'] as const).map((order) => (
                  <option key={`${sort} ${order}`} value={`${sort} ${order}`}>
                    {`${name}, ${order === 'asc' ? 'rising' : 'falling'}`}
                  </option>
                )),
          )}
        </select>
      </label>
    </div>
  );
}

/** Searches once nothing more is typed. */
function Search({ sought, onSearch }: { readonly sought: string; readonly onSearch: (q: string) => void }) {
  const [typed, setTyped] = useState(sought);
  const [told, setTold] = useState(sought);
  // The way back, or the palette, led to another search.
  if (told !== sought) {
    setTold(sought);
    if (sought !== typed.trim()) setTyped(sought);
  }
  useEffect(() => {
    if (typed.trim() === sought) return;
    const timer = setTimeout(() => onSearch(typed.trim()), TYPED_FOR);
    return () => clearTimeout(timer);
  }, [typed, sought, onSearch]);
  return (
    <label className={table.find}>
      <span className={table.label}>Search</span>
      <input
        type="search"
        value={typed}
        maxLength={LONGEST_REVIEW_TEXT.search}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
      />
    </label>
  );
}
