import type { AuditRecord } from '../audit-port.ts';
import { type WebhookEvent, webhookEventOf } from '../rules/webhooks.ts';
import type { Database, Queries } from './database.ts';
import { storableJson } from './storable-text.ts';

type StatementQueries = Queries & Pick<Database, 'statement'>;

/** @param condition selects which active endpoints receive an event */
const queueSql = (condition: string) => `
  insert into $.webhook_deliveries (id, "endpointId", "eventId", event, "referenceNumber", status, state, "attemptCount",
    "nextAttemptAt", fence, "createdAt")
  select endpoint.id || ':' || "eventId", endpoint.id, "eventId", event, "referenceNumber", status, 'waiting', 0,
    queued."dueAt", 0, queued."createdAt"
  from json_to_recordset($1) as queued ("eventId" text, event text, "referenceNumber" text, status text, "createdAt" bigint,
      "dueAt" bigint)
    join $.webhook_endpoints endpoint on endpoint.state = 'active' and ${condition}
  on conflict (id) do nothing`;

/** Queues the events of audit records, in the transaction that adds the records. @returns how many were queued */
export async function queueWebhooks(on: StatementQueries, records: readonly AuditRecord[]): Promise<number> {
  const events = records.flatMap((record) => webhookEventOf(record) ?? []);
  if (events.length === 0) return 0;
  return on.run(on.statement(queueSql('queued.event = any(endpoint.types)')), storableJson(events));
}

/** Queues an event for one endpoint. @returns the number of queued events: 0 if the endpoint is not active */
export function queueForEndpoint(
  on: StatementQueries,
  endpointId: string,
  event: WebhookEvent,
): Promise<number> {
  return on.run(on.statement(queueSql('endpoint.id = $2')), storableJson([event]), endpointId);
}
