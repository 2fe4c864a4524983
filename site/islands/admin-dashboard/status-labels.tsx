import styles from './dashboard.module.css';

/** Labels that cannot be derived from their values. */
const LABELS: Readonly<Record<string, string>> = {
  leased: 'Sending',
  dead: 'Failed',
  settled: 'No longer needed',
  'documents-deleted': 'Documents deleted: email address not confirmed',
  // The only value of the delivery logs' filter `dead`.
  only: 'Failed only',
};

/** The label for a value: `'card-issued'` → `'Card issued'`. */
export function labelOf(value: string): string {
  const text = value.replaceAll('-', ' ');
  return LABELS[value] ?? text.charAt(0).toUpperCase() + text.slice(1);
}

let momentFormat: Intl.DateTimeFormat | null = null;

/** A date and time (ISO 8601), shown in the browser's language and time zone. */
export function Moment({ at }: { readonly at: string }) {
  momentFormat ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <time dateTime={at} className={styles.moment}>
      {momentFormat.format(new Date(at))}
    </time>
  );
}

let shortMomentFormat: Intl.DateTimeFormat | null = null;

/** A date and time (ISO 8601), shown without the year. The tooltip includes it. */
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

/** The color only repeats what the label says. */
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
