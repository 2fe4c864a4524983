import type { ReactNode } from 'react';
import { formatCount } from '../../../data/model/count.ts';
import { PAGE_SIZES } from './column.ts';
import styles from './table.module.css';
import type { TableControl } from './use-table-view.ts';
import type { RowPage } from './view-rows.ts';

interface PagerProps {
  /** Null while the rows are being read. */
  readonly shown: RowPage<unknown> | null;
  readonly control: TableControl;
  /** What is paged through, for those who do not see it. */
  readonly what: string;
  readonly note?: ReactNode;
}

/** Which rows are shown, and the ways to the others. */
export function Pager({ shown, control, what, note }: PagerProps) {
  const { change, view } = control;
  const steps = shown && [
    { name: 'First', sign: '«', to: 1, isThere: shown.page > 1 },
    { name: 'Previous', sign: '‹', to: shown.page - 1, isThere: shown.page > 1 },
    { name: 'Next', sign: '›', to: shown.page + 1, isThere: shown.page < shown.pages },
    { name: 'Last', sign: '»', to: shown.pages, isThere: shown.page < shown.pages },
  ];
  return (
    <nav className={`${styles.pager} script-only`} aria-label={`Pages of ${what}`}>
      <p>
        <span role="status">
          {shown === null
            ? '\u00a0'
            : `${formatCount(shown.first)}–${formatCount(shown.last)} of ${formatCount(shown.total)}`}
        </span>
        {note ? <span className={styles.note}>{note}</span> : null}
      </p>
      {shown && steps && shown.total > PAGE_SIZES[0] ? (
        <div>
          <label>
            <span className={styles.label}>Rows</span>
            <select
              value={view.pageSize}
              onChange={({ target }) => {
                const pageSize = PAGE_SIZES.find((size) => String(size) === target.value);
                if (pageSize) change({ pageSize });
              }}
            >
              {PAGE_SIZES.map((size) => (
                <option key={size}>{size}</option>
              ))}
            </select>
          </label>
          {steps.map(({ name, sign, to, isThere }) => (
            <button
              key={name}
              type="button"
              // Not `disabled`: the focus would be lost on the last page.
              aria-disabled={!isThere}
              onClick={() => {
                if (isThere) change({ page: to });
              }}
            >
              <span aria-hidden="true">{sign}</span>
              <span className="visually-hidden">{name} page</span>
            </button>
          ))}
        </div>
      ) : null}
    </nav>
  );
}
