import { WEBHOOK_EVENT_TYPES } from '../../model/webhooks.ts';
import type { AppStore } from '../ports.ts';
import type { NewWebhookEndpoint } from '../webhook-port.ts';
import { adminAudit } from './sample-admins.ts';
import { SUBMITTED_AT } from './sample-submissions.ts';

/** Adds an endpoint that gets events of every type. */
export async function addEndpoint(
  { webhooks }: Pick<AppStore, 'webhooks'>,
  id: string,
  changes: Partial<NewWebhookEndpoint> = {},
): Promise<void> {
  const endpoint = {
    id,
    url: `https://${id}.example/hook`,
    types: WEBHOOK_EVENT_TYPES,
    secret: Buffer.from(`secret of ${id}`),
    createdAt: SUBMITTED_AT,
    ...changes,
  };
  await webhooks.add(endpoint, 10, adminAudit('webhook.added', { details: { endpointId: id } }));
}
