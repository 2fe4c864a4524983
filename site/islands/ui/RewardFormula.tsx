import { LOCK_DAYS, STATED_YIELD_PERCENT } from '../../../data/model/staking-terms.ts';
import { formatAmount, formatStake } from './format.ts';
import styles from './ui.module.css';

interface RewardFormulaProps {
  /** BD, decimal text. */
  readonly staked: string;
  /** BD for one lock, decimal text. */
  readonly reward: string;
}

/** Always show this formula next to the lock and the terms of the yield. */
export function RewardFormula({ staked, reward }: RewardFormulaProps) {
  return (
    <p className={styles.formula}>
      <span>{formatStake(staked)} BD</span>
      <span>× {STATED_YIELD_PERCENT}%</span>
      <span>× {LOCK_DAYS}</span>
      <span>÷ 365</span>
      <strong>= {formatAmount(reward)} BD</strong>
    </p>
  );
}
