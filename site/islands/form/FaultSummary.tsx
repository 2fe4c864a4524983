import type { RefObject } from 'react';
import styles from './form.module.css';
import type { Fault } from './use-form.ts';

interface FaultSummaryProps {
  readonly faults: readonly Fault[];
  /** Takes the focus when a submission finds faults. */
  readonly summary: RefObject<HTMLDivElement | null>;
}

/** What has to be mended before a form can be sent, each with the way to its field. */
export function FaultSummary({ faults, summary }: FaultSummaryProps) {
  if (faults.length === 0) return null;
  return (
    <div className={styles.summary} ref={summary} role="alert" tabIndex={-1}>
      <p className={styles.title}>There is a problem</p>
      <ul>
        {faults.map(({ id, words }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              onClick={(event) => {
                event.preventDefault();
                document.getElementById(id)?.focus();
              }}
            >
              {words}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
