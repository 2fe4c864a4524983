import { useStore } from '@nanostores/react';
import { QueryClientProvider } from '@tanstack/react-query';
import {
  DASHBOARD_MARKET_DATA,
  DASHBOARD_STAKING_TOTAL,
  DASHBOARD_VAULT_BALANCE,
  NETWORK_HEALTH,
} from '../../data/figure-strategies.ts';
import { queryClient } from '../../data/query-client.ts';
import { $lastReads, $newestSlot } from '../../data/source-freshness.ts';
import { useFigure, useStreamState } from '../../data/use-figure.ts';
import { clusterOf, explorerLink } from '../figure/explorer-link.ts';
import { LedgerGrid } from './LedgerGrid.tsx';
import styles from './ledger.module.css';
import { StateLine, type StateLineProps } from './StateLine.tsx';

/** The dashboard's six figures and the line that says how they are read. */
export default function Ledger({ explorer }: { readonly explorer: string }) {
  return (
    <QueryClientProvider client={queryClient}>
      <LiveLedger explorer={explorer} />
    </QueryClientProvider>
  );
}

function LiveLedger({ explorer }: { readonly explorer: string }) {
  const health = useFigure(NETWORK_HEALTH);
  return (
    <section className={styles.ledger} aria-labelledby="live-figures">
      <h2 className="visually-hidden" id="live-figures">
        Live figures
      </h2>
      <LiveStateLine health={health} />
      <LedgerGrid
        link={explorerLink(explorer, clusterOf(health))}
        vault={useFigure(DASHBOARD_VAULT_BALANCE)}
        staking={useFigure(DASHBOARD_STAKING_TOTAL)}
        market={useFigure(DASHBOARD_MARKET_DATA)}
      />
    </section>
  );
}

/** Follows the slot by itself: it moves with every heartbeat, which must not draw the grid again. */
function LiveStateLine({ health }: Pick<StateLineProps, 'health'>) {
  const slot = useStore($newestSlot, { ssr: 'initial' });
  const { chain } = useStore($lastReads, { ssr: 'initial' });
  return <StateLine stream={useStreamState()} slot={slot} readAt={chain} health={health} />;
}
