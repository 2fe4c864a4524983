import type { WalletPosition } from '../../../data/contract/position.ts';
import { offerDownload } from '../download/offer-download.ts';
import { Evidence } from '../figure/Evidence.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { formatStake } from '../figure/moved-amount.ts';
import { LockLeft, LockProgress } from '../lock/Lock.tsx';
import { momentText } from './moment-text.ts';
import styles from './position.module.css';
import { unlockCalendar } from './unlock-event.ts';

interface StakesProps {
  readonly position: WalletPosition;
  readonly link: ExplorerLink | null;
}

/** Each open stake with what is left of its lock and its end, to be kept in a calendar. */
export function Stakes({ position, link }: StakesProps) {
  const { stakes, walletAddress, lock } = position;
  return (
    <section className={styles.part} aria-labelledby="position-stakes">
      <h2 id="position-stakes" className={styles.head}>
        Stakes
      </h2>
      {lock === null ? null : (
        <div className={styles.lock}>
          <p className={styles.quiet}>Time left of the lock</p>
          <p className={styles.left}>
            <LockLeft unlocksAt={Date.parse(lock.unlockDate)} />
          </p>
          <LockProgress startedAt={Date.parse(lock.startDate)} unlocksAt={Date.parse(lock.unlockDate)} />
          <p className={styles.quiet}>
            Locked since {momentText(lock.startDate)}. No early withdrawal; staking again with this wallet
            restarts the lock.
          </p>
        </div>
      )}
      <ol className={styles.stakes}>
        {stakes.map((stake) => (
          <li key={stake.entry}>
            <p className={styles.amount}>{formatStake(stake.amount)} BD</p>
            <p className={styles.end}>
              <span className={styles.quiet}>Unlocks</span>{' '}
              <time dateTime={stake.unlockDate}>{momentText(stake.unlockDate)}</time>
            </p>
            <p className={styles.proof}>
              {stake.openedBy === null ? (
                <span className={styles.quiet}>Opened before the history begins</span>
              ) : (
                <>
                  <span className={styles.quiet}>Opened by</span>{' '}
                  <Evidence
                    id={stake.openedBy}
                    href={link?.('tx', stake.openedBy) ?? null}
                    name="Transaction"
                  />
                </>
              )}
            </p>
            <button
              type="button"
              className="button"
              onClick={() => {
                const { fileName, text } = unlockCalendar(stake, walletAddress, Date.now());
                offerDownload(fileName, text, 'text/calendar');
              }}
            >
              Add to calendar (.ics)
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
