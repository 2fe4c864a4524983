import { QueryClientProvider } from '@tanstack/react-query';
import {
  DASHBOARD_MARKET_DATA,
  DASHBOARD_STAKING_TOTAL,
  DASHBOARD_VAULT_BALANCE,
  NETWORK_HEALTH,
} from '../../data/figure-strategies.ts';
import { queryClient } from '../../data/query-client.ts';
import { useFigure, useStreamState } from '../../data/use-figure.ts';
import { LedgerGrid } from './LedgerGrid.tsx';
import styles from './ledger.module.css';
import { StateLine } from './StateLine.tsx';

/** The dashboard's six figures and the line that says how they are read. */
export default function Ledger({ explorer }: { readonly explorer: string }) {
  return (
    <QueryClientProvider client={queryClient}>
      <LiveLedger explorer={explorer} />
    </QueryClientProvider>
  );
}

function LiveLedger({ explorer }: { readonly explorer: string }) {
  return (
    <section className={styles.ledger} aria-labelledby="live-figures">
      <h2 className="visually-hidden" id="live-figures">
        Live figures
      </h2>
      <LiveStateLine />
      <LedgerGrid
        explorer={explorer}
        vault={useFigure(DASHBOARD_VAULT_BALANCE)}
        staking={useFigure(DASHBOARD_STAKING_TOTAL)}
        market={useFigure(DASHBOARD_MARKET_DATA)}
      />
    </section>
  );
}

/** Reads its own figure: the slot moves all the time, and must not draw the grid again. */
function LiveStateLine() {
  return <StateLine stream={useStreamState()} health={useFigure(NETWORK_HEALTH)} />;
}
