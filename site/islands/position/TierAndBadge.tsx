import type { ReactNode } from 'react';
import type { WalletPosition } from '../../../data/contract/position.ts';
import { EXACT_DECIMALS, exactUnits, toDecimalText, tokensToBaseUnits } from '../../../data/model/amounts.ts';
import { formatCount, groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { BADGE_TERMS, TIER_TERMS } from '../../../data/model/tiers.ts';
import { StakerBadge } from '../ui/StakerBadge.tsx';
import styles from './position.module.css';

interface RankProps {
  readonly name: ReactNode;
  /** Whole BD. */
  readonly minimum: bigint;
  /** BD, decimal text. */
  readonly staked: string;
  readonly isCurrent: boolean;
}

function Rank({ name, minimum, staked, isCurrent }: RankProps) {
  const missingUnits = tokensToBaseUnits(minimum, EXACT_DECIMALS) - exactUnits(staked);
  const stateText =
    missingUnits > 0n
      ? `${groupDecimalText(toDecimalText(missingUnits, EXACT_DECIMALS))} BD more`
      : 'Reached';
  return (
    <li aria-current={isCurrent ? 'true' : undefined}>
      <span>{name}</span>
      <span className={styles.quiet}>from {formatCount(minimum)} BD</span>
      <span>{isCurrent ? 'This wallet' : stateText}</span>
    </li>
  );
}

export function TierAndBadge({ position }: { readonly position: WalletPosition }) {
  const { staked, tier, badge, isStaking } = position;
  return (
    <section className={styles.part} aria-labelledby="position-tier">
      <h2 id="position-tier" className={styles.head}>
        Tier and badge
      </h2>
      <div className={styles.ranks}>
        <div>
          <h3>Card tier by stake: {tier === 'None' ? 'none yet' : tier}</h3>
          <p className={styles.quiet}>
            Decides which virtual card the wallet qualifies for. Only BD staked in this wallet counts. A
            wallet that our team has whitelisted also qualifies, as the virtual card page shows.
          </p>
          <ol>
            {TIER_TERMS.map((terms) => (
              <Rank
                key={terms.tier}
                name={terms.tier}
                minimum={terms.minimumStakeBd}
                staked={staked}
                isCurrent={terms.tier === tier}
              />
            ))}
          </ol>
          {isStaking ? <p className={styles.quiet}>Staking more restarts the lock.</p> : null}
        </div>
        <div>
          <h3>Badge: {badge ?? 'none yet'}</h3>
          <p className={styles.quiet}>A label in the list of stakers. It gives no rights.</p>
          <ol>
            {BADGE_TERMS.map((rule) => (
              <Rank
                key={rule.badge}
                name={<StakerBadge badge={rule.badge} />}
                minimum={rule.minimumStakeBd}
                staked={staked}
                isCurrent={rule.badge === badge}
              />
            ))}
          </ol>
        </div>
      </div>
    </section>
  );
}
