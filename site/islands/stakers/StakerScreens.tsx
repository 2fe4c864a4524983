import { ENHANCED_STAKERS, PROGRAM_SUMMARY, STAKING_TRANSFERS } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { useExplorerLink } from '../figure/use-explorer-link.ts';
import { PremiumTable } from './PremiumTable.tsx';
import { Details } from './ProgramDetails.tsx';
import { StakersTable } from './StakersTable.tsx';

/** The islands of one page stand in one file, so that they come in one request. */
interface ScreenProps {
  readonly explorer: string;
}

/** Every wallet that stakes, with its badge and what is left of its lock. */
export function ActiveStakers({ explorer }: ScreenProps) {
  return (
    <LiveRoot>
      <LiveStakers explorer={explorer} />
    </LiveRoot>
  );
}

function LiveStakers({ explorer }: ScreenProps) {
  return <StakersTable link={useExplorerLink(explorer)} reading={useFigure(STAKING_TRANSFERS)} />;
}

/** Stakers that have proved to the portal that their wallet is theirs. */
export function PremiumStakers({ explorer }: ScreenProps) {
  return (
    <LiveRoot>
      <LivePremium explorer={explorer} />
    </LiveRoot>
  );
}

function LivePremium({ explorer }: ScreenProps) {
  return <PremiumTable link={useExplorerLink(explorer)} reading={useFigure(ENHANCED_STAKERS)} />;
}

/** What the staking program is, and whether its accounts agree with the indexed history. */
export function ProgramDetails({ explorer }: ScreenProps) {
  return (
    <LiveRoot>
      <LiveDetails explorer={explorer} />
    </LiveRoot>
  );
}

function LiveDetails({ explorer }: ScreenProps) {
  return <Details link={useExplorerLink(explorer)} reading={useFigure(PROGRAM_SUMMARY)} />;
}
