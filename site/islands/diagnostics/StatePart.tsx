import type { UseQueryResult } from '@tanstack/react-query';
import { faultText } from '../../data/call-fault.ts';
import { Checks, ChecksPlaces } from './Checks.tsx';
import styles from './diagnostics.module.css';
import type { Diagnosis } from './diagnostics-calls.ts';

interface StatePartProps {
  readonly reading: UseQueryResult<Diagnosis>;
  /** Whether the page reads it again and again by itself; else there is a button for that. */
  readonly isFollowed?: boolean;
}

/** The state of the bot. */
export function StatePart({ reading, isFollowed = false }: StatePartProps) {
  const { data, error, isFetching, refetch } = reading;
  return (
    <section aria-labelledby="state">
      <div className={styles.head}>
        <h2 id="state">State</h2>
        {isFollowed ? (
          <p className={styles.note}>Tested every 5 seconds</p>
        ) : (
          <button
            type="button"
            className="button"
            aria-disabled={isFetching}
            onClick={() => void (isFetching || refetch())}
          >
            {isFetching ? 'Testing...' : 'Test Again'}
          </button>
        )}
      </div>
      {error === null ? null : (
        <p className={styles.error} role="alert">
          {faultText(error, 'The portal did not answer as it should. Try again in a moment.')}
        </p>
      )}
      {data === undefined ? error === null ? <ChecksPlaces /> : null : <Checks diagnosis={data} />}
    </section>
  );
}
