import styles from './dashboard.module.css';

/** The labels that cannot be derived from the value. */
const LABELS: Readonly<Record<string, string>> = {
  leased: 'Sending',
  dead: 'Failed',
  settled: 'No longer needed',
  'documents-deleted': 'Documents deleted: mailbox not confirmed',
  only: 'Failed only',
};

/** The label of a value: `'card-issued'` → `'Card issued'`. */
export function labelOf(value: string): string {
  const text = value.replaceAll('-', ' ');
  return LABELS[value] ?? text.charAt(0).toUpperCase() + text.slice(1);
}

let momentFormat: Intl.DateTimeFormat | null = null;

/** A moment (ISO 8601) in the browser's language and time zone. */
export function Moment({ at }: { readonly at: string }) {
  momentFormat ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <time dateTime={at} className={styles.moment}>
      {momentFormat.format(new Date(at))}
    </time>
  );
}

let shortMomentFormat: Intl.DateTimeFormat | null = null;

/** A moment (ISO 8601) without the year, which is in the tooltip. */
export function ShortMoment({ at }: { readonly at: string }) {
  momentFormat ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  shortMomentFormat ??= new Intl.DateTimeFormat(undefined, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const moment = new Date(at);
  return (
    <time dateTime={at} className={styles.moment} title={momentFormat.format(moment)}>
      {shortMomentFormat.format(moment)}
    </time>
  );
}

/** A status label. Its color only repeats what the text says. */
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
