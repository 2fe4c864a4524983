import type { StreamState } from '../../data/stream-state.ts';
import styles from './live-sign.module.css';

/** Live while the event stream delivers, Reconnecting while it does not. */
export function LiveSign({ stream }: { readonly stream: StreamState }) {
  const live = stream === 'live';
  return (
    <span className={styles.sign} data-live={live} role="status">
      <span className={styles.dot} aria-hidden="true" />
      {live ? 'Live' : 'Reconnecting'}
    </span>
  );
}
