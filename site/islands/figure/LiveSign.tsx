import type { StreamState } from '../../data/stream-state.ts';
import styles from './live-sign.module.css';

interface LiveSignProps {
  readonly stream: StreamState;
  /** Whether a change is read out to those who do not see it: by one sign of a page, or it is heard twice. */
  readonly announced?: boolean;
}

/** Live while the event stream delivers, Reconnecting while it does not. */
export function LiveSign({ stream, announced = false }: LiveSignProps) {
  const live = stream === 'live';
  return (
    <span className={`${styles.sign} script-only`} data-live={live} role={announced ? 'status' : undefined}>
      <span className={styles.dot} aria-hidden="true" />
      {live ? 'Live' : 'Reconnecting'}
    </span>
  );
}
