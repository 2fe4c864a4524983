import type { ReactNode } from 'react';
import type { Reading } from '../../data/reading.ts';
import { useStreamState } from '../../data/use-figure.ts';
import { LiveSign } from '../figure/LiveSign.tsx';
import { ReadNotice } from '../figure/ReadNotice.tsx';
import { DataTable } from './DataTable.tsx';
import type { TablePlan } from './table-plan.ts';

interface ReadTableProps<Row> {
  readonly plan: TablePlan<Row>;
  /** Of the call that the rows come by. */
  readonly reading: Reading<unknown>;
  /** The rows that were read; none where the reading knows none. */
  readonly rows: readonly Row[];
  /** Beside the count of rows: how old they are. Where the call tells no time, whether news of them is delivered. */
  readonly note?: ReactNode;
  readonly skeletonRows?: number;
  /** What is read, for those who do not see where a retry stands: `the stakers`. */
  readonly what: string;
  /** Said where the read failed, beside a retry. */
  readonly failed: string;
  /** Said where the server has not read it from its source. */
  readonly unknown: string;
  /** Said where it was read and holds nothing. */
  readonly empty: string;
}

/** The table of a live list, or why it has no row to show. */
export function ReadTable<Row>({ plan, reading, rows, note, skeletonRows, ...words }: ReadTableProps<Row>) {
  const isLoading = reading.kind === 'loading';
  return (
    <DataTable
      plan={plan}
      rows={isLoading ? null : rows}
      note={note ?? <StreamSign />}
      {...(skeletonRows === undefined ? {} : { skeletonRows })}
      empty={isLoading ? null : <ReadNotice reading={reading} {...words} />}
    />
  );
}

function StreamSign() {
  return <LiveSign stream={useStreamState()} />;
}
