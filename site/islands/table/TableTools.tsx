import styles from './table.module.css';
import type { TablePlan } from './table-plan.ts';
import type { TableControl } from './use-table-view.ts';

interface TableToolsProps<Row> {
  readonly plan: TablePlan<Row>;
  readonly control: TableControl;
  /** Null while there is nothing to save. */
  readonly onDownload: (() => void) | null;
}

/** What stands above a table: a search, a choice, the order on screens without headings, and the CSV. */
export function TableTools<Row>({ plan, control, onDownload }: TableToolsProps<Row>) {
  const { view, change } = control;
  const { choice, columns } = plan;
  return (
    <div className={`${styles.tools} script-only`}>
      <label className={styles.find}>
        <span className={styles.label}>{plan.findLabel}</span>
        <input
          type="search"
          value={view.find}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => change({ find: target.value })}
        />
      </label>
      {choice === undefined ? null : (
        <label>
          <span className={styles.label}>{choice.label}</span>
          <select
            value={view.chosen ?? ''}
            onChange={({ target }) => change({ chosen: target.value === '' ? null : target.value })}
          >
            <option value="">All</option>
            {choice.options.map((option) => (
              <option key={option}>{option}</option>
            ))}
          </select>
        </label>
      )}
      <label className={styles.narrow}>
        <span className={styles.label}>Order</span>
        <select
          value={`${view.sorting.column} ${view.sorting.direction}`}
          onChange={({ target }) => {
            const [column = '', direction] = target.value.split(' ');
            change({
              sorting: { column, direction: direction === 'descending' ? 'descending' : 'ascending' },
            });
          }}
        >
          {columns
            .filter(({ sortKey }) => sortKey)
            .map(({ id, name }) => [
              <option key={`${id} up`} value={`${id} ascending`}>{`${name}, rising`}</option>,
              <option key={`${id} down`} value={`${id} descending`}>{`${name}, falling`}</option>,
            ])}
        </select>
      </label>
      <button
        type="button"
        className={styles.csv}
        aria-disabled={onDownload === null}
        onClick={onDownload ?? undefined}
      >
        CSV<span className="visually-hidden"> of {plan.caption}</span>
      </button>
    </div>
  );
}
