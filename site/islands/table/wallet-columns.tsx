import { Evidence } from '../figure/Evidence.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { formatStake } from '../figure/moved-amount.ts';
import type { Column } from './column.ts';
import { exactUnits } from './exact-units.ts';

/** The column of a row's wallet; `link` is null where no public explorer shows the chain. */
export function walletColumn<Row>(walletOf: (row: Row) => string, link: ExplorerLink | null): Column<Row> {
  return {
    id: 'wallet',
    name: 'Wallet',
    sortKey: walletOf,
    cell: (row) => (
      <Evidence id={walletOf(row)} href={link?.('address', walletOf(row)) ?? null} name="Wallet" />
    ),
  };
}

/** The column of what a row's wallet has staked, told as decimal text. */
export function stakedColumn<Row>(amountOf: (row: Row) => string): Column<Row> {
  return {
    id: 'staked',
    name: 'Staked (BD)',
    isFigure: true,
    firstDirection: 'descending',
    sortKey: (row) => exactUnits(amountOf(row)),
    cell: (row) => formatStake(amountOf(row)),
  };
}
