import { QueryClientProvider } from '@tanstack/react-query';
import { ACTIVITY_FEED, NETWORK_HEALTH } from '../../data/figure-strategies.ts';
import { queryClient } from '../../data/query-client.ts';
import { useFigure, useStreamState } from '../../data/use-figure.ts';
import { clusterOf, explorerLink } from '../figure/explorer-link.ts';
import { LiveSign } from '../figure/LiveSign.tsx';
import { ActivityList } from './ActivityList.tsx';
import styles from './feed.module.css';

/** The newest movements of the vault and the stake pool. */
export default function VaultActivity({ explorer }: { readonly explorer: string }) {
  return (
    <QueryClientProvider client={queryClient}>
      <LiveActivity explorer={explorer} />
    </QueryClientProvider>
  );
}

function LiveActivity({ explorer }: { readonly explorer: string }) {
  const stream = useStreamState();
  const cluster = clusterOf(useFigure(NETWORK_HEALTH));
  return (
    <section aria-labelledby="vault-activity">
      <header className={styles.head}>
        <h2 id="vault-activity">Vault Staking Activity</h2>
        <LiveSign stream={stream} />
      </header>
      <ActivityList link={explorerLink(explorer, cluster)} reading={useFigure(ACTIVITY_FEED)} />
    </section>
  );
}
