import type { AnalyticsOverview, RealStaking, VaultLiveBalance } from '../../../data/contract/metrics.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { EnhancedStakers } from '../../../data/contract/stakes.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { formatAbbreviated, formatFull } from '../../../data/model/format.ts';
import type { Reading } from '../../data/figure-query.ts';
import {
  ENHANCED_OVERVIEW,
  ENHANCED_REAL_STAKING,
  ENHANCED_STAKERS,
  ENHANCED_VAULT_BALANCE,
} from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { Figure, FigureGrid } from '../ui/Figure.tsx';
import { liveIsland } from '../ui/Live.tsx';
import { provenanceOf } from '../ui/provenance.ts';

export default liveIsland(function StakingFigures() {
  return (
    <FigureRow
      staking={useFigure(ENHANCED_REAL_STAKING)}
      overview={useFigure(ENHANCED_OVERVIEW)}
      stakers={useFigure(ENHANCED_STAKERS)}
      vault={useFigure(ENHANCED_VAULT_BALANCE)}
    />
  );
});

interface FigureRowProps {
  readonly staking: Reading<RealStaking>;
  readonly overview: Reading<AnalyticsOverview>;
  readonly stakers: Reading<EnhancedStakers>;
  readonly vault: Reading<VaultLiveBalance>;
}

export function FigureRow({ staking, overview, stakers, vault }: FigureRowProps) {
  const stakingBody = staking.kind === 'known' ? staking.body : null;
  const stakingProvenance = provenanceOf(PATHS.realStaking, staking, 'unavailable');
  return (
    <FigureGrid columns={4} hasTopLine={false}>
      <Figure
        label="Active Stakers"
        value={stakingBody ? formatCount(stakingBody.totalStakers) : null}
        unit=""
        provenance={stakingProvenance}
        source="Open stake entries"
      />
      <Figure
        label="Total Staked"
        value={stakingBody && formatFull(stakingBody.totalStaked)}
        unit="BD"
        provenance={stakingProvenance}
        source="Stake pool"
      />
      <Figure
        label="Total Deployed"
        value={overview.kind === 'known' ? formatFull(overview.body.overview.totalDeployed) : null}
        unit="BD"
        provenance={provenanceOf(PATHS.analyticsOverview, overview, 'unavailable')}
        source={`${vault.kind === 'known' ? `${formatAbbreviated(vault.body.vaultBalance)} vault` : 'Vault'} + stake pool`}
      />
      <Figure
        label="Authenticated Stakers"
        value={stakers.kind === 'known' && stakingBody ? authenticatedCountText(stakers.body) : null}
        unit=""
        provenance={
          // The list has no timestamp. It is as old as the totals, because both are read from the same stake entries.
          stakers.kind === 'known'
            ? stakingProvenance
            : provenanceOf(PATHS.enhancedStakers, stakers, 'unavailable')
        }
        source="Ownership proven, or whitelisted"
      />
    </FigureGrid>
  );
}

function authenticatedCountText(stakers: EnhancedStakers): string {
  return formatCount(stakers.filter(({ isAuthenticated }) => isAuthenticated).length);
}
