import { useStore } from '@nanostores/react';
import type { NetworkHealth } from '../../../data/contract/network.ts';
import { formatCount } from '../../../data/model/count.ts';
import { formatAge } from '../../../data/model/format.ts';
import { FRESHNESS, isAgeUnknown } from '../../../data/model/value-state.ts';
import type { Reading } from '../../data/figure-query.ts';
import { NETWORK_HEALTH } from '../../data/figure-strategies.ts';
import type { StreamState } from '../../data/live-stream.ts';
import { $now } from '../../data/ticking-clock.ts';
import { useFigure, useStreamState } from '../../data/use-figure.ts';
import { STATUS_LABELS } from '../../shell/health/network-state.ts';
import { LiveSign, liveIsland } from '../ui/Live.tsx';
import { sourceLabel } from '../ui/provenance.ts';
import styles from './dashboard-tiles.module.css';

/** The dashboard's bottom line: whether its data is live, and the state of the blockchain. */
export default liveIsland(function DashboardFoot() {
  return <Indicators stream={useStreamState()} health={useFigure(NETWORK_HEALTH)} now={useStore($now)} />;
});

const DELIVERY_LABELS = {
  connecting: 'connecting',
  live: 'updates in real time',
  reconnecting: 'reconnecting',
};
/** Milliseconds after which a polled health report is outdated: three polls. */
const OUTDATED_AFTER = 3 * NETWORK_HEALTH.interval;

interface IndicatorsProps extends Pick<StateLineProps, 'stream' | 'health'> {
  /** Unix ms. */
  readonly now: number;
}

export function Indicators({ stream, health, now }: IndicatorsProps) {
  const report = health.kind === 'known' ? health.body : null;
  const reportedAt = Date.parse(report?.lastUpdate ?? '');
  const isCurrent = stream === 'live' || now - reportedAt <= OUTDATED_AFTER;
  const status = isCurrent ? report?.status : undefined;
  return (
    <ul className={styles.foot} aria-label="Data status">
      <li className="script-only" data-delivery={stream}>
        <span
          className={styles.sign}
          data-tone={stream === 'live' ? 'healthy' : 'degraded'}
          aria-hidden="true"
        />
        <strong>Live Data</strong> {DELIVERY_LABELS[stream]}
      </li>
      <li className="script-only">
        <span className={styles.sign} data-tone={status} aria-hidden="true" />
        <strong>{report?.chain === 'embedded-ledger' ? 'Demo Ledger' : 'Solana Blockchain'}</strong>{' '}
        {status === undefined ? 'status unknown' : STATUS_LABELS[status]}
      </li>
    </ul>
  );
}

export interface StateLineProps {
  readonly stream: StreamState;
  /** The newest slot that the portal has read. */
  readonly slot: number | null;
  /** When the portal read it (Unix ms). */
  readonly readAt: number | null;
  readonly health: Reading<NetworkHealth>;
}

/** How the page reads the chain: delivery, chain, newest slot, and endpoints that respond. */
export function StateLine({ stream, slot, readAt, health }: StateLineProps) {
  // All parts appear at once, so that none moves later.
  const isFirstRead = stream === 'connecting' || (stream === 'live' && health.kind === 'unknown');
  return (
    <p className={styles.line}>
      <LiveSign announced />
      {isFirstRead ? (
        <span className={`${styles.part} script-only`}>reading the chain</span>
      ) : (
        <>
          {health.kind === 'known' ? <ChainNote health={health.body} /> : null}
          {stream === 'live' ? <Slot slot={slot} readAt={readAt} /> : null}
          <Endpoints health={stream === 'live' ? health : null} />
        </>
      )}
    </p>
  );
}

/** Names the chain unless it is Solana's mainnet. */
function ChainNote({ health: { chain, cluster } }: { readonly health: NetworkHealth }) {
  if (chain === 'embedded-ledger') {
    return <span className={styles.part}>{sourceLabel(chain)} — not Solana mainnet</span>;
  }
  if (cluster === null || cluster === 'mainnet-beta') return null;
  return <span className={styles.part}>Solana {cluster} — not mainnet</span>;
}

/** The slot, with its age once no newer slot arrives. */
function Slot({ slot, readAt }: Pick<StateLineProps, 'slot' | 'readAt'>) {
  const now = useStore($now);
  if (slot === null || readAt === null) return <span className={styles.part}>no slot yet</span>;
  const age = now - readAt;
  const ageText = age > 2 * FRESHNESS.chain.interval ? `, read ${formatAge(age)}` : null;
  return (
    <span className={styles.part}>
      slot {formatCount(slot)}
      {isAgeUnknown(age) ? ', age unknown' : ageText}
    </span>
  );
}

/** The number of endpoints that respond. `health`: null while the stream is down. */
function Endpoints({ health }: { readonly health: Reading<NetworkHealth> | null }) {
  if (health?.kind !== 'known') return <span className={styles.part}>endpoint status unknown</span>;
  const { status, activeEndpoints, totalEndpoints } = health.body;
  return status === 'offline' ? (
    <span className={`${styles.part} ${styles.down}`} data-chain="offline">
      cannot read the chain
    </span>
  ) : (
    <span className={styles.part}>
      {activeEndpoints} of {totalEndpoints} endpoints respond
    </span>
  );
}
