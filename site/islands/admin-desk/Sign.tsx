import styles from './admin-desk.module.css';
import { localMoment, wordsOf } from './desk-words.ts';

interface SignProps {
  readonly isDone: boolean;
  readonly done: string;
  readonly undone: string;
  /** The colour of the tick: the messaging app's is blue. */
  readonly by?: 'email' | 'telegram';
}

/** A tick or a cross, with its words for those who do not see it. */
export function Sign({ isDone, done, undone, by = 'email' }: SignProps) {
  const words = isDone ? done : undone;
  return (
    <span className={styles.sign} data-sign={isDone ? by : 'not'} title={words}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={isDone ? 'M2.5 8.5 6.5 12.5 13.5 4' : 'M3.5 3.5 12.5 12.5 M12.5 3.5 3.5 12.5'} />
      </svg>
      <span className="visually-hidden">{words}</span>
    </span>
  );
}

interface SentFlags {
  readonly emailSent: boolean;
  readonly telegramSent: boolean;
}

/** How the mail and the notice of a record went. */
export function SentSigns({ emailSent, telegramSent }: SentFlags) {
  return (
    <span className={styles.signs}>
      <Sign isDone={emailSent} done="Email sent" undone="Email not sent" />
      <Sign isDone={telegramSent} done="Telegram sent" undone="Telegram not sent" by="telegram" />
    </span>
  );
}

/** A status in words; its colour repeats them. */
export function Status({
  status,
  words = wordsOf(status),
}: {
  readonly status: string;
  readonly words?: string;
}) {
  return (
    <span className={styles.status} data-status={status}>
      {words}
    </span>
  );
}

export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} className={styles.moment}>
      {localMoment(at)}
    </time>
  );
}
