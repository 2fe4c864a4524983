import { useStore } from '@nanostores/react';
import { formatCount } from '../../../data/model/count.ts';
import { formatAge } from '../../../data/model/format.ts';
import { FRESHNESS, isAgeUnknown } from '../../../data/model/value-state.ts';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import type { StreamState } from '../../data/stream-state.ts';
import { $now } from '../../data/ticking-clock.ts';
import { LiveSign } from '../figure/LiveSign.tsx';
import styles from './state-line.module.css';

type Health = FigureBodies['/api/network/health'];

export interface StateLineProps {
  readonly stream: StreamState;
  /** The newest slot read, by the stream's word. */
  readonly slot: number | null;
  /** When it was read (Unix ms). */
  readonly readAt: number | null;
  readonly health: Reading<Health>;
}

/** One line on how the page reads the chain: delivery, which chain, newest slot, endpoints that answer. */
export function StateLine({ stream, slot, readAt, health }: StateLineProps) {
  // Its parts come together, so that none is moved by another that comes later.
  const isFirstRead = stream === 'connecting' || (stream === 'live' && health.kind === 'unknown');
  return (
    <p className={styles.line}>
      <LiveSign stream={stream} announced />
      {isFirstRead ? (
        <span className={`${styles.part} script-only`}>reading the chain</span>
      ) : (
        <>
          {health.kind === 'known' ? <ChainNote health={health.body} /> : null}
          {stream === 'live' ? <Slot slot={slot} readAt={readAt} /> : null}
          <Endpoints health={stream === 'live' ? health : null} hasRead={slot !== null} />
        </>
      )}
    </p>
  );
}

/** What is read, where that is not Solana's main cluster. */
function ChainNote({ health: { chain, cluster } }: { readonly health: Health }) {
  if (chain === 'embedded-ledger') {
    return <span className={styles.part}>embedded demo ledger — not Solana mainnet</span>;
  }
  if (cluster === null || cluster === 'mainnet-beta') return null;
  return <span className={styles.part}>Solana {cluster} — not mainnet</span>;
}

/** The slot, with its age once it no longer moves. */
function Slot({ slot, readAt }: Pick<StateLineProps, 'slot' | 'readAt'>) {
  const now = useStore($now);
  if (slot === null || readAt === null) return <span className={styles.part}>no slot yet</span>;
  const age = now - readAt;
  const words = isAgeUnknown(age) ? 'age unknown' : `read ${formatAge(age)}`;
  return (
    <span className={styles.part}>
      slot {formatCount(slot)}
      {isAgeUnknown(age) || age > 2 * FRESHNESS.chain.interval ? `, ${words}` : null}
    </span>
  );
}

interface EndpointsProps {
  readonly health: Reading<Health> | null;
  /** Whether the chain was ever read. */
  readonly hasRead: boolean;
}

/** How many endpoints answer; of a health that is no longer delivered nothing is known. */
function Endpoints({ health, hasRead }: EndpointsProps) {
  if (health?.kind === 'known' && health.body.status === 'offline') {
    return (
      <span className={`${styles.part} ${styles.down}`}>
        the chain cannot be read{hasRead ? ' — its figures are the last ones' : null}
      </span>
    );
  }
  return (
    <span className={styles.part}>
      {health?.kind === 'known'
        ? `${health.body.activeEndpoints} of ${health.body.totalEndpoints} endpoints`
        : 'state of the endpoints unknown'}
    </span>
  );
}
