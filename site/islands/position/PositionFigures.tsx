import type { WalletPosition } from '../../../data/contract/position.ts';
import { sourceOf } from '../../data/source-freshness.ts';
import { Badge } from '../badge/Badge.tsx';
import { Evidence } from '../figure/Evidence.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { Figure } from '../figure/Figure.tsx';
import { FigureLedger } from '../figure/FigureLedger.tsx';
import { formatMoved, formatStake } from '../figure/moved-amount.ts';
import type { Provenance } from '../figure/provenance.ts';

interface PositionFiguresProps {
  readonly position: WalletPosition;
  readonly link: ExplorerLink | null;
  /** Whether a later read of it failed. */
  readonly isBehind: boolean;
}

/** What the wallet has staked, its tier, what is missing to the next, and what one lock would earn as stated. */
export function PositionFigures({ position, link, isBehind }: PositionFiguresProps) {
  const { walletAddress, staked, stakes, tier, badge, nextTier, statedReward, asOf, source } = position;
  const provenance: Provenance = {
    kind: 'read',
    asOf: Date.parse(asOf),
    source: sourceOf(source),
    calls: [],
    isBehind,
  };
  return (
    <FigureLedger columns={4}>
      <Figure
        label="Staked"
        value={formatStake(staked)}
        unit="BD"
        provenance={provenance}
        fact={stakes.length === 1 ? 'In one stake' : `In ${stakes.length} stakes`}
        evidence={
          <Evidence id={walletAddress} href={link?.('address', walletAddress) ?? null} name="Wallet" />
        }
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
        label={nextTier === null ? 'Next Tier' : `Missing to ${nextTier.tier}`}
        value={nextTier === null ? 'Highest' : formatMoved(nextTier.missing)}
        unit={nextTier === null ? '' : 'BD'}
        provenance={provenance}
        fact={
          nextTier === null ? 'No tier is higher' : `It begins at ${formatMoved(nextTier.minimumStake)} BD`
        }
        evidence={nextTier === null ? undefined : 'Staking more restarts the lock'}
      />
      <Figure
        label="Stated Reward of One Lock"
        value={formatMoved(statedReward)}
        unit="BD"
        provenance={provenance}
        fact="If the stated yield is paid in full"
        evidence="Not a promise"
      />
    </FigureLedger>
  );
}
