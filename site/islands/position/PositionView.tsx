import { lazy, Suspense, useState } from 'react';
import type { WalletPosition } from '../../../data/contract/position.ts';
import { LOCK_DAYS, STATED_YIELD_PERCENT } from '../../../data/model/staking-terms.ts';
import { type PositionError, positionRead } from '../../data/position-query.ts';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { Age } from '../ui/Figure.tsx';
import { LoadingText, RetryButton, Skeleton } from '../ui/ReadStates.tsx';
import { RewardFormula } from '../ui/RewardFormula.tsx';
import ActiveTier from './ActiveTier.tsx';
import { PositionFigures } from './PositionFigures.tsx';
import styles from './position.module.css';
import { Stakes } from './Stakes.tsx';
import { TierAndBadge } from './TierAndBadge.tsx';
import type { PositionReading } from './use-position.ts';

const History = lazy(() => import('./History.tsx'));
const Reminders = lazy(() => import('./Reminders.tsx'));
const SharePosition = lazy(() => import('./SharePosition.tsx'));
const Withdrawal = lazy(() => import('../stake/Withdrawal.tsx'));

/** Shown while a transaction is quarantined, or if the chain was not read recently. */
const INCOMPLETE_TEXT = 'Transactions that have not been read yet may belong to this wallet.';

function Reward({ position }: { readonly position: WalletPosition }) {
  return (
    <section className={styles.part} aria-labelledby="position-reward">
      <h2 id="position-reward" className={styles.head}>
        Stated reward
      </h2>
      <div className={styles.formula}>
        <RewardFormula staked={position.staked} reward={position.statedReward} />
      </div>
      <p className={styles.quiet}>
        {`Stated annual yield of ${STATED_YIELD_PERCENT}%, set by the project, for one lock of ${LOCK_DAYS} days. It is not compounded and not guaranteed. `}
        {`The stake is locked for ${LOCK_DAYS} days without early withdrawal, and restaking restarts the lock. `}
        This is a number of tokens. Their value depends on the price when the lock ends.
      </p>
    </section>
  );
}

const ERROR_TEXTS: Readonly<Record<PositionError, { readonly title: string; readonly text: string }>> = {
  'invalid-address': {
    title: "That isn't a wallet address",
    text: 'Copy the full address from the wallet and try again.',
  },
  'not-known': {
    title: 'Positions are not available at the moment',
    text: 'Positions appear after indexing. Try again in a minute.',
  },
  'too-many': {
    title: 'Too many requests',
    text: 'Wait a minute, then try again.',
  },
  'no-network': {
    title: 'Could not reach the portal',
    text: 'The position loads once the connection is back.',
  },
  failed: {
    title: 'Could not load the position',
    text: 'Something went wrong on our side. Try again. If it keeps happening, contact support.',
  },
};

function PositionNotice({ failure, retry, isRetrying }: Extract<PositionReading, { kind: 'failed' }>) {
  const { title, text } = ERROR_TEXTS[failure];
  return (
    <div className={styles.notice} data-notice={failure} role="alert">
      <h2>{title}</h2>
      <p>{text}</p>
      {failure === 'invalid-address' ? null : (
        <p className={styles.actions}>
          <button type="button" className="button" onClick={retry} aria-disabled={isRetrying}>
            {isRetrying ? 'Loading…' : 'Retry'}
          </button>
        </p>
      )}
    </div>
  );
}

interface PositionViewProps {
  readonly wallet: string;
  readonly link: ExplorerLink | null;
  readonly reading: PositionReading;
}

export default function PositionView({ wallet, link, reading }: PositionViewProps) {
  /**
   * The entry of the stake that is being withdrawn. Kept here, because the stake disappears from `position` before the
   * withdrawal ends.
   */
  const [withdrawalEntry, setWithdrawalEntry] = useState<string | null>(null);
  if (reading.kind === 'loading') return <PositionSkeleton />;
  if (reading.kind === 'failed') return <PositionNotice {...reading} />;
  const { position } = reading;
  const rows = position.transactions?.rows ?? null;
  const hasHistory = rows === null || rows.length > 0;
  if (!position.isStaking && !hasHistory) return <NoHistory {...reading} />;
  return (
    <div className={styles.position} data-position={position.isStaking ? 'staking' : 'not-staking'}>
      <ActiveTier wallet={wallet} tier={position.tier} staked={position.staked} />
      <h2 className="visually-hidden">Position in figures</h2>
      <PositionFigures position={position} link={link} />
      {position.isStaking ? <ShareButton position={position} /> : null}
      <div className={styles.outdated} role="status">
        {reading.refresh === null ? null : (
          <p className={styles.warning} data-warning="outdated">
            Could not update the position. The latest changes may be missing.{' '}
            <RetryButton retry={reading.refresh} what="the position" />
          </p>
        )}
      </div>
      {position.isStaking ? (
        <Stakes
          position={position}
          link={link}
          withdraw={withdrawalEntry === null ? setWithdrawalEntry : null}
        />
      ) : (
        <p className={styles.notice} data-notice="no-stake">
          This wallet has no active stake. Its history is below.
        </p>
      )}
      {withdrawalEntry === null ? null : (
        <section className={styles.part} aria-label="Withdrawal">
          <Suspense fallback={<LoadingText />}>
            <Withdrawal
              key={withdrawalEntry}
              ownerAddress={wallet}
              entry={withdrawalEntry}
              link={link}
              close={() => setWithdrawalEntry(null)}
            />
          </Suspense>
        </section>
      )}
      {position.isStaking ? (
        <Suspense fallback={null}>
          <Reminders ownerAddress={wallet} />
        </Suspense>
      ) : null}
      {position.isStaking ? <Reward position={position} /> : null}
      <TierAndBadge position={position} />
      <section className={styles.part} aria-labelledby="position-history">
        <h2 id="position-history" className={styles.head}>
          History
        </h2>
        {rows === null ? (
          <p className={styles.quiet}>
            Loading the history from the chain. New transactions appear when it is complete.
          </p>
        ) : (
          <Suspense fallback={<LoadingText />}>
            <History position={position} link={link} />
          </Suspense>
        )}
        {position.transactions?.isComplete === false ? (
          <p className={styles.warning} data-warning="incomplete">
            {INCOMPLETE_TEXT}
          </p>
        ) : null}
      </section>
    </div>
  );
}

function ShareButton({ position }: { readonly position: WalletPosition }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={`${styles.actions} no-print`}>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Share as a picture
      </button>
      {isOpen ? (
        <Suspense fallback={null}>
          <SharePosition position={position} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

function PositionSkeleton() {
  return (
    <div className={styles.position} aria-busy="true">
      <p className={styles.loading}>
        <LoadingText /> <Skeleton width={30} />
      </p>
      <p className={styles.loading}>
        <Skeleton width={46} />
      </p>
    </div>
  );
}

function NoHistory({ position, refresh }: Extract<PositionReading, { kind: 'known' }>) {
  const isComplete = position.transactions?.isComplete;
  return (
    <div className={styles.notice} data-notice="no-history" data-complete={isComplete !== false}>
      {/* Excludes the age, because screen readers would announce it every second. */}
      <div role="status">
        <h2>This wallet has no history here</h2>
        <p>
          It has no stake and no transactions with the vault or the stake pool.{' '}
          {isComplete === false ? INCOMPLETE_TEXT : 'If you expected a stake, check the wallet address.'}
        </p>
      </div>
      <p className={styles.actions}>
        <Age read={positionRead(position)} />
        {refresh === null ? null : <RetryButton retry={refresh} what="the position" />}
      </p>
      <p className={styles.actions}>
        <a className="button" href="/staking">
          How staking works
        </a>
        <a className="button" href="/staking#stake">
          Stake BD
        </a>
      </p>
    </div>
  );
}
