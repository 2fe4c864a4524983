import { bd } from '../../../data/model/facts/wording.ts';
import { TIERS } from '../../../data/model/tiers.ts';
import styles from './verification.module.css';

/** What each tier asks for. */
export function MembershipRequirements() {
  return (
    <>
      <dl className="definitions">
        {TIERS.map(({ tier, minimumStakeBd }) => (
          <div key={tier}>
            <dt>{tier}</dt>
            <dd>{bd(minimumStakeBd)} staked</dd>
          </div>
        ))}
      </dl>
      <p className={styles.quiet}>Card services are exclusively in USDT.</p>
    </>
  );
}
