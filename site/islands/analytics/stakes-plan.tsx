import type { FigureBodies } from '../../data/figure-strategies.ts';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import type { TablePlan } from '../table/table-plan.ts';
import { stakedColumn, walletColumn } from '../table/wallet-columns.tsx';

type Staker = FigureBodies['/api/stakers/enhanced'][number];

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const day = (moment: string) => <time dateTime={moment}>{DAY.format(Date.parse(moment))}</time>;

/** The table of stakes, largest first; `link` is null where no public explorer shows the chain. */
export function stakesPlan(link: ExplorerLink | null): TablePlan<Staker> {
  return {
    name: 'stakes',
    caption: 'Stakes by size',
    findLabel: 'Find a wallet',
    sorting: { column: 'staked', direction: 'descending' },
    rowKey: ({ walletAddress }) => walletAddress,
    textOf: ({ walletAddress }) => walletAddress,
    columns: [
      walletColumn(({ walletAddress }) => walletAddress, link),
      stakedColumn(({ stakedAmount }) => stakedAmount),
      {
        id: 'since',
        name: 'Since (UTC)',
        isFigure: true,
        sortKey: ({ startDate }) => Date.parse(startDate),
        cell: ({ startDate }) => day(startDate),
      },
      {
        id: 'unlocks',
        name: 'Unlocks (UTC)',
        isFigure: true,
        sortKey: ({ unlockDate }) => Date.parse(unlockDate),
        cell: ({ unlockDate }) => day(unlockDate),
      },
    ],
    csv: {
      fileName: 'bd-stakes.csv',
      header: ['Wallet', 'Staked (BD)', 'Lock began (UTC)', 'Unlocks (UTC)'],
      cells: ({ walletAddress, stakedAmount, startDate, unlockDate }) => [
        walletAddress,
        stakedAmount,
        startDate,
        unlockDate,
      ],
    },
  };
}
