import { Bone } from '../figure/Bone.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import { RetryButton } from '../figure/RetryButton.tsx';
import { PositionFigures } from './PositionFigures.tsx';
import { PositionNotice } from './PositionNotice.tsx';
import styles from './position.module.css';
import { Reward } from './Reward.tsx';
import { Stakes } from './Stakes.tsx';
import { TierRise } from './TierRise.tsx';
import { Transactions } from './Transactions.tsx';
import type { PositionReading } from './use-position.ts';

interface PositionViewProps {
  readonly wallet: string;
  /** Null where no public explorer shows the chain. */
  readonly link: ExplorerLink | null;
  readonly reading: PositionReading;
}

/** A wallet's position, or why there is none to show. */
export default function PositionView({ wallet, link, reading }: PositionViewProps) {
  if (reading.kind === 'loading') return <ReadingIt />;
  if (reading.kind === 'failed') return <PositionNotice {...reading} />;
  const { position, transactions } = reading;
  const hasHistory = transactions === null || transactions.length > 0;
  if (!position.isStaking && !hasHistory) return <NoHistory isComplete={position.transactions?.isComplete} />;
  return (
    <div className={styles.position} data-position={position.isStaking ? 'staking' : 'not-staking'}>
      <TierRise wallet={wallet} tier={position.tier} staked={position.staked} />
      <h2 className="visually-hidden">Position in figures</h2>
      <PositionFigures position={position} link={link} isBehind={reading.behind !== null} />
      <div className={styles.again} role="status">
        {reading.behind === null ? null : (
          <p className={styles.warning}>
            The position could not be read again: what happened since is missing.{' '}
            <RetryButton retry={reading.behind} what="the position" />
          </p>
        )}
      </div>
      {position.isStaking ? (
        <>
          <Stakes position={position} link={link} />
          <Reward position={position} />
        </>
      ) : (
        <p className={styles.notice} data-notice="no-stake">
          This wallet has no open stake. Its movements are below.
        </p>
      )}
      <Transactions reading={reading} link={link} />
    </div>
  );
}

function ReadingIt() {
  return (
    <div className={styles.position} aria-busy="true">
      <p className={styles.reading}>
        <LoadingWords /> <Bone width={30} />
      </p>
      <p className={styles.reading}>
        <Bone width={46} />
      </p>
    </div>
  );
}

/** A wallet that the index knows nothing of. */
function NoHistory({ isComplete }: { readonly isComplete: boolean | undefined }) {
  return (
    <div className={styles.notice} data-notice="no-history" role="status">
      <h2>This wallet has no history here</h2>
      <p>
        It stakes no BD, and moved none in or out of the vault or the stake pool.{' '}
        {isComplete === false
          ? 'A transaction of theirs could not be read yet, though, and may be of this wallet.'
          : 'If you expected a stake, check that this is the wallet that staked.'}
      </p>
      <p className={styles.ways}>
        <a className="button" href="/staking">
          How a stake works
        </a>
        <a className="button" href="/links">
          Where to stake
        </a>
      </p>
    </div>
  );
}
