import { WEBHOOK_API_VERSION, type WebhookEventBody } from '../../../data/contract/webhook-event.ts';
import { TEST_EVENT, type WebhookEventType } from '../../../data/model/webhooks.ts';
import type { WebhookMessage } from '../../../data/store/webhook-port.ts';
import { recordUrl } from '../record-url.ts';

const KIND_BY_EVENT = {
  'application.submitted': 'card-application',
  'application.decided': 'card-application',
  'verification.submitted': 'verification-request',
  'verification.decided': 'verification-request',
  'contact.submitted': 'contact-message',
  'loan.submitted': 'loan-application',
  'loan.decided': 'loan-application',
  'card.created': 'card',
  'card.frozen': 'card',
  'card.unfrozen': 'card',
  'card.closed': 'card',
} as const satisfies Record<WebhookEventType, WebhookEventBody['data']['kind']>;

function dataOf({ event, referenceNumber, status }: WebhookMessage, origin: string) {
  const url = `${origin}/admin/dashboard`;
  if (event === TEST_EVENT) return { kind: 'test', url };
  const kind = KIND_BY_EVENT[event];
  if (kind === 'card') return { kind, id: referenceNumber, status, url };
  return { kind, referenceNumber, status, url: recordUrl(origin, referenceNumber) };
}

/**
 * The JSON body for an event. It is the same for every attempt to send the event.
 * @param origin the URL of the team's pages without a trailing slash
 */
export function webhookBody(message: WebhookMessage, origin: string): string {
  return JSON.stringify({
    id: message.eventId,
    type: message.event,
    created: new Date(message.createdAt).toISOString(),
    apiVersion: WEBHOOK_API_VERSION,
    data: dataOf(message, origin),
  });
}
