import type { WalletPosition } from '../../../data/contract/position.ts';
import { LOCK_DAYS, STATED_YIELD_PERCENT } from '../../../data/model/staking-terms.ts';
import { formatMoved, formatStake } from '../figure/moved-amount.ts';
import styles from './position.module.css';

/** The arithmetic of the stated reward, with the lock that comes with it. */
export function Reward({ position }: { readonly position: WalletPosition }) {
  return (
    <section className={styles.part} aria-labelledby="position-reward">
      <h2 id="position-reward" className={styles.head}>
        Stated reward
      </h2>
      <p className={styles.formula}>
        <span>{formatStake(position.staked)} BD</span>
        <span>× {STATED_YIELD_PERCENT}%</span>
        <span>× {LOCK_DAYS}</span>
        <span>÷ 365</span>
        <strong>= {formatMoved(position.statedReward)} BD</strong>
      </p>
      <p className={styles.quiet}>
        {`Stated annual yield of ${STATED_YIELD_PERCENT}%, set by the project, for one lock of ${LOCK_DAYS} days. It is not compounded and not guaranteed. `}
        {`The stake is locked for ${LOCK_DAYS} days without early withdrawal, and restaking restarts the lock. `}
        A number of tokens: what they are worth depends on the price when the lock ends.
      </p>
    </section>
  );
}
