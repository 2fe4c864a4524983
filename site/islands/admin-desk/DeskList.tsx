import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef } from 'react';
import { faultText } from '../../data/call-fault.ts';
import { Bone } from '../figure/Bone.tsx';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import { RetryButton } from '../figure/RetryButton.tsx';
import table from '../table/table.module.css';
import styles from './admin-desk.module.css';
import { firstView, type ListView } from './desk-address.ts';
import { type ListPage, listQuery } from './desk-calls.ts';
import type { Desk } from './desk-place.ts';
import { ExportButtons } from './ExportButtons.tsx';
import { ListPager } from './ListPager.tsx';
import { ListHead, ListRow } from './ListRows.tsx';
import { ListTools } from './ListTools.tsx';
import { type GoOnFrom, stepThrough, useFocusAfterDialog } from './list-keys.ts';
import type { ListPlan } from './list-plan.ts';
import '../../styles/tables.css';

/** What the dialog of a record is opened with: the records beside it, and what is to be begun at once. */
export interface Opening {
  readonly reference: string;
  /** Records of the page in their order, those that are still to be decided alone where this one is. */
  readonly queue: readonly string[];
  readonly begin: 'approve' | 'refuse' | null;
}

interface DeskListProps<Row, Body extends ListPage> {
  readonly plan: ListPlan<Row, Body>;
  readonly view: ListView;
  readonly desk: Desk;
  readonly onOpen: (opening: Opening) => void;
  readonly goOnFrom: GoOnFrom;
}

/** A list of records: sorted, filtered, searched and paged by the server, over all rows. */
export function DeskList<Row, Body extends ListPage>({
  plan,
  view,
  desk,
  onOpen,
  goOnFrom,
}: DeskListProps<Row, Body>) {
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(listQuery<Body>(plan.tab, view));
  const section = useRef<HTMLElement>(null);
  const rows = data === undefined ? null : plan.rowsOf(data);
  const isWhole = view.q === '' && Object.keys(view.filters).length === 0;

  useFocusAfterDialog(section, { record: desk.address.record, isFetching, goOnFrom });
  const openerOf = (row: Row, begin: Opening['begin'] = null) => {
    const isOpen = plan.isOpen(row);
    const beside = (rows ?? []).filter((one) => !isOpen || plan.isOpen(one)).map(plan.referenceOf);
    onOpen({ reference: plan.referenceOf(row), queue: [...new Set(beside)], begin });
  };
  const onKeyDown = (event: KeyboardEvent) =>
    stepThrough(event, section.current, {
      n: data?.next ? () => desk.nextPage(data.next ?? '') : null,
      p: desk.previousPage,
      begin: (index, begin) => {
        const row = rows?.[index];
        if (row && plan.isOpen(row)) openerOf(row, begin);
      },
    });

  return (
    <section
      ref={section}
      className={table.table}
      aria-busy={isFetching}
      aria-labelledby={`${plan.tab}-title`}
      onKeyDown={onKeyDown}
    >
      <div className={styles.head}>
        <h2 id={`${plan.tab}-title`}>{plan.title}</h2>
        <ExportButtons type={plan.tab} />
      </div>
      <ListTools plan={plan} view={view} desk={desk} />
      {error === null ? null : (
        <p className={styles.fault} role="alert">
          {faultText(error, 'The list could not be read.')}{' '}
          <RetryButton retry={{ run: () => void refetch(), running: isFetching }} what={plan.title} />
        </p>
      )}
      {rows === null && error !== null ? null : rows?.length === 0 ? (
        <p className={styles.empty}>
          {isWhole && view.after === null ? (
            plan.empty
          ) : (
            <>
              Nothing matches.{' '}
              <button type="button" onClick={() => desk.change(firstView(plan.tab))}>
                Show all
              </button>
            </>
          )}
        </p>
      ) : (
        <div className="scroll" data-old={isPlaceholderData}>
          <table className={`table stacked ${table.rows} ${styles.rows}`}>
            <caption className="visually-hidden">
              {plan.title}
              {rows === null ? <LoadingWords /> : null}
            </caption>
            <ListHead columns={plan.columns} view={view} desk={desk} />
            {rows === null ? (
              <tbody aria-hidden="true">
                {Array.from({ length: view.rows }, (_, place) => `row ${place}`).map((row) => (
                  <tr key={row}>
                    {plan.columns.map(({ id, name }) => (
                      <td key={id} data-name={name}>
                        <Bone width={9} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            ) : (
              <tbody>
                {rows.map((row) => (
                  <ListRow key={plan.keyOf(row)} plan={plan} row={row} onOpen={() => openerOf(row)} />
                ))}
              </tbody>
            )}
          </table>
        </div>
      )}
      {data === undefined || rows === null || rows.length === 0 ? null : (
        <ListPager page={data} shown={rows.length} view={view} desk={desk} what={plan.title} />
      )}
    </section>
  );
}
