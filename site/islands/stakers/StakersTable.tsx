import { useMemo } from 'react';
import type { EnhancedStakers, StakingTransfers } from '../../../data/contract/stakes.ts';
import { EXACT_DECIMALS, exactUnits } from '../../../data/model/amounts.ts';
import { formatCount } from '../../../data/model/count.ts';
import { REFERENCE_VALUES } from '../../../data/model/stated-figures.ts';
import { STAKER_BADGES, type StakerBadge, stakerBadge } from '../../../data/model/tiers.ts';
import type { Reading } from '../../data/figure-query.ts';
import { STAKING_TRANSFERS } from '../../data/figure-strategies.ts';
import { ReadTable } from '../table/DataTable.tsx';
import { FIGURE, type TableSpec } from '../table/table-spec.ts';
import { badgeColumn, stakedColumn, walletColumn } from '../table/wallet-columns.tsx';
import { Evidence } from '../ui/Evidence.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { Age } from '../ui/Figure.tsx';
import { LockLeft, LockProgress } from '../ui/Lock.tsx';
import { Dash } from '../ui/ReadStates.tsx';

/** A wallet with an active stake. Times are Unix ms. */
interface StakerRow {
  readonly wallet: string;
  /** BD, decimal text. */
  readonly amount: string;
  readonly badge: StakerBadge | null;
  readonly startedAt: number;
  readonly unlocksAt: number;
  /** The transaction that opened its newest stake. */
  readonly signature: string | null;
}

export function stakerRows(stakers: StakingTransfers['stakers']): readonly StakerRow[] {
  return stakers.map(({ wallet, amount, startDate, unlockDate, signature }) => ({
    wallet,
    amount,
    badge: stakerBadge(exactUnits(amount), EXACT_DECIMALS),
    startedAt: Date.parse(startDate),
    unlocksAt: Date.parse(unlockDate),
    signature,
  }));
}

const NO_BADGE = 'No badge';
const iso = (at: number) => new Date(at).toISOString();

export function stakersSpec(link: ExplorerLink | null): TableSpec<StakerRow> {
  return {
    name: 'stakers',
    caption: 'Active stakers',
    findLabel: 'Find a wallet',
    sorting: { id: 'staked', desc: true },
    rowKey: ({ wallet }) => wallet,
    textOf: ({ wallet }) => wallet,
    choice: {
      id: 'badge',
      label: 'Badge',
      options: [...STAKER_BADGES.toReversed(), NO_BADGE],
      valueOf: ({ badge }) => badge ?? NO_BADGE,
    },
    columns: [
      walletColumn(({ wallet }) => wallet, link),
      badgeColumn(({ badge }) => badge),
      stakedColumn(({ amount }) => amount),
      {
        id: 'opened',
        header: 'Opened by',
        cell: ({ row: { original } }) =>
          original.signature === null ? (
            <Dash why="Before our records begin" />
          ) : (
            <Evidence id={original.signature} kind="tx" link={link} name="Transaction" />
          ),
      },
      {
        id: 'left',
        header: 'Time left',
        meta: FIGURE,
        accessorFn: ({ unlocksAt }) => unlocksAt,
        cell: ({ row: { original } }) => <LockLeft unlocksAt={original.unlocksAt} />,
      },
      {
        id: 'progress',
        header: 'Progress',
        cell: ({ row: { original } }) => (
          <LockProgress startedAt={original.startedAt} unlocksAt={original.unlocksAt} />
        ),
      },
    ],
    csv: {
      fileName: 'bd-stakers.csv',
      header: ['Wallet', 'Badge', 'Staked (BD)', 'Lock began (UTC)', 'Unlocks (UTC)', 'Opened by'],
      cells: ({ wallet, badge, amount, startedAt, unlocksAt, signature }) => [
        wallet,
        badge,
        amount,
        iso(startedAt),
        iso(unlocksAt),
        signature,
      ],
    },
  };
}

interface TableProps<Body> {
  readonly link: ExplorerLink | null;
  readonly reading: Reading<Body>;
}

/** The wallets with an active stake, or a notice that says why there are none. */
export function StakersTable({ link, reading }: TableProps<StakingTransfers>) {
  const spec = useMemo(() => stakersSpec(link), [link]);
  const body = reading.kind === 'known' ? reading.body : null;
  const stakers = body?.stakers;
  const rows = useMemo(() => (stakers ? stakerRows(stakers) : []), [stakers]);
  return (
    <ReadTable
      spec={spec}
      reading={reading}
      rows={rows}
      skeletonRows={REFERENCE_VALUES.dashboard.activeStakers}
      note={
        body && (
          <Age read={{ asOf: Date.parse(body.asOf), source: 'chain', calls: [STAKING_TRANSFERS.path] }} />
        )
      }
      what="the stakers"
      failed="Could not load the stakers."
      unknown="Loading the stakers from the chain."
      empty="No active stakes at the moment."
    />
  );
}

function premiumSpec(link: ExplorerLink | null): TableSpec<EnhancedStakers[number]> {
  return {
    name: 'premium',
    caption: 'Premium authenticated stakers',
    findLabel: 'Find a wallet',
    sorting: { id: 'staked', desc: true },
    rowKey: ({ walletAddress }) => walletAddress,
    textOf: ({ walletAddress }) => walletAddress,
    columns: [
      walletColumn(({ walletAddress }) => walletAddress, link),
      badgeColumn(({ tier }) => tier),
      stakedColumn(({ stakedAmount }) => stakedAmount),
      {
        id: 'days',
        header: 'Staking for',
        meta: FIGURE,
        sortDescFirst: true,
        accessorFn: ({ stakingDuration }) => stakingDuration,
        cell: ({ row: { original } }) =>
          original.stakingDuration === 1 ? '1 day' : `${original.stakingDuration} days`,
      },
      {
        id: 'transactions',
        header: 'Transactions',
        meta: FIGURE,
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
      cells: ({ walletAddress, tier, stakedAmount, stakingDuration, transactionCount }) => [
        walletAddress,
        tier,
        stakedAmount,
        String(stakingDuration),
        transactionCount === null ? null : String(transactionCount),
      ],
    },
  };
}

/** The stakers that have proven ownership of their wallet, or a notice that says why there are none. */
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
      failed="Could not load the authenticated stakers."
      unknown="Loading the stakers from the chain."
      empty="No staker has proven wallet ownership yet."
    />
  );
}
