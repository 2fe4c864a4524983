import type { Reading } from '../../data/figure-query.ts';
import type { Retry } from './provenance.ts';
import styles from './ui.module.css';

/** A placeholder for text that is loading, `width` characters wide. */
export function Skeleton({ width }: { readonly width: number }) {
  return (
    <span
      className={`${styles.skeleton} script-only no-print`}
      style={{ width: `${width}ch` }}
      aria-hidden="true"
    />
  );
}

/** `Loading` for screen readers. Without scripts nothing ever loads, so the page shows a dash. */
export function LoadingText() {
  return (
    <>
      <span className="visually-hidden in-print script-only">Loading</span>
      <span className="without-script">—</span>
    </>
  );
}

export function Loading({ width }: { readonly width: number }) {
  return (
    <>
      <Skeleton width={width} />
      <LoadingText />
    </>
  );
}

/** A dash for an unknown value. Screen readers read out `why`. */
export function Dash({ why = 'Not available' }: { readonly why?: string }) {
  return (
    <>
      <span aria-hidden="true">—</span>
      <span className="visually-hidden in-print"> {why}</span>
    </>
  );
}

/** Screen readers read the label “Retry” together with `what`: `Retry vault performance`. */
export function RetryButton({ retry, what }: { readonly retry: Retry; readonly what: string }) {
  return (
    <button type="button" className={styles.retry} onClick={retry.run} aria-disabled={retry.running}>
      {retry.running ? 'Loading…' : 'Retry'}
      <span className="visually-hidden"> {what}</span>
    </button>
  );
}

interface ReadNoticeProps {
  readonly reading: Exclude<Reading<unknown>, { kind: 'loading' }>;
  /** The name of the data in the retry button's label for screen readers, such as `the stakers`. */
  readonly what: string;
  readonly failedText: string;
  /** For data that the server has not read yet. */
  readonly unknownText: string;
  readonly emptyText: string;
}

export function ReadNotice({ reading, what, failedText, unknownText, emptyText }: ReadNoticeProps) {
  const kind = reading.kind === 'known' ? 'empty' : reading.kind;
  return (
    <p className={styles.notice} data-notice={kind}>
      {{ failed: failedText, unknown: unknownText, empty: emptyText }[kind]}{' '}
      {reading.kind === 'failed' ? (
        <RetryButton retry={{ run: reading.retry, running: reading.isRetrying }} what={what} />
      ) : null}
    </p>
  );
}
