import type { WalletPosition } from '../../../data/contract/position.ts';
import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { positionRead } from '../../data/position-query.ts';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { Figure, FigureGrid } from '../ui/Figure.tsx';
import { formatAmount, formatStake } from '../ui/format.ts';
import { LinkedId } from '../ui/LinkedId.tsx';
import type { Provenance } from '../ui/provenance.ts';
import { SolName } from '../ui/SolName.tsx';
import { StakerBadge } from '../ui/StakerBadge.tsx';

interface PositionFiguresProps {
  readonly position: WalletPosition;
  readonly link: ExplorerLink | null;
}

export function PositionFigures({ position, link }: PositionFiguresProps) {
  const { walletAddress, staked, stakes, tier, badge, nextTier, statedReward } = position;
  const provenance: Provenance = { kind: 'read', ...positionRead(position) };
  const nextTierFigure =
    nextTier === null
      ? { label: 'Next Tier', value: 'None', unit: '', fact: 'You have the highest tier' }
      : {
          label: `Needed for ${nextTier.tier}`,
          value: groupDecimalText(nextTier.missing),
          unit: 'BD',
          fact: `${nextTier.tier} starts at ${formatAmount(nextTier.minimumStake)} BD`,
          source: 'Staking more restarts the lock',
        };
  return (
    <FigureGrid columns={4}>
      <Figure
        label="Staked"
        value={formatStake(staked)}
        unit="BD"
        provenance={provenance}
        fact={stakes.length === 1 ? 'In one stake' : `In ${stakes.length} stakes`}
        source={
          <>
            <LinkedId id={walletAddress} kind="address" link={link} name="Wallet" />{' '}
            {/* Puts the name on the same line as the address if it fits, so that nothing moves when the name loads. */}
            <span style={{ display: 'inline-block' }}>
              <SolName wallet={walletAddress} />
            </span>
          </>
        }
      />
      <Figure
        label="Card Tier"
        value={tier}
        unit=""
        provenance={provenance}
        fact={
          badge === null ? (
            'No badge'
          ) : (
            <>
              <StakerBadge badge={badge} /> badge
            </>
          )
        }
        source="Based on this wallet’s stake"
      />
      <Figure {...nextTierFigure} provenance={provenance} />
      <Figure
        label="Stated Reward for One Lock"
        value={formatAmount(statedReward)}
        unit="BD"
        provenance={provenance}
        fact="If the stated yield is paid in full"
        source="Not a promise"
      />
    </FigureGrid>
  );
}
