import { ALERTS, isAlertCode } from '../../data/model/alerts.ts';
import { durationWithUnit } from '../../data/model/facts/amount-text.ts';
import type { AlertStore, StoredAlert } from '../../data/store/alert-port.ts';
import type { LeasedDelivery } from '../../data/store/delivery-port.ts';
import type { MailFact, MailTemplate } from '../delivery/mail/mail-template.ts';
import { momentText } from '../delivery/mail/templates/shared-parts.ts';

interface AlertMessage {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly facts: readonly MailFact[];
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** A duration in its largest two units: `2 hours 7 minutes`. @param ms milliseconds */
export function durationText(ms: number): string {
  const firstIndex = UNITS.findIndex(([, length]) => ms >= length);
  if (firstIndex === -1) return durationWithUnit(0, 'second');
  let remainingMs = ms;
  return UNITS.slice(firstIndex, firstIndex + 2)
    .flatMap(([unit, length]) => {
      const count = Math.floor(remainingMs / length);
      remainingMs -= count * length;
      return count === 0 ? [] : [durationWithUnit(count, unit)];
    })
    .join(' ');
}

/**
 * The message for an alert that has begun, continues or has ended. Null if the alert's code is unknown, or if an ended alert
 * has no end time.
 * @param at when the message was queued (Unix ms)
 */
function alertMessage(alert: StoredAlert, event: string, at: number): AlertMessage | null {
  const { id, code, startedAt, endedAt, detail } = alert;
  if (!isAlertCode(code)) return null;
  const { title, remedy } = ALERTS[code];
  const sharedFacts: readonly MailFact[] = [
    ['Alert', code],
    ['Since', momentText(startedAt)],
  ];
  const reference: MailFact = ['Reference', id];
  if (event === 'alert.ended') {
    if (endedAt === null) return null;
    const paragraphs = [`The problem lasted ${durationText(endedAt - startedAt)}.`];
    return {
      subject: `Resolved: ${title}`,
      paragraphs,
      facts: [...sharedFacts, ['Until', momentText(endedAt)], reference],
    };
  }
  const durationParagraphs = event.startsWith('alert.lasts:')
    ? [`The problem has lasted ${durationText(at - startedAt)} so far.`]
    : [];
  const subject = `${durationParagraphs.length > 0 ? 'Alert continues' : 'Alert'}: ${title}`;
  return { subject, paragraphs: [detail, ...durationParagraphs, remedy], facts: [...sharedFacts, reference] };
}

type AlertDelivery = Pick<LeasedDelivery, 'event' | 'referenceNumber' | 'createdAt'>;

export const isAboutAlert = ({ event }: Pick<LeasedDelivery, 'event'>): boolean => event.startsWith('alert.');

async function messageFor(
  { event, referenceNumber, createdAt }: AlertDelivery,
  alerts: Pick<AlertStore, 'find'>,
): Promise<AlertMessage | null> {
  const alert = await alerts.find(referenceNumber);
  return alert && alertMessage(alert, event, createdAt);
}

/** Null if the alert is unknown. @param teamOrigin the URL of the team's pages */
export async function alertMail(
  delivery: AlertDelivery,
  alerts: Pick<AlertStore, 'find'>,
  teamOrigin: string,
): Promise<MailTemplate | null> {
  const message = await messageFor(delivery, alerts);
  if (message === null) return null;
  const { subject, paragraphs, facts } = message;
  const link = { kind: 'button', label: 'Open the dashboard', url: `${teamOrigin}/admin/dashboard` } as const;
  return { subject, parts: [...paragraphs, { kind: 'facts', facts }, link] };
}

/** Null if the alert is unknown. */
export async function alertNotice(
  delivery: AlertDelivery,
  alerts: Pick<AlertStore, 'find'>,
  teamOrigin: string,
): Promise<string | null> {
  const message = await messageFor(delivery, alerts);
  if (message === null) return null;
  const { subject, paragraphs, facts } = message;
  const lines = facts.map(([label, value]) => `${label}: ${value}`);
  return [subject, ...paragraphs, ...lines, `${teamOrigin}/admin/dashboard`].join('\n');
}
