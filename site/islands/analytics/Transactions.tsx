import { useStore } from '@nanostores/react';
import { useMemo } from 'react';
import type { TransactionRow } from '../../../data/contract/metrics.ts';
import { exactUnits } from '../../../data/model/amounts.ts';
import { ANALYTICS_TRANSACTIONS } from '../../data/figure-strategies.ts';
import { $now } from '../../data/ticking-clock.ts';
import { useFigure } from '../../data/use-figure.ts';
import { MovementKind, movementAgeText, movementOf, rowKey } from '../feed/movement.tsx';
import { ReadTable } from '../table/DataTable.tsx';
import { FIGURE_COLUMN, type TableSpec } from '../table/table-spec.ts';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { LinkedId, NamedWallet, useExplorerLink } from '../ui/LinkedId.tsx';
import { liveIsland } from '../ui/Live.tsx';

const MOVEMENT_LABELS = ['Stake', 'Deposit', 'Unstake', 'Withdraw', 'Other'] as const;
const labelOf = (row: TransactionRow) => movementOf(row).label;
const momentOf = (row: TransactionRow) => movementOf(row).happenedAt;

function transactionsSpec(link: ExplorerLink | null): TableSpec<TransactionRow> {
  return {
    name: 'transactions',
    caption: 'Transactions',
    findLabel: 'Find a signature or wallet',
    sorting: { id: 'when', desc: true },
    rowKey,
    searchedTextOf: ({ signature, wallet }) => `${signature} ${wallet ?? ''}`,
    choice: { id: 'type', label: 'Type', options: MOVEMENT_LABELS, valueOf: labelOf },
    columns: [
      {
        id: 'type',
        header: 'Type',
        accessorFn: labelOf,
        cell: ({ row: { original } }) => <MovementKind movement={movementOf(original)} />,
      },
      {
        id: 'signature',
        header: 'Signature',
        cell: ({ row: { original } }) => (
          <>
            <LinkedId
              id={original.signature}
              kind="tx"
              link={link}
              name={`${labelOf(original)} transaction`}
            />{' '}
            <NamedWallet wallet={original.wallet} link={link} />
          </>
        ),
      },
      {
        id: 'amount',
        header: 'Amount (BD)',
        meta: FIGURE_COLUMN,
        sortDescFirst: true,
        accessorFn: ({ amount }) => exactUnits(amount),
        cell: ({ row: { original } }) => movementOf(original).amount,
      },
      { id: 'status', header: 'Status', accessorFn: ({ status }) => status },
      {
        id: 'when',
        header: 'When',
        meta: FIGURE_COLUMN,
        sortDescFirst: true,
        accessorFn: (row) => momentOf(row) ?? undefined,
        cell: ({ row: { original } }) => <MovementTime at={momentOf(original)} />,
      },
    ],
    csv: {
      fileName: 'bd-transactions.csv',
      header: ['Type', 'Account', 'Amount (BD)', 'Status', 'Time (UTC)', 'Signature', 'Wallet', 'Slot'],
      cells: (row) => {
        const { type, account, amount, status, signature, wallet, slot } = row;
        const at = momentOf(row);
        const time = at === null ? null : new Date(at).toISOString();
        return [type, account, amount, status, time, signature, wallet, String(slot)];
      },
    },
  };
}

function MovementTime({ at }: { readonly at: number | null }) {
  const now = useStore($now);
  const text = movementAgeText(at, now);
  return at === null ? text : <time dateTime={new Date(at).toISOString()}>{text}</time>;
}

export default liveIsland(function Transactions({ explorer }: { readonly explorer: string }) {
  const link = useExplorerLink(explorer);
  const reading = useFigure(ANALYTICS_TRANSACTIONS);
  const spec = useMemo(() => transactionsSpec(link), [link]);
  return (
    <ReadTable
      spec={spec}
      reading={reading}
      rows={reading.kind === 'known' ? reading.body : []}
      what="the transactions"
      failedText="Could not load the transactions."
      unknownText="Loading the history from the chain. Transactions appear once it is complete."
      emptyText="No vault or stake pool transactions yet."
    />
  );
});
