import { exactUnits, scaledDecimal } from '../../../data/model/amounts.ts';
import { formatFull } from '../../../data/model/format.ts';
import type { Usage } from '../../data/card-calls.ts';
import { DataTable } from '../table/DataTable.tsx';
import { FIGURE_COLUMN, type TableSpec } from '../table/table-spec.ts';
import { momentText } from '../ui/format.ts';
import type { Retry } from '../ui/provenance.ts';
import { Dash, RetryButton } from '../ui/ReadStates.tsx';
import styles from './card.module.css';

type Payment = Usage['transactions'][number];

const STATE_LABELS = { pending: 'Pending', settled: 'Settled', declined: 'Declined' } as const;

const stateLabel = ({ state }: Payment) => STATE_LABELS[state];

/** An amount with the dollar sign: `'$12.50'`, or `'−$12.50'` for a refund. */
function dollarsText(decimalText: string): string {
  const text = formatFull(decimalText);
  return text.startsWith('−') ? `−$${text.slice(1)}` : `$${text}`;
}

export const USAGE_SPEC: TableSpec<Payment> = {
  // The prefix of the URL parameters. Changing it would break bookmarks.
  name: 'paid',
  caption: 'Card transactions',
  findLabel: 'Find a merchant',
  sorting: { id: 'when', desc: true },
  rowKey: ({ id }) => id,
  searchedTextOf: ({ merchant }) => merchant,
  choice: { id: 'state', label: 'State', options: Object.values(STATE_LABELS), valueOf: stateLabel },
  columns: [
    {
      id: 'merchant',
      header: 'Merchant',
      accessorFn: ({ merchant }) => merchant,
      cell: ({ row: { original } }) => <bdi>{original.merchant}</bdi>,
    },
    {
      id: 'category',
      header: 'Category',
      accessorFn: ({ category }) => category ?? undefined,
      cell: ({ row: { original } }) =>
        original.category === null ? <Dash why="No category" /> : <bdi>{original.category}</bdi>,
    },
    {
      id: 'amount',
      header: 'Amount (USD)',
      meta: FIGURE_COLUMN,
      sortDescFirst: true,
      accessorFn: ({ amount }) => exactUnits(amount),
      cell: ({ row: { original } }) => <bdi dir="ltr">{dollarsText(original.amount)}</bdi>,
    },
    {
      id: 'when',
      header: 'When',
      meta: FIGURE_COLUMN,
      sortDescFirst: true,
      accessorFn: ({ at }) => Date.parse(at),
      cell: ({ row: { original } }) => <time dateTime={original.at}>{momentText(original.at)}</time>,
    },
    {
      id: 'state',
      header: 'State',
      accessorFn: stateLabel,
      cell: ({ row: { original } }) => <span>{stateLabel(original)}</span>,
    },
  ],
  csv: {
    fileName: 'card-transactions.csv',
    header: ['Merchant', 'Category', 'Amount (USD)', 'When (UTC)', 'State', 'Transaction'],
    cells: ({ merchant, category, amount, at, state, id }) => [merchant, category, amount, at, state, id],
  },
};

interface UsageViewProps {
  readonly usage: Usage;
  /** The badge of a test card; null for a real card. */
  readonly testBadge: string | null;
  /** Null unless the last read failed. */
  readonly retry: Retry | null;
}

export default function UsageView({ usage, testBadge, retry }: UsageViewProps) {
  return (
    <div className={styles.usage} data-usage={usage.isComplete ? 'complete' : 'incomplete'}>
      {testBadge === null ? null : <p className={styles.testBadge}>{testBadge}</p>}
      <div className={styles.spent}>
        <SpendingMeter label="Spent today" spent={usage.spentToday} limit={usage.dailyLimit} />
        <SpendingMeter label="Spent this month" spent={usage.spentThisMonth} limit={usage.monthlyLimit} />
      </div>
      <p className={styles.quiet}>As reported by the issuer on {momentText(usage.asOf)}.</p>
      {retry === null ? null : (
        <p className={styles.amber} role="status">
          Could not update. Newer payments may be missing. <RetryButton retry={retry} what="the usage" />
        </p>
      )}
      {usage.isComplete ? null : (
        <p className={styles.amber}>
          This list and its CSV file are incomplete. The card issuer has more transactions.
        </p>
      )}
      <DataTable
        spec={USAGE_SPEC}
        rows={usage.transactions}
        emptyContent={<p className={styles.neverUsed}>The card has not been used yet.</p>}
      />
    </div>
  );
}

interface SpendingMeterProps {
  readonly label: string;
  /** In US dollars, as decimal text, like `limit`. */
  readonly spent: string;
  readonly limit: string;
}

/** The percentage of a limit that is used, from 0 to 100; 0 if refunds exceed payments. */
export function percentOfLimit(spent: string, limit: string): number {
  const [scaledSpent, scaledLimit] = [scaledDecimal(spent, 4), scaledDecimal(limit, 4)];
  if (scaledLimit <= 0n || scaledSpent <= 0n) return 0;
  return scaledSpent >= scaledLimit ? 100 : Number((scaledSpent * 1_000n) / scaledLimit) / 10;
}

function SpendingMeter({ label, spent, limit }: SpendingMeterProps) {
  return (
    <div>
      <h3>{label}</h3>
      <p className={styles.figure}>
        {dollarsText(spent)} <span className={styles.quiet}>of {dollarsText(limit)}</span>
      </p>
      <meter
        min={0}
        max={100}
        value={percentOfLimit(spent, limit)}
        aria-label={`${label}, share of the limit`}
      />
    </div>
  );
}
