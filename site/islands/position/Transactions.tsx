import { useMemo } from 'react';
import type { PositionFault } from '../../data/position-query.ts';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { DataTable } from '../table/DataTable.tsx';
import styles from './position.module.css';
import { transactionsPlan } from './transactions-plan.tsx';
import type { PositionReading } from './use-position.ts';

interface TransactionsProps {
  readonly reading: Extract<PositionReading, { kind: 'known' }>;
  readonly link: ExplorerLink | null;
}

/** That older ones could not be read, and what to do about it. */
function failedWords(fault: PositionFault): string {
  const advice = fault === 'too-many' ? 'Wait a minute, then try again.' : 'Try again.';
  return `Older transactions could not be read. Those above are complete as far as they go. ${advice}`;
}

/** The wallet's transactions as far as they are read, as a table and as CSV with exact amounts. */
export function Transactions({ reading, link }: TransactionsProps) {
  const { transactions, readOlder, readingOlder, olderFault, position } = reading;
  const plan = useMemo(() => transactionsPlan(link), [link]);
  return (
    <section className={styles.part} aria-labelledby="position-transactions">
      <h2 id="position-transactions" className={styles.head}>
        Transactions
      </h2>
      {transactions === null ? (
        <p className={styles.quiet}>
          The history is still being read from the chain: the newest transactions are not known yet.
        </p>
      ) : (
        <DataTable
          plan={plan}
          rows={transactions}
          empty={<p className={styles.none}>No transaction of this wallet is known.</p>}
        />
      )}
      {position.transactions?.isComplete === false ? (
        <p className={styles.warning}>
          A transaction of the vault or the stake pool could not be read yet. It may be of this wallet.
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
            {readingOlder ? 'Reading…' : 'Read older transactions'}
          </button>
          <span className={styles.quiet} role="status">
            {olderFault === null
              ? 'The table and its CSV hold those that are read.'
              : failedWords(olderFault)}
          </span>
        </p>
      )}
    </section>
  );
}
