import { useMemo } from 'react';
import type { EnhancedStakers } from '../../../data/contract/stakes.ts';
import { ANALYTICS_STAKERS } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { ReadTable } from '../table/DataTable.tsx';
import { FIGURE_COLUMN, type TableSpec } from '../table/table-spec.ts';
import { stakedColumn, walletColumn } from '../table/wallet-columns.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { useExplorerLink } from '../ui/LinkedId.tsx';
import { liveIsland } from '../ui/Live.tsx';

type Staker = EnhancedStakers[number];

const DAY_FORMAT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const renderDay = (moment: string) => <time dateTime={moment}>{DAY_FORMAT.format(Date.parse(moment))}</time>;

function stakesSpec(link: ExplorerLink | null): TableSpec<Staker> {
  return {
    name: 'stakes',
    caption: 'Stakes by size',
    findLabel: 'Find a wallet',
    sorting: { id: 'staked', desc: true },
    rowKey: ({ walletAddress }) => walletAddress,
    searchedTextOf: ({ walletAddress }) => walletAddress,
    columns: [
      walletColumn(({ walletAddress }) => walletAddress, link),
      stakedColumn(({ stakedAmount }) => stakedAmount),
      {
        id: 'since',
        header: 'Since (UTC)',
        meta: FIGURE_COLUMN,
        accessorFn: ({ startDate }) => Date.parse(startDate),
        cell: ({ row: { original } }) => renderDay(original.startDate),
      },
      {
        id: 'unlocks',
        header: 'Unlocks (UTC)',
        meta: FIGURE_COLUMN,
        accessorFn: ({ unlockDate }) => Date.parse(unlockDate),
        cell: ({ row: { original } }) => renderDay(original.unlockDate),
      },
    ],
    csv: {
      fileName: 'bd-stakes.csv',
      header: ['Wallet', 'Staked (BD)', 'Lock began (UTC)', 'Unlocks (UTC)'],
      cells: (row) => [row.walletAddress, row.stakedAmount, row.startDate, row.unlockDate],
    },
  };
}

export default liveIsland(function StakesBySize({ explorer }: { readonly explorer: string }) {
  const link = useExplorerLink(explorer);
  const reading = useFigure(ANALYTICS_STAKERS);
  const spec = useMemo(() => stakesSpec(link), [link]);
  return (
    <ReadTable
      spec={spec}
      reading={reading}
      rows={reading.kind === 'known' ? reading.body : []}
      what="the stakes"
      failedText="Could not load the stakes."
      unknownText="Loading the stakes from the chain."
      emptyText="No active stakes at the moment."
    />
  );
});
