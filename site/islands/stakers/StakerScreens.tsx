import { ENHANCED_STAKERS, PROGRAM_SUMMARY, STAKING_TRANSFERS } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { useExplorerLink } from '../ui/Evidence.tsx';
import { liveIsland } from '../ui/Live.tsx';
import { ProgramDetailsList } from './ProgramDetails.tsx';
import { PremiumTable, StakersTable } from './StakersTable.tsx';

// The islands of the page are in one file, so that one request loads them all.

interface ScreenProps {
  /** The base URL of the public explorer. */
  readonly explorer: string;
}

export const ActiveStakers = liveIsland(({ explorer }: ScreenProps) => (
  <StakersTable link={useExplorerLink(explorer)} reading={useFigure(STAKING_TRANSFERS)} />
));

export const PremiumStakers = liveIsland(({ explorer }: ScreenProps) => (
  <PremiumTable link={useExplorerLink(explorer)} reading={useFigure(ENHANCED_STAKERS)} />
));

export const ProgramDetails = liveIsland(({ explorer }: ScreenProps) => (
  <ProgramDetailsList link={useExplorerLink(explorer)} reading={useFigure(PROGRAM_SUMMARY)} />
));
