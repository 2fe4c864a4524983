import { formatCount } from '../../../data/model/count.ts';
import { STAKER_BADGES } from '../../../data/model/tiers.ts';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import { Badge } from '../badge/Badge.tsx';
import { Dash } from '../figure/Dash.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import type { TablePlan } from '../table/table-plan.ts';
import { stakedColumn, walletColumn } from '../table/wallet-columns.tsx';
import { badgeRank } from './staker-row.ts';

export type EnhancedStaker = FigureBodies['/api/stakers/enhanced'][number];

/** The table of stakers that have proved their wallet; `link` is null where no public explorer shows the chain. */
export function premiumPlan(link: ExplorerLink | null): TablePlan<EnhancedStaker> {
  return {
    name: 'premium',
    caption: 'Premium authenticated stakers',
    findLabel: 'Find a wallet',
    sorting: { column: 'staked', direction: 'descending' },
    rowKey: ({ walletAddress }) => walletAddress,
    textOf: ({ walletAddress }) => walletAddress,
    columns: [
      walletColumn(({ walletAddress }) => walletAddress, link),
      {
        id: 'badge',
        name: 'Badge',
        firstDirection: 'descending',
        sortKey: ({ tier }) => badgeRank(tier, STAKER_BADGES),
        cell: ({ tier }) => <Badge badge={tier} />,
      },
      stakedColumn(({ stakedAmount }) => stakedAmount),
      {
        id: 'days',
        name: 'Staking for',
        isFigure: true,
        firstDirection: 'descending',
        sortKey: ({ stakingDuration }) => stakingDuration,
        cell: ({ stakingDuration }) => (stakingDuration === 1 ? '1 day' : `${stakingDuration} days`),
      },
      {
        id: 'transactions',
        name: 'Transactions',
        isFigure: true,
        firstDirection: 'descending',
        sortKey: ({ transactionCount }) => transactionCount,
        cell: ({ transactionCount }) =>
          transactionCount === null ? (
            <Dash why="The history is being read" />
          ) : (
            formatCount(transactionCount)
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
