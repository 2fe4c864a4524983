import { useMemo } from 'react';
import type { EnhancedStakers, StakingTransfers } from '../../../data/contract/stakes.ts';
import { EXACT_DECIMALS, exactUnits } from '../../../data/model/amounts.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { stakingDays } from '../../../data/model/stakers.ts';
import { REFERENCE_VALUES } from '../../../data/model/stated-figures.ts';
import { STAKER_BADGES, stakerBadge } from '../../../data/model/tiers.ts';
import type { Reading } from '../../data/figure-query.ts';
import { STAKING_TRANSFERS } from '../../data/figure-strategies.ts';
import { serverClock } from '../../data/server-clock.ts';
import { useTicking } from '../../data/ticking-clock.ts';
import { ReadTable } from '../table/DataTable.tsx';
import { FIGURE_COLUMN, type TableSpec } from '../table/table-spec.ts';
import { badgeColumn, stakedColumn, walletColumn } from '../table/wallet-columns.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { Age } from '../ui/Figure.tsx';
import { LinkedId } from '../ui/LinkedId.tsx';
import { LockProgress, LockTimeLeft } from '../ui/Lock.tsx';
import { Dash } from '../ui/ReadStates.tsx';

type Staker = StakingTransfers['stakers'][number];

const NO_BADGE = 'No badge';
const badgeOf = ({ amount }: Staker) => stakerBadge(exactUnits(amount), EXACT_DECIMALS);

export function stakersSpec(link: ExplorerLink | null): TableSpec<Staker> {
  return {
    name: 'stakers',
    caption: 'Active stakers',
    findLabel: 'Find a wallet',
    sorting: { id: 'staked', desc: true },
    rowKey: ({ wallet }) => wallet,
    searchedTextOf: ({ wallet }) => wallet,
    choice: {
      id: 'badge',
      label: 'Badge',
      options: [...STAKER_BADGES.toReversed(), NO_BADGE],
      valueOf: (staker) => badgeOf(staker) ?? NO_BADGE,
    },
    columns: [
      walletColumn(({ wallet }) => wallet, link),
      badgeColumn(badgeOf),
      stakedColumn(({ amount }) => amount),
      {
        id: 'opened',
        header: 'Opened by',
        cell: ({ row: { original } }) =>
          original.signature === null ? (
            <Dash why="Before our records begin" />
          ) : (
            <LinkedId id={original.signature} kind="tx" link={link} name="Transaction" />
          ),
      },
      {
        id: 'left',
        header: 'Time left',
        meta: FIGURE_COLUMN,
        accessorFn: ({ unlockDate }) => Date.parse(unlockDate),
        cell: ({ row: { original } }) => <LockTimeLeft unlocksAt={Date.parse(original.unlockDate)} />,
      },
      {
        id: 'progress',
        header: 'Progress',
        cell: ({ row: { original } }) => (
          <LockProgress
            startedAt={Date.parse(original.startDate)}
            unlocksAt={Date.parse(original.unlockDate)}
          />
        ),
      },
    ],
    csv: {
      fileName: 'bd-stakers.csv',
      header: ['Wallet', 'Badge', 'Staked (BD)', 'Lock began (UTC)', 'Unlocks (UTC)', 'Opened by'],
      cells: (staker) => {
        const { wallet, amount, startDate, unlockDate, signature } = staker;
        return [wallet, badgeOf(staker), amount, startDate, unlockDate, signature];
      },
    },
  };
}

/** The same array in every render, so that the rows are not filtered again. */
const NO_ROWS: readonly never[] = [];

interface TableProps<Body> {
  readonly link: ExplorerLink | null;
  readonly reading: Reading<Body>;
}

export function StakersTable({ link, reading }: TableProps<StakingTransfers>) {
  const spec = useMemo(() => stakersSpec(link), [link]);
  const body = reading.kind === 'known' ? reading.body : null;
  return (
    <ReadTable
      spec={spec}
      reading={reading}
      rows={body?.stakers ?? NO_ROWS}
      skeletonRows={REFERENCE_VALUES.dashboard.activeStakers}
      note={
        body && (
          <Age read={{ asOf: Date.parse(body.asOf), source: 'chain', calls: [STAKING_TRANSFERS.path] }} />
        )
      }
      what="the stakers"
      failedText="Could not load the stakers."
      unknownText="Loading the stakers from the chain."
      emptyText="No active stakes at the moment."
    />
  );
}

/**
 * Computed here, because the number of days in the response may be outdated.
 * @param startedAt Unix ms
 */
function DaysStaked({ startedAt }: { readonly startedAt: number }) {
  const days = useTicking((now) => stakingDays(startedAt, now));
  return days === 1 ? '1 day' : `${days} days`;
}

export function premiumSpec(link: ExplorerLink | null): TableSpec<EnhancedStakers[number]> {
  return {
    name: 'premium',
    caption: 'Premium authenticated stakers',
    findLabel: 'Find a wallet',
    sorting: { id: 'staked', desc: true },
    rowKey: ({ walletAddress }) => walletAddress,
    searchedTextOf: ({ walletAddress }) => walletAddress,
    columns: [
      walletColumn(({ walletAddress }) => walletAddress, link),
      badgeColumn(({ tier }) => tier),
      stakedColumn(({ stakedAmount }) => stakedAmount),
      {
        id: 'days',
        header: 'Staking for',
        meta: FIGURE_COLUMN,
        sortDescFirst: true,
        accessorFn: ({ startDate }) => -Date.parse(startDate),
        cell: ({ row: { original } }) => <DaysStaked startedAt={Date.parse(original.startDate)} />,
      },
      {
        id: 'transactions',
        header: 'Transactions',
        meta: FIGURE_COLUMN,
        sortDescFirst: true,
        accessorFn: ({ transactionCount }) => transactionCount ?? undefined,
        cell: ({ row: { original } }) =>
          original.transactionCount === null ? (
            <Dash why="Loading the history" />
          ) : (
            formatCount(original.transactionCount)
          ),
      },
    ],
    csv: {
      fileName: 'bd-authenticated-stakers.csv',
      header: ['Wallet', 'Badge', 'Staked (BD)', 'Days staked', 'Transactions'],
      cells: ({ walletAddress, tier, stakedAmount, startDate, transactionCount }) => {
        const days = stakingDays(Date.parse(startDate), serverClock.now());
        const transactions = transactionCount === null ? null : String(transactionCount);
        return [walletAddress, tier, stakedAmount, String(days), transactions];
      },
    },
  };
}

/** The stakers with a proven or whitelisted wallet. */
export function PremiumTable({ link, reading }: TableProps<EnhancedStakers>) {
  const spec = useMemo(() => premiumSpec(link), [link]);
  const stakers = reading.kind === 'known' ? reading.body : null;
  const rows = useMemo(() => (stakers ?? []).filter(({ isAuthenticated }) => isAuthenticated), [stakers]);
  return (
    <ReadTable
      spec={spec}
      reading={reading}
      rows={rows}
      skeletonRows={0}
      what="the authenticated stakers"
      failedText="Could not load the authenticated stakers."
      unknownText="Loading the stakers from the chain."
      emptyText="No staker’s wallet is proven or whitelisted yet."
    />
  );
}
