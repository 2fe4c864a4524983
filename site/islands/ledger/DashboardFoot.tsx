import { type FigureBodies, NETWORK_HEALTH } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import type { StreamState } from '../../data/stream-state.ts';
import { useFigure, useStreamState } from '../../data/use-figure.ts';
import { STATUS_LABELS } from '../../shell/health/network-state.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import styles from './dashboard-foot.module.css';

/** The dashboard's last line: whether its data is live, and how the blockchain behind it is. */
export default function DashboardFoot() {
  return (
    <LiveRoot>
      <LiveIndicators />
    </LiveRoot>
  );
}

function LiveIndicators() {
  return <Indicators stream={useStreamState()} health={useFigure(NETWORK_HEALTH)} />;
}

interface IndicatorsProps {
  readonly stream: StreamState;
  readonly health: Reading<FigureBodies['/api/network/health']>;
}

const DATA_WORDS = {
  connecting: 'connecting',
  live: 'delivered as it changes',
  reconnecting: 'reconnecting',
};

/** What is last known of the chain is no news of it while nothing is delivered. */
export function Indicators({ stream, health }: IndicatorsProps) {
  const known = stream === 'live' && health.kind === 'known' ? health.body : null;
  const status = known?.status ?? (stream === 'connecting' ? 'unknown' : 'offline');
  return (
    <ul className={styles.foot} aria-label="State of the data">
      <li className="script-only">
        <span
          className={styles.sign}
          data-tone={stream === 'live' ? 'healthy' : 'degraded'}
          aria-hidden="true"
        />
        <strong>Live Data</strong> {DATA_WORDS[stream]}
      </li>
      <li className="script-only">
        <span className={styles.sign} data-tone={status} aria-hidden="true" />
        <strong>{known?.chain === 'embedded-ledger' ? 'Demo Ledger' : 'Solana Blockchain'}</strong>{' '}
        {status === 'unknown' ? 'not read yet' : STATUS_LABELS[status]}
      </li>
    </ul>
  );
}
