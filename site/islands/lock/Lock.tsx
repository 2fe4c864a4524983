import styles from './lock.module.css';
import { lockText, wholeProgress } from './lock-text.ts';
import { useTicking } from './use-ticking.ts';

interface LockTimes {
  /** Unix ms, both. */
  readonly startedAt: number;
  readonly unlocksAt: number;
}

/** What is left of a lock, counting down by the minute. */
export function LockLeft({ unlocksAt }: Pick<LockTimes, 'unlocksAt'>) {
  const text = useTicking((now) => lockText(unlocksAt, now));
  return (
    <time
      className={styles.left}
      dateTime={new Date(unlocksAt).toISOString()}
      data-unlocked={text === 'Unlocked'}
    >
      {text}
    </time>
  );
}

/** How much of a lock has passed, as a bar and in percent. */
export function LockProgress({ startedAt, unlocksAt }: LockTimes) {
  const percent = useTicking((now) => wholeProgress(startedAt, unlocksAt, now));
  return (
    <span className={styles.progress}>
      <progress max={100} value={percent} aria-label="Lock passed" />
      <span aria-hidden="true">{percent}%</span>
    </span>
  );
}
