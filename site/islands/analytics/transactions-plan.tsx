import { useStore } from '@nanostores/react';
import type { TransactionRow } from '../../../data/contract/metrics.ts';
import { $now } from '../../data/ticking-clock.ts';
import { activityRow, rowKey, whenText } from '../feed/activity-row.ts';
import { MovementKind } from '../feed/MovementKind.tsx';
import { Evidence } from '../figure/Evidence.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { exactUnits } from '../table/exact-units.ts';
import type { TablePlan } from '../table/table-plan.ts';

const KINDS = ['Stake', 'Deposit', 'Unstake', 'Withdraw', 'Other'] as const;
const kindOf = (row: TransactionRow) => activityRow(row).word;
const momentOf = (row: TransactionRow) => activityRow(row).happenedAt;

/** The table of movements; `link` is null where no public explorer shows the chain. */
export function transactionsPlan(link: ExplorerLink | null): TablePlan<TransactionRow> {
  return {
    name: 'transactions',
    caption: 'Transactions',
    findLabel: 'Find a signature or wallet',
    sorting: { column: 'when', direction: 'descending' },
    rowKey,
    textOf: ({ signature, wallet }) => `${signature} ${wallet ?? ''}`,
    choice: { id: 'type', label: 'Type', options: KINDS, valueOf: kindOf },
    columns: [
      { id: 'type', name: 'Type', sortKey: kindOf, cell: (row) => <MovementKind row={row} /> },
      {
        id: 'signature',
        name: 'Signature',
        cell: (row) => (
          <Evidence
            id={row.signature}
            href={link?.('tx', row.signature) ?? null}
            name={`${kindOf(row)} transaction`}
          />
        ),
      },
      {
        id: 'amount',
        name: 'Amount (BD)',
        isFigure: true,
        firstDirection: 'descending',
        sortKey: ({ amount }) => exactUnits(amount),
        cell: (row) => activityRow(row).amount,
      },
      { id: 'status', name: 'Status', sortKey: ({ status }) => status, cell: ({ status }) => status },
      {
        id: 'when',
        name: 'When',
        isFigure: true,
        firstDirection: 'descending',
        sortKey: momentOf,
        cell: (row) => <When at={momentOf(row)} />,
      },
    ],
    csv: {
      fileName: 'bd-transactions.csv',
      header: ['Type', 'Account', 'Amount (BD)', 'Status', 'Time (UTC)', 'Signature', 'Wallet', 'Slot'],
      cells: (row) => {
        const at = momentOf(row);
        const time = at === null ? null : new Date(at).toISOString();
        return [
          row.type,
          row.account,
          row.amount,
          row.status,
          time,
          row.signature,
          row.wallet,
          String(row.slot),
        ];
      },
    },
  };
}

function When({ at }: { readonly at: number | null }) {
  const now = useStore($now);
  const text = whenText(at, now);
  return at === null ? text : <time dateTime={new Date(at).toISOString()}>{text}</time>;
}
