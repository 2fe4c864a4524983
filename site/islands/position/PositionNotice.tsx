import type { PositionFault } from '../../data/position-query.ts';
import styles from './position.module.css';

/** What went wrong, and what to do about it. */
const WORDS: Readonly<
  Record<PositionFault, { readonly title: string; readonly text: string; readonly isRetried: boolean }>
> = {
  'no-key': {
    title: 'No wallet has this address',
    text: 'Copy it from the wallet, whole, and try again.',
    isRetried: false,
  },
  'not-known': {
    title: 'The stakes cannot be read at the moment',
    text: 'Nothing is said of a wallet until they are, least of all that it has none. Try again in a minute.',
    isRetried: true,
  },
  'too-many': {
    title: 'Too many positions were asked for from here',
    text: 'Wait a minute, then try again.',
    isRetried: true,
  },
  'no-network': {
    title: 'No connection',
    text: 'The portal could not be reached. The position is read as soon as the connection is back.',
    isRetried: true,
  },
  failed: {
    title: 'The position could not be read',
    text: 'The portal answered with a fault. Try again; if it stays, tell support.',
    isRetried: true,
  },
};

interface PositionNoticeProps {
  readonly fault: PositionFault;
  readonly retry: () => void;
  readonly retrying: boolean;
}

/** Stands where a position could not be read: each reason has words of its own. */
export function PositionNotice({ fault, retry, retrying }: PositionNoticeProps) {
  const { title, text, isRetried } = WORDS[fault];
  return (
    <div className={styles.notice} data-notice={fault} role="alert">
      <h2>{title}</h2>
      <p>{text}</p>
      {isRetried ? (
        <p className={styles.ways}>
          <button type="button" className="button" onClick={retry} aria-disabled={retrying}>
            {retrying ? 'Reading…' : 'Retry'}
          </button>
        </p>
      ) : null}
    </div>
  );
}
