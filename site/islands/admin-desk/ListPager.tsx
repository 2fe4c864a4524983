import { formatCount } from '../../../data/model/count.ts';
import table from '../table/table.module.css';
import type { ListView } from './desk-address.ts';
import type { ListPage } from './desk-calls.ts';
import type { Desk } from './desk-place.ts';
import { LIST_SIZES } from './list-terms.ts';

interface ListPagerProps {
  readonly page: ListPage;
  /** How many rows the page has. */
  readonly shown: number;
  readonly view: ListView;
  readonly desk: Desk;
  readonly what: string;
}

/** Which rows are shown, and the ways to the others. */
export function ListPager({ page, shown, view, desk, what }: ListPagerProps) {
  const { next } = page;
  const steps = [
    { name: 'First', sign: '«', go: view.page > 1 ? desk.firstPage : null },
    { name: 'Previous', sign: '‹', go: desk.previousPage },
    { name: 'Next', sign: '›', go: next === null ? null : () => desk.nextPage(next) },
  ];
  return (
    <nav className={table.pager} aria-label={`Pages of ${what}`}>
      <p role="status">{rangeText(view, shown, page)}</p>
      {page.total <= LIST_SIZES[0] ? null : (
        <div>
          <label>
            <span className={table.label}>Rows</span>
            <select value={view.rows} onChange={({ target }) => desk.change({ rows: Number(target.value) })}>
              {LIST_SIZES.map((size) => (
                <option key={size}>{size}</option>
              ))}
            </select>
          </label>
          {steps.map(({ name, sign, go }) => (
            <button key={name} type="button" aria-disabled={go === null} onClick={go ?? undefined}>
              <span aria-hidden="true">{sign}</span>
              <span className="visually-hidden">{name} page</span>
            </button>
          ))}
        </div>
      )}
    </nav>
  );
}

/** Which rows are shown: `11–20 of 95`. */
export function rangeText(view: ListView, shown: number, { total, isTotalExact }: ListPage): string {
  const before = (view.page - 1) * view.rows;
  return `${formatCount(before + 1)}–${formatCount(before + shown)} of ${formatCount(total)}${isTotalExact ? '' : '+'}`;
}
