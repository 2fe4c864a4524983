import type { ReactNode } from 'react';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { PAGE_SIZES } from '../../../data/model/page-sizes.ts';
import styles from './table.module.css';

/** Opens another page; null if there is no such page. */
type Step = (() => void) | null;

interface PagerProps {
  /** The name of the rows, for screen readers. */
  readonly what: string;
  /** Null while the rows load. */
  readonly range: {
    readonly rowsBefore: number;
    readonly rowCount: number;
    readonly total: number;
    /** False if there may be more rows than `total`. */
    readonly isTotalExact: boolean;
  } | null;
  readonly pageSize: number;
  readonly onPageSize: (pageSize: number) => void;
  readonly steps: Readonly<Record<'first' | 'previous' | 'next', Step>> & { readonly last?: Step };
  readonly note?: ReactNode;
}

const STEPS = [
  { name: 'first', label: 'First page', sign: '«' },
  { name: 'previous', label: 'Previous page', sign: '‹' },
  { name: 'next', label: 'Next page', sign: '›' },
  { name: 'last', label: 'Last page', sign: '»' },
] as const;

export function Pager({ what, range, pageSize, onPageSize, steps, note }: PagerProps) {
  // A page of search results can have few rows or none even if there are other pages.
  const isOnlyPage = Object.values(steps).every((step) => step === null);
  return (
    <nav className={`${styles.pager} script-only`} aria-label={`Pages of ${what}`}>
      <p>
        <span role="status">{range === null ? null : rangeText(range)}</span>
        {note ? <span className={styles.note}>{note}</span> : null}
      </p>
      {range === null || (isOnlyPage && range.total <= PAGE_SIZES[0]) ? null : (
        <div>
          <label>
            <span className={styles.label}>Rows</span>
            <select value={pageSize} onChange={({ target }) => onPageSize(Number(target.value))}>
              {PAGE_SIZES.map((size) => (
                <option key={size}>{size}</option>
              ))}
            </select>
          </label>
          {STEPS.map(({ name, label, sign }) => {
            const go = steps[name];
            return go === undefined ? null : (
              // Uses `aria-disabled`, because a disabled button would lose the focus when the last page is reached.
              <button key={name} type="button" aria-disabled={go === null} onClick={go ?? undefined}>
                <span aria-hidden="true">{sign}</span>
                <span className="visually-hidden">{label}</span>
              </button>
            );
          })}
        </div>
      )}
    </nav>
  );
}

/** The range of the rows as text: `11–20 of 95`. */
function rangeText({ rowsBefore, rowCount, total, isTotalExact }: NonNullable<PagerProps['range']>): string {
  const first = rowCount === 0 ? 0 : rowsBefore + 1;
  return `${formatCount(first)}–${formatCount(rowsBefore + rowCount)} of ${formatCount(total)}${isTotalExact ? '' : '+'}`;
}
