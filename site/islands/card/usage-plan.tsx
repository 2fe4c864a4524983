import { formatFull } from '../../../data/model/format.ts';
import type { Usage } from '../../data/card-calls.ts';
import { Dash } from '../figure/Dash.tsx';
import { momentText } from '../position/moment-text.ts';
import { exactUnits } from '../table/exact-units.ts';
import type { TablePlan } from '../table/table-plan.ts';

type Payment = Usage['transactions'][number];

const STATES = { pending: 'Pending', settled: 'Settled', declined: 'Declined' } as const;

const stateOf = ({ state }: Payment) => STATES[state];

/** US dollars with their sign: `'$12.50'`, and `'−$12.50'` where money came back. */
export function dollarsText(decimalText: string): string {
  const text = formatFull(decimalText);
  return text.startsWith('−') ? `−$${text.slice(1)}` : `$${text}`;
}

/** The table of what a card paid for. */
export const USAGE_PLAN: TablePlan<Payment> = {
  name: 'paid',
  caption: 'Transactions of the card',
  findLabel: 'Find a merchant',
  sorting: { column: 'when', direction: 'descending' },
  rowKey: ({ id }) => id,
  textOf: ({ merchant }) => merchant,
  choice: { id: 'state', label: 'State', options: Object.values(STATES), valueOf: stateOf },
  columns: [
    {
      id: 'merchant',
      name: 'Merchant',
      sortKey: ({ merchant }) => merchant,
      cell: ({ merchant }) => merchant,
    },
    {
      id: 'category',
      name: 'Category',
      sortKey: ({ category }) => category,
      cell: ({ category }) => category ?? <Dash why="No category" />,
    },
    {
      id: 'amount',
      name: 'Amount (USD)',
      isFigure: true,
      firstDirection: 'descending',
      sortKey: ({ amount }) => exactUnits(amount),
      cell: ({ amount }) => dollarsText(amount),
    },
    {
      id: 'when',
      name: 'When',
      isFigure: true,
      firstDirection: 'descending',
      sortKey: ({ at }) => Date.parse(at),
      cell: ({ at }) => <time dateTime={at}>{momentText(at)}</time>,
    },
    { id: 'state', name: 'State', sortKey: stateOf, cell: stateOf },
  ],
  csv: {
    fileName: 'card-transactions.csv',
    header: ['Merchant', 'Category', 'Amount (USD)', 'When (UTC)', 'State', 'Transaction'],
    cells: ({ merchant, category, amount, at, state, id }) => [merchant, category, amount, at, state, id],
  },
};
