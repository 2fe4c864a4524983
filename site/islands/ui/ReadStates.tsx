import type { Reading } from '../../data/figure-query.ts';
import type { Retry } from './provenance.ts';
import styles from './ui.module.css';

/** A placeholder for loading text, `width` characters wide. Hidden without scripts. */
export function Skeleton({ width }: { readonly width: number }) {
  return (
    <span className={`${styles.skeleton} script-only`} style={{ width: `${width}ch` }} aria-hidden="true" />
  );
}

/** For screen readers while a figure loads; a dash on a page without scripts, because it never loads there. */
export function LoadingText() {
  return (
    <>
      <span className="visually-hidden script-only">Loading</span>
      <span className="without-script">—</span>
    </>
  );
}

/** A placeholder for text, which screen readers announce as loading. */
export function Loading({ width }: { readonly width: number }) {
  return (
    <>
      <Skeleton width={width} />
      <LoadingText />
    </>
  );
}

/** An unknown value: a dash, and its meaning for screen readers. */
export function Dash({ why = 'Not available' }: { readonly why?: string }) {
  return (
    <>
      <span aria-hidden="true">—</span>
      <span className="visually-hidden">{why}</span>
    </>
  );
}

/** @param what what is read, for screen readers: `vault performance` */
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
  /** What is read, for screen readers: `the stakers`. */
  readonly what: string;
  /** The messages for a failed read, for data that the server has not read yet, and for an empty list. */
  readonly failed: string;
  readonly unknown: string;
  readonly empty: string;
}

/** The message shown in place of an empty list. */
export function ReadNotice({ reading, what, failed, unknown, empty }: ReadNoticeProps) {
  const kind = reading.kind === 'known' ? 'empty' : reading.kind;
  return (
    <p className={styles.notice} data-notice={kind}>
      {{ failed, unknown, empty }[kind]}{' '}
      {reading.kind === 'failed' ? (
        <RetryButton retry={{ run: reading.retry, running: reading.retrying }} what={what} />
      ) : null}
    </p>
  );
}
