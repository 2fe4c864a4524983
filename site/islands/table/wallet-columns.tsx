import type { RowData } from '@tanstack/react-table';
import { exactUnits } from '../../../data/model/amounts.ts';
import { type BadgeName, STAKER_BADGES } from '../../../data/model/tiers.ts';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { formatStake } from '../ui/format.ts';
import { LinkedId } from '../ui/LinkedId.tsx';
import { StakerBadge } from '../ui/StakerBadge.tsx';
import { type Column, FIGURE_COLUMN } from './table-spec.ts';

export function walletColumn<Row extends RowData>(
  walletOf: (row: Row) => string,
  link: ExplorerLink | null,
): Column<Row> {
  return {
    id: 'wallet',
    header: 'Wallet',
    accessorFn: walletOf,
    cell: ({ row: { original } }) => {
      const wallet = walletOf(original);
      return <LinkedId id={wallet} kind="address" link={link} name="Wallet" isSearched />;
    },
  };
}

/** Sorted by the minimum stake of the badges. */
export function badgeColumn<Row extends RowData>(badgeOf: (row: Row) => BadgeName | null): Column<Row> {
  return {
    id: 'badge',
    header: 'Badge',
    sortDescFirst: true,
    accessorFn: (row) => {
      const badge = badgeOf(row);
      return badge === null ? undefined : STAKER_BADGES.indexOf(badge);
    },
    cell: ({ row: { original } }) => <StakerBadge badge={badgeOf(original)} />,
  };
}

/** @param amountOf returns the staked BD as decimal text */
export function stakedColumn<Row extends RowData>(amountOf: (row: Row) => string): Column<Row> {
  return {
    id: 'staked',
    header: 'Staked (BD)',
    meta: FIGURE_COLUMN,
    sortDescFirst: true,
    accessorFn: (row) => exactUnits(amountOf(row)),
    cell: ({ row: { original } }) => formatStake(amountOf(original)),
  };
}
