import type { Transactions } from '../../../data/contract/metrics.ts';
import type { Reading } from '../../data/figure-query.ts';
import { ACTIVITY_FEED } from '../../data/figure-strategies.ts';
import { useTicking } from '../../data/ticking-clock.ts';
import { useFigure } from '../../data/use-figure.ts';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { LinkedId, NamedWallet, useExplorerLink } from '../ui/LinkedId.tsx';
import { LiveSign, liveIsland } from '../ui/Live.tsx';
import { LoadingText, ReadNotice, Skeleton } from '../ui/ReadStates.tsx';
import styles from './feed.module.css';
import { type Movement, MovementKind, movementAgeText, movementOf, rowKey } from './movement.tsx';

export default liveIsland(function VaultActivity({ explorer: explorerUrl }: { readonly explorer: string }) {
  return (
    <section aria-labelledby="vault-activity">
      <header className={styles.head}>
        <h2 id="vault-activity">Vault Staking Activity</h2>
        <LiveSign />
      </header>
      <ActivityList link={useExplorerLink(explorerUrl)} reading={useFigure(ACTIVITY_FEED)} />
    </section>
  );
});

/** The style sheet reserves space for this many rows, so that nothing below the list moves. */
const MAX_ROWS = 7;
const SKELETON_ROWS = Array.from({ length: MAX_ROWS }, (_, index) => `row ${index}`);

interface ActivityListProps {
  readonly link: ExplorerLink | null;
  readonly reading: Reading<Transactions>;
}

export function ActivityList({ link, reading }: ActivityListProps) {
  if (reading.kind === 'loading') return <SkeletonRows />;
  if (reading.kind === 'known' && reading.body.length > 0) {
    return (
      <ol className={styles.list}>
        {reading.body.slice(0, MAX_ROWS).map((transaction) => (
          <Row
            key={rowKey(transaction)}
            movement={movementOf(transaction)}
            wallet={transaction.wallet}
            link={link}
          />
        ))}
      </ol>
    );
  }
  return (
    <div className={styles.list}>
      <ReadNotice
        reading={reading}
        what="the vault staking activity"
        failedText="Could not load the vault staking activity."
        unknownText="Loading the history from the chain. New movements appear when it is complete."
        emptyText="No vault or stake pool activity yet."
      />
    </div>
  );
}

interface RowProps extends Pick<ActivityListProps, 'link'> {
  readonly movement: Movement;
  readonly wallet: string | null;
}

function Row({ movement, wallet, link }: RowProps) {
  const { signature, label, amount, status, happenedAt } = movement;
  return (
    <li className={styles.row}>
      <MovementKind movement={movement} />
      <span className={styles.amount}>
        {amount}
        <span className="visually-hidden"> BD</span>
      </span>
      <span className={styles.proof}>
        <LinkedId id={signature} kind="tx" link={link} name={`${label} transaction`} />
        <NamedWallet wallet={wallet} link={link} />
        <span className={styles.status}>{status}</span>
      </span>
      <MovementAge happenedAt={happenedAt} />
    </li>
  );
}

function MovementAge({ happenedAt }: Pick<Movement, 'happenedAt'>) {
  const text = useTicking((now) => movementAgeText(happenedAt, now));
  return happenedAt === null ? (
    <span className={styles.time}>{text}</span>
  ) : (
    <time className={styles.time} dateTime={new Date(happenedAt).toISOString()}>
      {text}
    </time>
  );
}

function SkeletonRows() {
  return (
    <div className={styles.list} aria-busy="true">
      <LoadingText />
      {SKELETON_ROWS.map((row) => (
        <div className={`${styles.row} script-only`} key={row} aria-hidden="true">
          <Skeleton width={10} />
          <Skeleton width={10} />
          <Skeleton width={10} />
          <Skeleton width={10} />
        </div>
      ))}
    </div>
  );
}
