import { lockProgress, lockState } from '../../../data/model/staking-terms.ts';
import { useTicking } from '../../data/ticking-clock.ts';
import styles from './ui.module.css';

/** The time left on a lock: `'171 d 4 h 12 min'`, then `'Unlocked'`. Times are Unix ms. */
export function lockText(unlocksAt: number, now: number): string {
  const state = lockState(unlocksAt, now);
  return state.kind === 'unlocked' ? 'Unlocked' : `${state.days} d ${state.hours} h ${state.minutes} min`;
}

/** The elapsed share of a lock in whole percent, rounded down: 100 means that the lock has ended. */
export function lockPercent(startedAt: number, unlocksAt: number, now: number): number {
  return Math.floor(lockProgress(startedAt, unlocksAt, now));
}

/** Unix ms. */
type LockTimes = Readonly<Record<'startedAt' | 'unlocksAt', number>>;

export function LockTimeLeft({ unlocksAt }: Pick<LockTimes, 'unlocksAt'>) {
  const text = useTicking((now) => lockText(unlocksAt, now));
  return (
    <time
      className={styles.lock}
      dateTime={new Date(unlocksAt).toISOString()}
      data-unlocked={text === 'Unlocked'}
    >
      {text}
    </time>
  );
}

export function LockProgress({ startedAt, unlocksAt }: LockTimes) {
  const percent = useTicking((now) => lockPercent(startedAt, unlocksAt, now));
  return (
    <span className={styles.progress}>
      <progress max={100} value={percent} aria-label="Elapsed lock time" />
      <span aria-hidden="true">{percent}%</span>
    </span>
  );
}
