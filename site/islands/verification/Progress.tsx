import type { VerificationStep } from '../../../data/contract/verification-steps.ts';
import { SERVICE_TIMES } from '../../../data/model/service-times.ts';
import { useTicking } from '../lock/use-ticking.ts';
import styles from './verification.module.css';
import { secondsSince, waitingAfter } from './waiting.ts';

/** What is waited for, in order, until the portal tells that it has happened. */
const STEPS: readonly (readonly [VerificationStep, string])[] = [
  ['asked', 'Address checked, the portal asked'],
  ['stake-entries-read', 'The portal reads the wallet’s stake from the chain'],
  ['token-accounts-read', 'Where it stakes nothing, what it holds is read'],
  ['decided', 'The tier is decided'],
];

interface ProgressProps {
  /** Unix ms. */
  readonly startedAt: number;
  /** What the portal told last; null where it told nothing yet. */
  readonly step: VerificationStep | null;
  readonly onStop: () => void;
  readonly onManualRequest: () => void;
}

/** How a check is getting on: what is done and what is waited for, for how long, and the way out of a wait too long. */
export function Progress({ startedAt, step, onStop, onManualRequest }: ProgressProps) {
  const seconds = useTicking((now) => secondsSince(startedAt, now));
  const happened = STEPS.findIndex(([own]) => own === step) + 1;
  const waiting = waitingAfter(seconds);
  return (
    <div className={styles.progress}>
      <ol>
        {STEPS.map(([own, words], place) => (
          <li
            key={own}
            data-step={place < happened ? 'done' : place === happened ? 'now' : undefined}
            aria-current={place === happened ? 'step' : undefined}
          >
            {words}
          </li>
        ))}
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
