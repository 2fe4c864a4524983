import webPush from 'web-push';
import { composeShortReminder, type ReminderContext } from '../../reminders/reminder-messages.ts';
import type { Sender } from '../send-outcome.ts';
import { postWebhook } from '../webhooks/webhook-request.ts';
import type { VapidKeys } from './vapid-keys.ts';

interface PushTarget {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** How long a push service keeps a message while the browser is offline. */
const TTL_SECONDS = 86_400;
/** Status codes for an ended subscription: the browser has unsubscribed, or never subscribed with the portal's key. */
const ENDED_CODES: ReadonlySet<string> = new Set(['403', '404', '410']);
/** Status codes for a message that the push service will never accept. */
const REFUSED_CODES: ReadonlySet<string> = new Set(['400', '401', '413']);

interface PushSenderOptions {
  readonly reminders: ReminderContext;
  readonly vapid: VapidKeys;
  /** The email address that push services can write to if there is a problem. */
  readonly contact: string;
  readonly allowsLoopback: boolean;
  readonly timeoutMs?: number;
}

/** A sender that encrypts each reminder for a browser (RFC 8291), and posts it to the browser's push service (RFC 8030). */
export function createPushSender(options: PushSenderOptions): Sender['send'] {
  const { reminders, vapid, contact, allowsLoopback, timeoutMs } = options;
  return async (delivery, signal) => {
    const reminder = await composeShortReminder(delivery, reminders);
    if (reminder === 'later') {
      return { kind: 'retry', code: 'no-stakes', error: 'The stakes are not known at the moment.' };
    }
    const subscription = await reminders.subscriptions.find(delivery.referenceNumber);
    if (reminder === null || !subscription?.target) {
      return { kind: 'dead', code: 'no-message', error: 'The reminder or its subscription has ended.' };
    }
    const payload = { title: 'BlackDuck', body: reminder.text, path: reminder.path };
    const target: PushTarget = JSON.parse(subscription.target);
    const { endpoint, headers, body } = webPush.generateRequestDetails(target, JSON.stringify(payload), {
      vapidDetails: { subject: `mailto:${contact}`, ...vapid },
      TTL: TTL_SECONDS,
      contentEncoding: 'aes128gcm',
    });
    // `postWebhook` sets the length.
    const { 'Content-Length': _, ...otherHeaders } = headers as Readonly<Record<string, string>>;
    const outcome = await postWebhook(endpoint, body ?? '', otherHeaders, {
      allowsLoopback,
      signal,
      timeoutMs,
    });
    if (outcome.kind === 'sent' || !('code' in outcome)) return outcome;
    if (ENDED_CODES.has(outcome.code))
      await reminders.subscriptions.end(subscription.id, null, reminders.now());
    return ENDED_CODES.has(outcome.code) || REFUSED_CODES.has(outcome.code)
      ? { ...outcome, kind: 'dead' }
      : outcome;
  };
}
