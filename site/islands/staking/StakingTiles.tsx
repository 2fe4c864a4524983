import type { StakingTotal } from '../../../data/contract/metrics.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { formatAbbreviated, formatFull } from '../../../data/model/format.ts';
import type { Reading } from '../../data/figure-query.ts';
import { STAKING_PORTAL_TOTAL } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { Figure, FigureGrid } from '../ui/Figure.tsx';
import { LinkedId, useExplorerLink } from '../ui/LinkedId.tsx';
import { liveIsland } from '../ui/Live.tsx';
import { provenanceOf } from '../ui/provenance.ts';

type TileTexts = Readonly<Record<'stakers' | 'staked' | 'lock' | 'rewards' | 'rewardsNote', string>> &
  Readonly<Record<'lockValue' | 'rewardsValue', { readonly value: string; readonly unit: string }>>;

interface StakingTilesProps {
  readonly texts: TileTexts;
  readonly explorerUrl: string;
}

export default liveIsland(function StakingTiles({ texts, explorerUrl }: StakingTilesProps) {
  return (
    <Tiles texts={texts} link={useExplorerLink(explorerUrl)} staking={useFigure(STAKING_PORTAL_TOTAL)} />
  );
});

interface TilesProps {
  readonly texts: TileTexts;
  readonly link: ExplorerLink | null;
  readonly staking: Reading<StakingTotal>;
}

export function Tiles({ texts, link, staking }: TilesProps) {
  const body = staking.kind === 'known' ? staking.body : null;
  const provenance = provenanceOf(PATHS.stakingTotal, staking, 'unavailable');
  return (
    <FigureGrid columns={4} hasTopLine={false}>
      <Figure
        label={texts.stakers}
        value={body ? formatCount(body.stakerCount) : null}
        unit=""
        fact="Wallets with an active stake"
        provenance={provenance}
        source="Active stake entries"
      />
      <Figure
        label={texts.staked}
        value={body && formatAbbreviated(body.balance)}
        unit="BD"
        fact={
          <>
            In full <strong>{body ? `${formatFull(body.balance)} BD` : '—'}</strong>
          </>
        }
        provenance={provenance}
        source={body && <LinkedId id={body.stakePool} kind="address" link={link} name="Stake pool" />}
      />
      <Figure
        label={texts.lock}
        {...texts.lockValue}
        fact="From the moment of the stake"
        provenance={{ kind: 'stated' }}
      />
      <Figure
        label={texts.rewards}
        {...texts.rewardsValue}
        fact={texts.rewardsNote}
        provenance={{ kind: 'stated' }}
      />
    </FigureGrid>
  );
}
