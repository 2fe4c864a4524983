import type { TransactionRow } from '../../../data/contract/metrics.ts';
import { activityRow, rowKey } from '../feed/activity-row.ts';
import { MovementKind } from '../feed/MovementKind.tsx';
import { Dash } from '../figure/Dash.tsx';
import { Evidence } from '../figure/Evidence.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { exactUnits } from '../table/exact-units.ts';
import type { TablePlan } from '../table/table-plan.ts';
import { momentText } from './moment-text.ts';

const kindOf = (row: TransactionRow) => activityRow(row).word;

function momentOf(row: TransactionRow): string | null {
  const { happenedAt } = activityRow(row);
  return happenedAt === null ? null : new Date(happenedAt).toISOString();
}

/** The table of a wallet's transactions; `link` is null where no public explorer shows the chain. */
export function transactionsPlan(link: ExplorerLink | null): TablePlan<TransactionRow> {
  return {
    name: 'tx',
    caption: 'Transactions of the wallet',
    findLabel: 'Find a signature',
    sorting: { column: 'when', direction: 'descending' },
    rowKey,
    textOf: ({ signature }) => signature,
    choice: {
      id: 'type',
      label: 'Type',
      options: ['Stake', 'Unstake', 'Deposit', 'Withdraw', 'Other'],
      valueOf: kindOf,
    },
    columns: [
      {
        id: 'type',
        name: 'Type',
        sortKey: kindOf,
        cell: (row) => <MovementKind row={row} />,
      },
      {
        id: 'amount',
        name: 'Amount (BD)',
        isFigure: true,
        firstDirection: 'descending',
        sortKey: ({ amount }) => exactUnits(amount),
        cell: (row) => activityRow(row).amount,
      },
      {
        id: 'when',
        name: 'When',
        isFigure: true,
        firstDirection: 'descending',
        // The slot orders those whose time is not known among the others.
        sortKey: ({ slot }) => slot,
        cell: (row) => {
          const moment = momentOf(row);
          return moment === null ? (
            <Dash why="Time unknown" />
          ) : (
            <time dateTime={moment}>{momentText(moment)}</time>
          );
        },
      },
      { id: 'status', name: 'Status', sortKey: ({ status }) => status, cell: ({ status }) => status },
      {
        id: 'signature',
        name: 'Transaction',
        cell: ({ signature }) => (
          <Evidence id={signature} href={link?.('tx', signature) ?? null} name="Transaction" />
        ),
      },
    ],
    csv: {
      fileName: 'bd-wallet-transactions.csv',
      header: ['Type', 'Account', 'Amount (BD)', 'When (UTC)', 'Slot', 'Status', 'Signature'],
      cells: (row) => [
        row.type,
        row.account,
        row.amount,
        momentOf(row),
        String(row.slot),
        row.status,
        row.signature,
      ],
    },
  };
}
