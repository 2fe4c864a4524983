import { useStore } from '@nanostores/react';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { formatAge } from '../../../data/model/format.ts';
import { FRESHNESS, isAgeUnknown } from '../../../data/model/value-state.ts';
import type { NetworkHealth, NetworkState, StreamState } from '../../data/connection.ts';
import { $now } from '../../data/ticking-clock.ts';
import { useNetwork, useStreamState } from '../../data/use-figure.ts';
import { STATUS_LABELS } from '../../shell/health/status-labels.ts';
import { LiveSign, liveIsland } from '../ui/Live.tsx';
import { sourceLabel } from '../ui/provenance.ts';
import styles from './dashboard-tiles.module.css';

export default liveIsland(function DashboardStatus() {
  return <Indicators stream={useStreamState()} network={useNetwork()} />;
});

const STREAM_LABELS = {
  connecting: 'connecting',
  live: 'updates in real time',
  reconnecting: 'reconnecting',
};

export function Indicators({ stream, network }: Pick<StateLineProps, 'stream' | 'network'>) {
  const status = network?.status;
  return (
    <ul className={styles.foot} aria-label="Data status">
      <li className="script-only" data-delivery={stream}>
        <span
          className={styles.sign}
          data-tone={stream === 'live' ? 'healthy' : 'degraded'}
          aria-hidden="true"
        />
        <strong>Live Data</strong> {STREAM_LABELS[stream]}
      </li>
      <li className="script-only">
        <span className={styles.sign} data-tone={status} aria-hidden="true" />
        <strong>{network?.health?.chain === 'embedded-ledger' ? 'Demo Ledger' : 'Solana Blockchain'}</strong>{' '}
        {status === undefined ? 'status unknown' : STATUS_LABELS[status]}
      </li>
    </ul>
  );
}

export interface StateLineProps {
  readonly stream: StreamState;
  /** The newest slot that the portal has read. */
  readonly slot: number | null;
  /** When the portal read that slot (Unix ms). */
  readonly readAt: number | null;
  readonly network: NetworkState | null;
}

export function StateLine({ stream, slot, readAt, network }: StateLineProps) {
  // All parts appear at once, so that none moves later.
  return (
    <p className={styles.line}>
      <LiveSign isAnnounced />
      {stream === 'connecting' || network === null ? (
        <span className={`${styles.part} script-only`}>reading the chain</span>
      ) : (
        <>
          {network.health === null ? null : <ChainNote health={network.health} />}
          {stream === 'live' ? <Slot slot={slot} readAt={readAt} /> : null}
          <Endpoints network={network} />
        </>
      )}
    </p>
  );
}

/** Shows the name of the chain, unless it is Solana's mainnet. */
function ChainNote({ health: { chain, cluster } }: { readonly health: NetworkHealth }) {
  if (chain === 'embedded-ledger') {
    return <span className={styles.part}>{sourceLabel(chain)} — not Solana mainnet</span>;
  }
  if (cluster === null || cluster === 'mainnet-beta') return null;
  return <span className={styles.part}>Solana {cluster} — not mainnet</span>;
}

/** Shows the newest slot, and its age once newer slots stop arriving. */
function Slot({ slot, readAt }: Pick<StateLineProps, 'slot' | 'readAt'>) {
  const now = useStore($now);
  if (slot === null || readAt === null) return <span className={styles.part}>no slot yet</span>;
  const ageMs = now - readAt;
  const ageText = ageMs > 2 * FRESHNESS.chain.intervalMs ? `, read ${formatAge(ageMs)}` : null;
  return (
    <span className={styles.part}>
      slot {formatCount(slot)}
      {isAgeUnknown(ageMs) ? ', age unknown' : ageText}
    </span>
  );
}

function Endpoints({ network: { status, isReachable, health } }: { readonly network: NetworkState }) {
  if (!isReachable || health === null) {
    return <span className={`${styles.part} ${styles.down}`}>cannot reach the portal</span>;
  }
  return status === 'offline' ? (
    <span className={`${styles.part} ${styles.down}`} data-chain="offline">
      cannot read the chain
    </span>
  ) : (
    <span className={styles.part}>
      {health.activeEndpoints} of {health.totalEndpoints} endpoints respond
    </span>
  );
}
