import type { WalletPosition } from '../../../data/contract/position.ts';
import { sourceOf } from '../../data/source-freshness.ts';
import { Badge } from '../ui/Badge.tsx';
import { Evidence } from '../ui/Evidence.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { Figure, FigureGrid } from '../ui/Figure.tsx';
import { formatMoved, formatStake } from '../ui/format.ts';
import type { Provenance } from '../ui/provenance.ts';

interface PositionFiguresProps {
  readonly position: WalletPosition;
  readonly link: ExplorerLink | null;
  /** Whether the last read failed. */
  readonly isOutdated: boolean;
}

/** The wallet's stake, its tier, the amount for the next tier, and the stated reward of one lock. */
export function PositionFigures({ position, link, isOutdated }: PositionFiguresProps) {
  const { walletAddress, staked, stakes, tier, badge, nextTier, statedReward, asOf, source } = position;
  const provenance: Provenance = {
    kind: 'read',
    asOf: Date.parse(asOf),
    source: sourceOf(source),
    calls: [],
    isOutdated,
  };
  return (
    <FigureGrid columns={4}>
      <Figure
        label="Staked"
        value={formatStake(staked)}
        unit="BD"
        provenance={provenance}
        fact={stakes.length === 1 ? 'In one stake' : `In ${stakes.length} stakes`}
        evidence={<Evidence id={walletAddress} kind="address" link={link} name="Wallet" />}
      />
      <Figure
        label="Card Tier"
        value={tier}
        unit=""
        provenance={provenance}
        fact={badge === null ? 'No badge' : <Badge badge={badge} />}
        evidence="Staked in this wallet"
      />
      <Figure
        label={nextTier === null ? 'Next Tier' : `Needed for ${nextTier.tier}`}
        value={nextTier === null ? 'Highest' : formatMoved(nextTier.missing)}
        unit={nextTier === null ? '' : 'BD'}
        provenance={provenance}
        fact={
          nextTier === null ? 'You have the highest tier' : `From ${formatMoved(nextTier.minimumStake)} BD`
        }
        evidence={nextTier === null ? undefined : 'Staking more restarts the lock'}
      />
      <Figure
        label="Stated Reward for One Lock"
        value={formatMoved(statedReward)}
        unit="BD"
        provenance={provenance}
        fact="If the stated yield is paid in full"
        evidence="Not a promise"
      />
    </FigureGrid>
  );
}
