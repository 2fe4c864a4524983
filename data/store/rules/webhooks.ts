import { UNDO_MS } from '../../model/undo.ts';
import { TEST_EVENT, WEBHOOK_LIMITS, type WebhookEventType } from '../../model/webhooks.ts';
import type { AuditRecord } from '../audit-port.ts';
import { rowId } from '../row-id.ts';
import type { WebhookAttempt, WebhookEndpoint, WebhookMessage } from '../webhook-port.ts';

const DAY_MS = 86_400_000;
/** How long (ms) an event is retried, and how long an endpoint may fail before it is disabled. */
export const WEBHOOK_RETRY_MS = WEBHOOK_LIMITS.retryDays * DAY_MS;
export const WEBHOOK_RETENTION_MS = WEBHOOK_LIMITS.keptDays * DAY_MS;

/** The webhook event that reports each audited action, and the record's status after that action. */
const EVENT_BY_ACTION: Readonly<Record<string, readonly [WebhookEventType, string]>> = {
  'card-application.received': ['application.submitted', 'received'],
  'card-application.approved': ['application.decided', 'approved'],
  'card-application.refused': ['application.decided', 'refused'],
  'card-application.card-issued': ['application.decided', 'card-issued'],
  'card-application.reopened': ['application.decided', 'in-review'],
  'verification-request.received': ['verification.submitted', 'received'],
  'verification-request.approved': ['verification.decided', 'approved'],
  'verification-request.refused': ['verification.decided', 'refused'],
  'verification-request.withdrawn': ['verification.decided', 'withdrawn'],
  'verification-request.reopened': ['verification.decided', 'received'],
  'contact-message.received': ['contact.submitted', 'received'],
  'loan-application.received': ['loan.submitted', 'received'],
  'loan-application.approved': ['loan.decided', 'approved'],
  'loan-application.refused': ['loan.decided', 'refused'],
  'loan-application.reopened': ['loan.decided', 'in-review'],
  'loan-application.documents-deleted': ['loan.decided', 'documents-deleted'],
  'card.created': ['card.created', 'active'],
  'card.frozen': ['card.frozen', 'frozen'],
  'card.frozen-without-stake': ['card.frozen', 'frozen'],
  'card.frozen-by-team': ['card.frozen', 'frozen'],
  'card.unfrozen': ['card.unfrozen', 'active'],
  'card.closed': ['card.closed', 'closed'],
  'card.closed-without-stake': ['card.closed', 'closed'],
};

export type WebhookEvent = Omit<WebhookMessage, 'id' | 'endpointId'> & { readonly dueAt: number };

/**
 * The webhook event for an audit record; null if there is none. The event's id is derived from the audit record's id, so that no
 * event is queued twice.
 */
export function webhookEventOf({ id, at, action, details }: AuditRecord): WebhookEvent | null {
  const eventAndStatus = EVENT_BY_ACTION[action];
  const subject = details.referenceNumber ?? details.cardId;
  if (eventAndStatus === undefined || typeof subject !== 'string') return null;
  const [event, status] = eventAndStatus;
  // While a decision can be undone, no event about it is sent.
  const dueAt = event.endsWith('.decided') ? at + UNDO_MS : at;
  return { eventId: `evt_${id}`, event, referenceNumber: subject, status, createdAt: at, dueAt };
}

export function testEvent(at: number): WebhookEvent {
  return {
    eventId: `evt_${rowId(at)}`,
    event: TEST_EVENT,
    referenceNumber: '',
    status: '',
    createdAt: at,
    dueAt: at,
  };
}

type Health = Pick<WebhookEndpoint, 'state' | 'failingSince'>;

/** `disabledReason` is null unless this attempt disabled the endpoint. */
export function endpointAfterAttempt(
  { state, failingSince }: Health,
  { at, outcome, code }: Pick<WebhookAttempt, 'at' | 'outcome' | 'code'>,
): Health & { readonly disabledReason: 'gone' | 'failing' | null } {
  if (outcome === 'sent') return { state, failingSince: null, disabledReason: null };
  // The portal failed before it sent anything, for example because it could not decrypt a secret.
  if (outcome === 'unknown') return { state, failingSince, disabledReason: null };
  const since = failingSince ?? at;
  const reason = code === '410' ? 'gone' : at - since >= WEBHOOK_RETRY_MS ? 'failing' : null;
  if (reason === null || state === 'disabled') return { state, failingSince: since, disabledReason: null };
  return { state: 'disabled', failingSince: since, disabledReason: reason };
}

export function disabledRecord(endpointId: string, reason: 'gone' | 'failing', at: number): AuditRecord {
  return {
    id: rowId(at),
    at,
    actor: 'system',
    action: 'webhook.disabled',
    details: { endpointId, why: reason },
  };
}
