import { useMemo } from 'react';
import type { TransactionRow } from '../../../data/contract/metrics.ts';
import { exactUnits } from '../../../data/model/amounts.ts';
import type { PositionError } from '../../data/position-query.ts';
import { MovementKind, movementOf, rowKey } from '../feed/movement.tsx';
import { DataTable } from '../table/DataTable.tsx';
import { FIGURE, type TableSpec } from '../table/table-spec.ts';
import { Evidence } from '../ui/Evidence.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { momentText } from '../ui/format.ts';
import { Dash } from '../ui/ReadStates.tsx';
import styles from './position.module.css';
import type { PositionReading } from './use-position.ts';

const kindOf = (row: TransactionRow) => movementOf(row).label;

function momentOf(row: TransactionRow): string | null {
  const { happenedAt } = movementOf(row);
  return happenedAt === null ? null : new Date(happenedAt).toISOString();
}

/** Shown while a transaction is quarantined. */
export const QUARANTINED_TEXT = 'One transaction has not been read yet. It may belong to this wallet.';

function transactionsSpec(link: ExplorerLink | null): TableSpec<TransactionRow> {
  return {
    name: 'tx',
    caption: 'Wallet transactions',
    findLabel: 'Find a signature',
    sorting: { id: 'when', desc: true },
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
        header: 'Type',
        accessorFn: kindOf,
        cell: ({ row: { original } }) => <MovementKind movement={movementOf(original)} />,
      },
      {
        id: 'amount',
        header: 'Amount (BD)',
        meta: FIGURE,
        sortDescFirst: true,
        accessorFn: ({ amount }) => exactUnits(amount),
        cell: ({ row: { original } }) => movementOf(original).amount,
      },
      {
        id: 'when',
        header: 'When',
        meta: FIGURE,
        sortDescFirst: true,
        // Sorted by slot, because some transactions have no time.
        accessorFn: ({ slot }) => slot,
        cell: ({ row: { original } }) => {
          const moment = momentOf(original);
          return moment === null ? (
            <Dash why="Time unknown" />
          ) : (
            <time dateTime={moment}>{momentText(moment)}</time>
          );
        },
      },
      { id: 'status', header: 'Status', accessorFn: ({ status }) => status },
      {
        id: 'signature',
        header: 'Transaction',
        cell: ({ row: { original } }) => (
          <Evidence id={original.signature} kind="tx" link={link} name="Transaction" isSearched />
        ),
      },
    ],
    csv: {
      fileName: 'bd-wallet-transactions.csv',
      header: ['Type', 'Account', 'Amount (BD)', 'When (UTC)', 'Slot', 'Status', 'Signature'],
      cells: (row) => {
        const { type, account, amount, slot, status, signature } = row;
        return [type, account, amount, momentOf(row), String(slot), status, signature];
      },
    },
  };
}

interface TransactionsProps {
  readonly reading: Extract<PositionReading, { kind: 'known' }>;
  readonly link: ExplorerLink | null;
}

function failedText(failure: PositionError): string {
  const advice = failure === 'too-many' ? 'Wait a minute, then try again.' : 'Try again.';
  return `Could not load older transactions. ${advice}`;
}

export function Transactions({ reading, link }: TransactionsProps) {
  const { transactions, readOlder, readingOlder, olderFailure, position } = reading;
  const spec = useMemo(() => transactionsSpec(link), [link]);
  return (
    <section className={styles.part} aria-labelledby="position-transactions">
      <h2 id="position-transactions" className={styles.head}>
        Transactions
      </h2>
      {transactions === null ? (
        <p className={styles.quiet}>
          Loading the history from the chain. New transactions appear when it is complete.
        </p>
      ) : (
        <DataTable spec={spec} rows={transactions} empty={<p className={styles.none}>No transactions.</p>} />
      )}
      {position.transactions?.isComplete === false ? (
        <p className={styles.warning} data-warning="incomplete">
          {QUARANTINED_TEXT}
        </p>
      ) : null}
      {readOlder === null ? null : (
        <p className={styles.older}>
          <button
            type="button"
            className="button"
            aria-disabled={readingOlder}
            onClick={readingOlder ? undefined : readOlder}
          >
            {readingOlder ? 'Loading…' : 'Load older transactions'}
          </button>
          <span className={styles.quiet} role="status" data-failure={olderFailure ?? undefined}>
            {olderFailure === null
              ? 'The table and its CSV file contain only the loaded transactions.'
              : failedText(olderFailure)}
          </span>
        </p>
      )}
    </section>
  );
}
