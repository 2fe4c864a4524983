import type { FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import type { StreamState } from '../../data/stream-state.ts';
import { LiveSign } from '../figure/LiveSign.tsx';
import styles from './state-line.module.css';

interface StateLineProps {
  readonly stream: StreamState;
  readonly health: Reading<FigureBodies['/api/network/health']>;
}

/** One line on how the page reads the chain: delivery, newest slot, endpoints that answer. */
export function StateLine({ stream, health }: StateLineProps) {
  return (
    <p className={styles.line}>
      <LiveSign stream={stream} />
      <HealthWords health={health} />
    </p>
  );
}

function HealthWords({ health }: Pick<StateLineProps, 'health'>) {
  switch (health.kind) {
    case 'loading':
      return <span className={styles.part}>reading the chain</span>;
    case 'known': {
      const { slot, activeEndpoints, totalEndpoints } = health.body;
      return (
        <>
          <span className={styles.part}>
            {slot === null ? 'no slot yet' : `slot ${slot.toLocaleString('en-US')}`}
          </span>
          <span className={styles.part}>
            {activeEndpoints} of {totalEndpoints} endpoints
          </span>
        </>
      );
    }
    case 'unknown':
    case 'failed':
      return <span className={styles.part}>state of the endpoints unknown</span>;
  }
}
