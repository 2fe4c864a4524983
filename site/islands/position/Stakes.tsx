import type { WalletPosition } from '../../../data/contract/position.ts';
import { toICalendar } from '../../../data/model/calendar-event.ts';
import { formatFull, shorten } from '../../../data/model/format.ts';
import { useTicking } from '../../data/ticking-clock.ts';
import { downloadText } from '../ui/download.ts';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { formatStake, momentText } from '../ui/format.ts';
import { LinkedId } from '../ui/LinkedId.tsx';
import { LockProgress, LockTimeLeft } from '../ui/Lock.tsx';
import styles from './position.module.css';

type OpenStake = WalletPosition['stakes'][number];

/** The calendar event's id is stable, so that importing the file again replaces the event. */
export function unlockCalendarFile(stake: OpenStake, wallet: string, writtenAt: number) {
  const event = {
    uid: `${stake.entry}@blackduck-portal`,
    at: Date.parse(stake.unlockDate),
    title: `BD stake unlocks: ${formatFull(stake.amount)} BD`,
    description: [
      `From the time of this event, the stake of wallet ${shorten(wallet)} can be withdrawn. It is not withdrawn automatically.`,
      'Staking again with the same wallet before then restarts the lock.',
    ].join('\n'),
    remindDaysBefore: 1,
  };
  const fileName = `bd-unlock-${stake.unlockDate.slice(0, 10)}.ics`;
  return { fileName, text: toICalendar(event, writtenAt) };
}

interface StakesProps {
  readonly position: WalletPosition;
  readonly link: ExplorerLink | null;
  /**
   * Starts the withdrawal of a stake. The page does not check the lock, because the chain's clock decides whether it is over.
   * Null while a withdrawal is open.
   */
  readonly withdraw: ((entry: string) => void) | null;
}

export function Stakes({ position, link, withdraw }: StakesProps) {
  const { stakes, walletAddress, lock } = position;
  return (
    <section className={styles.part} aria-labelledby="position-stakes">
      <h2 id="position-stakes" className={styles.head}>
        Stakes
      </h2>
      {lock === null ? null : (
        <div className={styles.lock}>
          <p className={styles.quiet}>Time left on the lock</p>
          <p className={styles.timeLeft}>
            <LockTimeLeft unlocksAt={Date.parse(lock.unlockDate)} />
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
            <p>
              <span className={styles.quiet}>Unlocks</span>{' '}
              <time dateTime={stake.unlockDate}>{momentText(stake.unlockDate)}</time>
            </p>
            <p>
              {stake.openedBy === null ? (
                <span className={styles.quiet}>Before our records begin</span>
              ) : (
                <>
                  <span className={styles.quiet}>Opened by</span>{' '}
                  <LinkedId id={stake.openedBy} kind="tx" link={link} name="Transaction" />
                </>
              )}
            </p>
            <p className={styles.actions}>
              <button
                type="button"
                className="button"
                onClick={() => {
                  const { fileName, text } = unlockCalendarFile(stake, walletAddress, Date.now());
                  downloadText(fileName, text, 'text/calendar');
                }}
              >
                Add to calendar (.ics)
              </button>
              <WithdrawButton stake={stake} withdraw={withdraw} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function WithdrawButton({ stake, withdraw }: { readonly stake: OpenStake } & Pick<StakesProps, 'withdraw'>) {
  const { entry, unlockDate } = stake;
  const [day] = momentText(unlockDate).split(',');
  const label = useTicking((now) => (now < Date.parse(unlockDate) ? `Withdraw from ${day}` : 'Withdraw'));
  return (
    <button
      type="button"
      className="button"
      aria-disabled={withdraw === null}
      onClick={() => withdraw?.(entry)}
    >
      {label}
    </button>
  );
}
