import type { ReceiptState } from '../../../data/model/delivery-states.ts';
import styles from './dashboard.module.css';

/** The labels that cannot be derived from the value. */
const LABELS: Readonly<Record<string, string>> = {
  leased: 'Sending',
  dead: 'Failed',
  settled: 'Told in another way',
  'documents-deleted': 'Documents deleted: mailbox not confirmed',
  only: 'Failed only',
};

/** The label of a value: `'card-issued'` → `'Card issued'`. */
export function labelOf(value: string): string {
  const text = value.replaceAll('-', ' ');
  return LABELS[value] ?? text.charAt(0).toUpperCase() + text.slice(1);
}

let format: Intl.DateTimeFormat | null = null;

/** A moment (ISO 8601) in the browser's language and time zone. */
export function Moment({ at }: { readonly at: string }) {
  format ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <time dateTime={at} className={styles.moment}>
      {format.format(new Date(at))}
    </time>
  );
}

let shortFormat: Intl.DateTimeFormat | null = null;

/** A moment (ISO 8601) without its year, which its tooltip has. */
export function ShortMoment({ at }: { readonly at: string }) {
  format ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  shortFormat ??= new Intl.DateTimeFormat(undefined, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const moment = new Date(at);
  return (
    <time dateTime={at} className={styles.moment} title={format.format(moment)}>
      {shortFormat.format(moment)}
    </time>
  );
}

interface SignProps {
  /** Null if it is neither done nor failed. */
  readonly isDone: boolean | null;
  /** The label of the tick. */
  readonly done: string;
  /** The label of the cross. */
  readonly undone: string;
  /** The tick is green for email and blue for Telegram. */
  readonly method?: 'email' | 'telegram';
}

/** A tick, a cross or a dash, with a label for screen readers. */
export function Sign({ isDone, done, undone, method = 'email' }: SignProps) {
  const text = isDone ? done : undone;
  const [sign, path] =
    isDone === null
      ? ['open', 'M3.5 8h9']
      : isDone
        ? [method, 'M2.5 8.5 6.5 12.5 13.5 4']
        : ['not', 'M3.5 3.5 12.5 12.5 M12.5 3.5 3.5 12.5'];
  return (
    <span className={styles.sign} data-sign={sign} title={text}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={path} />
      </svg>
      <span className="visually-hidden">{text}</span>
    </span>
  );
}

export interface Sent {
  readonly emailState: ReceiptState;
  readonly telegramState: ReceiptState;
  readonly mailBounced: boolean;
}

/** The label of each state of the messages about a new submission, after the name of the channel. */
export const RECEIPT_LABELS: Readonly<Record<ReceiptState, string>> = {
  sent: 'sent',
  waiting: 'waiting to be sent',
  failed: 'failed',
  settled: 'failed, told in another way',
  none: 'not needed',
};

/** Whether the messages in a state were sent; null while they wait, or if there are none. */
export const isSent = (state: ReceiptState): boolean | null =>
  state === 'waiting' || state === 'none' ? null : state === 'sent';

/** The mark of a record whose applicant did not get a mail. */
export function BounceMark({ mailBounced }: Pick<Sent, 'mailBounced'>) {
  return mailBounced ? <Status status="dead" label="Bounced" /> : null;
}

/** The state of the email and the Telegram notice about a record. */
export function SentSigns({ emailState, telegramState }: Omit<Sent, 'mailBounced'>) {
  return (
    <span className={styles.signs}>
      <Sign isDone={isSent(emailState)} done="Email sent" undone={`Email ${RECEIPT_LABELS[emailState]}`} />
      <Sign
        isDone={isSent(telegramState)}
        done="Telegram sent"
        undone={`Telegram ${RECEIPT_LABELS[telegramState]}`}
        method="telegram"
      />
    </span>
  );
}

/** A status label. Its color adds no information. */
export function Status({
  status,
  label = labelOf(status),
}: {
  readonly status: string;
  readonly label?: string;
}) {
  return (
    <span className={styles.status} data-status={status}>
      {label}
    </span>
  );
}
