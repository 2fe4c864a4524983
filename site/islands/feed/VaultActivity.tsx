import { ACTIVITY_FEED } from '../../data/figure-strategies.ts';
import { useFigure, useStreamState } from '../../data/use-figure.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { LiveSign } from '../figure/LiveSign.tsx';
import { useExplorerLink } from '../figure/use-explorer-link.ts';
import { ActivityList } from './ActivityList.tsx';
import styles from './feed.module.css';

/** The newest movements of the vault and the stake pool. */
export default function VaultActivity({ explorer }: { readonly explorer: string }) {
  return (
    <LiveRoot>
      <section aria-labelledby="vault-activity">
        <header className={styles.head}>
          <h2 id="vault-activity">Vault Staking Activity</h2>
          <StreamSign />
        </header>
        <LiveList explorer={explorer} />
      </section>
    </LiveRoot>
  );
}

function StreamSign() {
  return <LiveSign stream={useStreamState()} />;
}

function LiveList({ explorer }: { readonly explorer: string }) {
  return <ActivityList link={useExplorerLink(explorer)} reading={useFigure(ACTIVITY_FEED)} />;
}
