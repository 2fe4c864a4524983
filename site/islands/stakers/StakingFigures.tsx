import { formatCount } from '../../../data/model/count.ts';
import { formatAbbreviated, formatFull } from '../../../data/model/format.ts';
import {
  ENHANCED_OVERVIEW,
  ENHANCED_REAL_STAKING,
  ENHANCED_STAKERS,
  ENHANCED_VAULT_BALANCE,
  type FigureBodies,
} from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { useFigure } from '../../data/use-figure.ts';
import { Figure } from '../figure/Figure.tsx';
import { FigureLedger } from '../figure/FigureLedger.tsx';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { type Provenance, provenanceWithoutFallback } from '../figure/provenance.ts';

/** The head of the staking analytics: stakers, what they stake, what is deployed, and who proved their wallet. */
export default function StakingFigures() {
  return (
    <LiveRoot>
      <LiveFigures />
    </LiveRoot>
  );
}

function LiveFigures() {
  return (
    <FigureRow
      staking={useFigure(ENHANCED_REAL_STAKING)}
      overview={useFigure(ENHANCED_OVERVIEW)}
      stakers={useFigure(ENHANCED_STAKERS)}
      vault={useFigure(ENHANCED_VAULT_BALANCE)}
    />
  );
}

interface FigureRowProps {
  readonly staking: Reading<FigureBodies['/api/analytics/real-staking']>;
  readonly overview: Reading<FigureBodies['/api/analytics/overview']>;
  readonly stakers: Reading<FigureBodies['/api/stakers/enhanced']>;
  readonly vault: Reading<FigureBodies['/api/vault/live-balance']>;
}

export function FigureRow({ staking, overview, stakers, vault }: FigureRowProps) {
  const stakingBody = staking.kind === 'known' ? staking.body : null;
  return (
    <FigureLedger columns={4} lined={false}>
      <Figure
        label="Active Stakers"
        value={stakingBody ? formatCount(stakingBody.totalStakers) : null}
        unit=""
        provenance={provenanceWithoutFallback('/api/analytics/real-staking', staking)}
        evidence="Open stake entries"
      />
      <Figure
        label="Total Staked"
        value={stakingBody && formatFull(stakingBody.totalStaked)}
        unit="BD"
        provenance={provenanceWithoutFallback('/api/analytics/real-staking', staking)}
        evidence="Stake pool"
      />
      <Figure
        label="Total Deployed"
        value={overview.kind === 'known' ? formatFull(overview.body.overview.totalDeployed) : null}
        unit="BD"
        provenance={provenanceWithoutFallback('/api/analytics/overview', overview)}
        evidence={`${vault.kind === 'known' ? `${formatAbbreviated(vault.body.vaultBalance)} vault` : 'Vault'} + stake pool`}
      />
      <Figure
        label="Authenticated Stakers"
        value={stakers.kind === 'known' && stakingBody ? authenticated(stakers.body) : null}
        unit=""
        provenance={listProvenance(stakers, staking)}
        evidence="Proved, or whitelisted"
      />
    </FigureLedger>
  );
}

function authenticated(stakers: FigureBodies['/api/stakers/enhanced']): string {
  return formatCount(stakers.filter(({ isAuthenticated }) => isAuthenticated).length);
}

/** The list names no time of its own: it is read from the same stake entries as the totals beside it. */
function listProvenance(stakers: FigureRowProps['stakers'], staking: FigureRowProps['staking']): Provenance {
  if (stakers.kind === 'failed') {
    const { retry: run, retrying: running } = stakers;
    return { kind: 'unavailable', why: 'Could not be read', retry: { run, running } };
  }
  if (stakers.kind === 'unknown') return { kind: 'unavailable', why: 'Not read yet', retry: null };
  if (stakers.kind === 'loading') return { kind: 'loading' };
  return provenanceWithoutFallback('/api/analytics/real-staking', staking);
}
