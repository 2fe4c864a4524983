import { SERVICE_TIMES } from '../../../data/model/service-times.ts';
import { useTicking } from '../lock/use-ticking.ts';
import styles from './verification.module.css';
import { secondsSince, waitingAfter } from './waiting.ts';

interface ProgressProps {
  /** Unix ms. */
  readonly startedAt: number;
  readonly onStop: () => void;
  readonly onManualRequest: () => void;
}

/** How a check is getting on: what is done and what is waited for, for how long, and the way out of a wait too long. */
export function Progress({ startedAt, onStop, onManualRequest }: ProgressProps) {
  const seconds = useTicking((now) => secondsSince(startedAt, now));
  const waiting = waitingAfter(seconds);
  return (
    <div className={styles.progress}>
      <ol>
        <li data-step="done">Address checked, the portal asked</li>
        <li data-step="now">The portal reads the wallet’s stake from the chain</li>
        <li>The tier is decided</li>
      </ol>
      <p className={styles.quiet}>
        <span aria-hidden="true">
          {seconds} s of up to {SERVICE_TIMES.verificationSeconds} s
        </span>
      </p>
      <div role="status">
        {waiting === 'usual' ? null : <p>This takes longer than usual.</p>}
        {waiting === 'too-long' ? (
          <p>You need not wait: stop and try again later, or ask the team to look.</p>
        ) : null}
      </div>
      {waiting === 'too-long' ? (
        <p className={styles.ways}>
          <button type="button" className="button" onClick={onStop}>
            Stop Waiting
          </button>
          <button type="button" className="button" onClick={onManualRequest}>
            Request Manual Verification
          </button>
        </p>
      ) : null}
    </div>
  );
}
