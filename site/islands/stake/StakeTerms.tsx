import { LOCK_DAYS, STATED_YIELD_PERCENT } from '../../../data/model/staking-terms.ts';
import styles from './stake.module.css';

/** What a stake binds its owner to. It stands wherever a stake can be begun or signed. */
export function StakeTerms({ isStaking }: { readonly isStaking: boolean }) {
  return (
    <ul className={styles.terms}>
      {isStaking ? (
        <li>
          <strong>This wallet stakes already.</strong> Staking again restarts its lock. Use another wallet for
          an extra stake.
        </li>
      ) : null}
      <li>Locked for {LOCK_DAYS} days. There is no early withdrawal, for any reason.</li>
      <li>Staking again with the same wallet restarts the lock.</li>
      <li>
        The stated annual yield of {STATED_YIELD_PERCENT}% is set by the project. It is neither compounded nor
        guaranteed, and the price can fall while you cannot sell.
      </li>
    </ul>
  );
}
