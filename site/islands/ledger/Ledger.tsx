import { useStore } from '@nanostores/react';
import {
  DASHBOARD_MARKET_DATA,
  DASHBOARD_STAKING_TOTAL,
  DASHBOARD_VAULT_BALANCE,
  NETWORK_HEALTH,
} from '../../data/figure-strategies.ts';
import { $lastReads, $newestSlot } from '../../data/source-freshness.ts';
import { useFigure, useStreamState } from '../../data/use-figure.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { useExplorerLink } from '../figure/use-explorer-link.ts';
import { LedgerGrid } from './LedgerGrid.tsx';
import styles from './ledger.module.css';
import { StateLine } from './StateLine.tsx';

/** The dashboard's six figures and the line that says how they are read. */
export default function Ledger({ explorer }: { readonly explorer: string }) {
  return (
    <LiveRoot>
      <section className={styles.ledger} aria-labelledby="live-figures">
        <h2 className="visually-hidden" id="live-figures">
          Live figures
        </h2>
        <LiveStateLine />
        <LiveGrid explorer={explorer} />
      </section>
    </LiveRoot>
  );
}

function LiveGrid({ explorer }: { readonly explorer: string }) {
  return (
    <LedgerGrid
      link={useExplorerLink(explorer)}
      vault={useFigure(DASHBOARD_VAULT_BALANCE)}
      staking={useFigure(DASHBOARD_STAKING_TOTAL)}
      market={useFigure(DASHBOARD_MARKET_DATA)}
    />
  );
}

/** Follows the slot by itself: it moves with every heartbeat, which must not draw the grid again. */
function LiveStateLine() {
  const slot = useStore($newestSlot, { ssr: 'initial' });
  const { chain } = useStore($lastReads, { ssr: 'initial' });
  return (
    <StateLine stream={useStreamState()} slot={slot} readAt={chain} health={useFigure(NETWORK_HEALTH)} />
  );
}
