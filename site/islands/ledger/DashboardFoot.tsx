import { useStore } from '@nanostores/react';
import { type FigureBodies, NETWORK_HEALTH } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import type { StreamState } from '../../data/stream-state.ts';
import { $now } from '../../data/ticking-clock.ts';
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
  return <Indicators stream={useStreamState()} health={useFigure(NETWORK_HEALTH)} now={useStore($now)} />;
}

interface IndicatorsProps {
  readonly stream: StreamState;
  readonly health: Reading<FigureBodies['/api/network/health']>;
  /** Unix ms. */
  readonly now: number;
}

const DATA_WORDS = {
  connecting: 'connecting',
  live: 'delivered as it changes',
  reconnecting: 'reconnecting',
};

/** Three polls: what was last heard before them is no news of the chain. */
const HEARD_WITHIN = 3 * NETWORK_HEALTH.interval;

function heardOf({ stream, health, now }: IndicatorsProps): FigureBodies['/api/network/health'] | null {
  if (health.kind !== 'known') return null;
  const { lastUpdate } = health.body;
  const isNews = stream === 'live' || (lastUpdate !== null && now - Date.parse(lastUpdate) <= HEARD_WITHIN);
  return isNews ? health.body : null;
}

export function Indicators(props: IndicatorsProps) {
  const heard = heardOf(props);
  const { stream, health } = props;
  // Which chain is followed does not change while it is silent.
  const isDemo = health.kind === 'known' && health.body.chain === 'embedded-ledger';
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
        <span className={styles.sign} data-tone={heard?.status} aria-hidden="true" />
        <strong>{isDemo ? 'Demo Ledger' : 'Solana Blockchain'}</strong>{' '}
        {heard === null ? 'state unknown' : STATUS_LABELS[heard.status]}
      </li>
    </ul>
  );
}
