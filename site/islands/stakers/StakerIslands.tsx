import { ENHANCED_STAKERS, PROGRAM_SUMMARY, STAKING_TRANSFERS } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { useExplorerLink } from '../ui/LinkedId.tsx';
import { liveIsland } from '../ui/Live.tsx';
import { ProgramDetailsList } from './ProgramDetailsList.tsx';
import { PremiumTable, StakersTable } from './StakersTable.tsx';

// The islands of /enhanced-analytics are in one file, so that one request loads them all.

interface IslandProps {
  readonly explorerUrl: string;
}

export const ActiveStakers = liveIsland(({ explorerUrl }: IslandProps) => (
  <StakersTable link={useExplorerLink(explorerUrl)} reading={useFigure(STAKING_TRANSFERS)} />
));

export const PremiumStakers = liveIsland(({ explorerUrl }: IslandProps) => (
  <PremiumTable link={useExplorerLink(explorerUrl)} reading={useFigure(ENHANCED_STAKERS)} />
));

export const ProgramDetails = liveIsland(({ explorerUrl }: IslandProps) => (
  <ProgramDetailsList link={useExplorerLink(explorerUrl)} reading={useFigure(PROGRAM_SUMMARY)} />
));
