import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTable } from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import type { WalletPosition } from '../../../data/contract/position.ts';
import type { WalletEvent, WalletHistory } from '../../../data/contract/wallet-history.ts';
import { EVENT_KIND_STYLES, EVENT_KINDS } from '../../../data/model/chain-events.ts';
import { formatPrice } from '../../../data/model/format.ts';
import { PAGE_SIZES, type PageSize } from '../../../data/model/page-sizes.ts';
import { POSITION_INTERVAL_MS, positionError } from '../../data/position-query.ts';
import { request } from '../../data/request.ts';
import { serverClock } from '../../data/server-clock.ts';
import { MovementKind } from '../feed/movement.tsx';
import { Pager } from '../table/Pager.tsx';
import { Rows } from '../table/Rows.tsx';
import tableStyles from '../table/table.module.css';
import { type Column, FIGURE_COLUMN, TABLE_OPTIONS } from '../table/table-spec.ts';
import { saveBlob } from '../ui/download.ts';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { formatAmount, momentText } from '../ui/format.ts';
import { LinkedId } from '../ui/LinkedId.tsx';
import { feedLabel } from '../ui/provenance.ts';
import { Dash, RetryButton } from '../ui/ReadStates.tsx';
import { type HistoryView, historyQuery, rangePresets, useHistoryView } from './history-view.ts';
import styles from './position.module.css';
import { StakeChart } from './StakeChart.tsx';

function Moment({ at, why }: { readonly at: string | null; readonly why: string }) {
  return at === null ? <Dash why={why} /> : <time dateTime={at}>{momentText(at)}</time>;
}

function UsdValue({ usdValue, usdPerBd, priceSource, priceAt }: WalletEvent) {
  if (usdValue === null || usdPerBd === null || priceSource === null) {
    const nearestNote = priceAt === null ? '' : `. The closest price is from ${momentText(priceAt)}`;
    return <Dash why={`No price was recorded at that time${nearestNote}`} />;
  }
  return (
    <>
      {`$${formatAmount(usdValue)}`}
      <small className={styles.price}>{`$${formatPrice(usdPerBd)} · ${feedLabel(priceSource)}`}</small>
    </>
  );
}

const columnsOf = (link: ExplorerLink | null): Column<WalletEvent>[] => [
  {
    id: 'type',
    header: 'Type',
    cell: ({ row: { original } }) => (
      <MovementKind movement={EVENT_KIND_STYLES[original.type] ?? EVENT_KIND_STYLES.other} />
    ),
  },
  {
    id: 'amount',
    header: 'Amount (BD)',
    meta: FIGURE_COLUMN,
    cell: ({ row: { original } }) =>
      `${(EVENT_KIND_STYLES[original.type] ?? EVENT_KIND_STYLES.other).sign}${formatAmount(original.amountBd)}`,
  },
  {
    id: 'usd',
    header: 'USD at the time',
    meta: FIGURE_COLUMN,
    cell: ({ row: { original } }) => <UsdValue {...original} />,
  },
  {
    id: 'when',
    header: 'When',
    meta: FIGURE_COLUMN,
    cell: ({ row: { original } }) => <Moment at={original.timeUtc} why="Time unknown" />,
  },
  {
    id: 'locked',
    header: 'Locked until',
    meta: FIGURE_COLUMN,
    cell: ({ row: { original } }) => (
      <Moment at={original.lockedUntil} why="No lock, or the stake has ended" />
    ),
  },
  { id: 'status', header: 'Status', cell: ({ row: { original } }) => original.status },
  {
    id: 'signature',
    header: 'Transaction',
    cell: ({ row: { original } }) => (
      <LinkedId id={original.signature} kind="tx" link={link} name="Transaction" />
    ),
  },
];

const NO_ROWS: readonly never[] = [];
const keyOf = ({ signature, account, part }: WalletEvent) => `${signature} ${account} ${part}`;

interface HistoryProps {
  readonly position: WalletPosition;
  readonly link: ExplorerLink | null;
}

export default function History({ position, link }: HistoryProps) {
  const { view, change } = useHistoryView();
  const wallet = position.walletAddress;
  const newestEvent = position.transactions?.rows[0];
  const refreshKey = [position.staked, newestEvent?.signature, newestEvent?.status].join(' ');
  return (
    <>
      <div className={tableStyles.table}>
        <Filters wallet={wallet} view={view} onChange={change} />
      </div>
      <div className={styles.events}>
        <StakeChart position={position} view={view} refreshKey={refreshKey} />
      </div>
      <div className={`${tableStyles.table} ${styles.events}`}>
        <EventTable
          key={historyQuery(wallet, view)}
          wallet={wallet}
          view={view}
          refreshKey={refreshKey}
          link={link}
        />
      </div>
    </>
  );
}

interface FiltersProps {
  readonly wallet: string;
  readonly view: HistoryView;
  readonly onChange: ReturnType<typeof useHistoryView>['change'];
}

function Filters({ wallet, view, onChange }: FiltersProps) {
  const ranges = rangePresets(serverClock.now());
  const chosenLabel = ranges.find(([, { from, to }]) => from === view.from && to === view.to)?.[0];
  const dayInput = (name: 'from' | 'to') => ({
    type: 'date',
    value: view[name] ?? '',
    onChange: ({ target }: { readonly target: HTMLInputElement }) =>
      onChange({ [name]: target.value === '' ? null : target.value }, 'replace'),
  });
  return (
    <>
      <div className={`${tableStyles.tools} script-only`}>
        <label>
          <span className={tableStyles.label}>Range</span>
          <select
            value={chosenLabel ?? ''}
            onChange={({ target }) => onChange(ranges.find(([label]) => label === target.value)?.[1] ?? {})}
          >
            {chosenLabel === undefined ? <option value="">Custom</option> : null}
            {ranges.map(([label]) => (
              <option key={label} value={label}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span className={tableStyles.label}>From</span>
          <input {...dayInput('from')} />
        </label>
        <label>
          <span className={tableStyles.label}>To</span>
          <input {...dayInput('to')} />
        </label>
        <label>
          <span className={tableStyles.label}>Type</span>
          <select
            value={view.type ?? ''}
            onChange={({ target }) =>
              onChange({ type: EVENT_KINDS.find((kind) => kind === target.value) ?? null })
            }
          >
            <option value="">All</option>
            {EVENT_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {EVENT_KIND_STYLES[kind].label}
              </option>
            ))}
          </select>
        </label>
        <ExportButtons wallet={wallet} view={view} />
      </div>
      <p className={`${styles.quiet} script-only`} data-export-prices>
        Exported files use one price per minute. For events older than two days, they use one price per hour,
        and for events older than 100 days, one per day. So a later export can show a different price for the
        same event.
      </p>
    </>
  );
}

/** Exports all events that match the filters, not only those on the current page. */
function ExportButtons({ wallet, view }: Pick<FiltersProps, 'wallet' | 'view'>) {
  const [state, setState] = useState<'idle' | 'saving' | 'too-many' | 'failed'>('idle');
  const save = async (format: 'csv' | 'json') => {
    setState('saving');
    try {
      const path = `${PATHS.walletHistoryExport}?${historyQuery(wallet, view)}&format=${format}`;
      const file = await (await request('GET', path)).blob();
      const suffixes = [view.type, view.from, view.to].filter(Boolean).map((part) => `-${part}`);
      saveBlob(`blackduck-${wallet.slice(0, 8)}${suffixes.join('')}.${format}`, file);
      setState('idle');
    } catch (error) {
      setState(positionError(error) === 'too-many' ? 'too-many' : 'failed');
    }
  };
  const isSaving = state === 'saving';
  return (
    <>
      {(['csv', 'json'] as const).map((format) => (
        <button
          key={format}
          type="button"
          aria-disabled={isSaving}
          onClick={isSaving ? undefined : () => void save(format)}
        >
          {format.toUpperCase()}
          <span className="visually-hidden"> of the whole range</span>
        </button>
      ))}
      <span className={styles.quiet} role="status" data-export={state}>
        {state === 'too-many' ? 'Too many requests. Wait a minute, then try again.' : null}
        {state === 'failed' ? 'Could not save the file. Try again.' : null}
      </span>
    </>
  );
}

interface EventTableProps extends Pick<FiltersProps, 'wallet' | 'view'> {
  readonly refreshKey: string;
  readonly link: ExplorerLink | null;
}

function EventTable({ wallet, view, refreshKey, link }: EventTableProps) {
  const [pageSize, setPageSize] = useState<PageSize>(PAGE_SIZES[0]);
  /** For each page from the second to the current one: where it begins, and how many rows precede it. */
  const [pageStarts, setPageStarts] = useState<
    readonly { readonly before: string; readonly rowsBefore: number }[]
  >([]);
  const before = pageStarts.at(-1)?.before ?? null;
  const beforeQuery = before === null ? '' : `&before=${before}`;
  const path = `${PATHS.walletHistory}?${historyQuery(wallet, view)}&limit=${pageSize}${beforeQuery}`;
  const { data, isError, isFetching, refetch } = useQuery({
    queryKey: [path, refreshKey],
    queryFn: async ({ signal }): Promise<WalletHistory> => (await request('GET', path, { signal })).json(),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.rows === null ? POSITION_INTERVAL_MS : false),
  });
  /** Null while the events load, or while the server reads the chain. */
  const events = data?.rows ?? null;
  const columns = useMemo(() => columnsOf(link), [link]);
  const table = useTable({
    ...TABLE_OPTIONS,
    columns,
    data: events ?? NO_ROWS,
    getRowId: keyOf,
    enableSorting: false,
    manualSorting: true,
    manualPagination: true,
  });
  if (isError && data === undefined) {
    return (
      <p className={styles.noEvents}>
        Could not load the events.{' '}
        <RetryButton retry={{ run: () => void refetch(), running: isFetching }} what="the events" />
      </p>
    );
  }
  const rowCount = events?.length ?? 0;
  const nextCursor = data?.next ?? null;
  const earlierRows = pageStarts.at(-1)?.rowsBefore ?? 0;
  const isEmpty = events !== null && rowCount === 0;
  return (
    <>
      {isEmpty ? (
        <p className={styles.noEvents}>
          {nextCursor !== null
            ? 'No matching events on this page. Go to the next page to search older ones.'
            : pageStarts.length > 0
              ? 'No older events in this range.'
              : 'No events in this range.'}
        </p>
      ) : (
        <Rows
          table={table}
          caption="Events of the wallet"
          skeletonRows={events === null ? 3 : null}
          isPreviousView={isFetching}
        />
      )}
      <Pager
        what="the events"
        range={
          events === null || (isEmpty && nextCursor === null && pageStarts.length === 0)
            ? null
            : {
                rowsBefore: earlierRows,
                rowCount,
                // The number of older events is unknown, so they are counted as one.
                total: earlierRows + rowCount + (nextCursor === null ? 0 : 1),
                isTotalExact: nextCursor === null,
              }
        }
        pageSize={pageSize}
        onPageSize={(size) => {
          setPageSize(PAGE_SIZES.find((known) => known === size) ?? pageSize);
          setPageStarts([]);
        }}
        steps={{
          first: pageStarts.length > 0 ? () => setPageStarts([]) : null,
          previous: pageStarts.length > 0 ? () => setPageStarts(pageStarts.slice(0, -1)) : null,
          next:
            nextCursor === null
              ? null
              : () =>
                  setPageStarts([...pageStarts, { before: nextCursor, rowsBefore: earlierRows + rowCount }]),
        }}
      />
    </>
  );
}
