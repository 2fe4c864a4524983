import { useMemo } from 'react';
import { ANALYTICS_TRANSACTIONS, type FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { useFigure } from '../../data/use-figure.ts';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { useExplorerLink } from '../figure/use-explorer-link.ts';
import { ReadTable } from '../table/ReadTable.tsx';
import { transactionsPlan } from './transactions-plan.tsx';

/** The newest movements of the vault and the stake pool. */
export default function Transactions({ explorer }: { readonly explorer: string }) {
  return (
    <LiveRoot>
      <LiveTransactions explorer={explorer} />
    </LiveRoot>
  );
}

function LiveTransactions({ explorer }: { readonly explorer: string }) {
  return <TransactionTable link={useExplorerLink(explorer)} reading={useFigure(ANALYTICS_TRANSACTIONS)} />;
}

interface TransactionTableProps {
  readonly link: ExplorerLink | null;
  readonly reading: Reading<FigureBodies['/api/transactions']>;
}

function TransactionTable({ link, reading }: TransactionTableProps) {
  const plan = useMemo(() => transactionsPlan(link), [link]);
  return (
    <ReadTable
      plan={plan}
      reading={reading}
      rows={reading.kind === 'known' ? reading.body : []}
      what="the transactions"
      failed="The transactions could not be read."
      unknown="The history is still being read from the chain; its newest transactions are not known yet."
      empty="No movement of the vault or the stake pool yet."
    />
  );
}
