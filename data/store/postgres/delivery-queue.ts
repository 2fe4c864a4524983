import { type QueuedDelivery, queuedRow } from '../rules/receipts.ts';
import type { Database, Queries } from './database.ts';
import { jsonOf } from './storable-text.ts';

/** A delivery to queue at a time (Unix ms). */
export interface DueDelivery {
  readonly delivery: QueuedDelivery;
  readonly at: number;
}

/** Queues deliveries that are due at once, in the transaction of the event that they report. */
export type QueueDeliveries = (on: Queries, queued: readonly DueDelivery[]) => Promise<void>;

export function prepareDeliveryQueue({ statement }: Pick<Database, 'statement'>): QueueDeliveries {
  const add = statement(`
    insert into $.deliveries (id, event, "referenceNumber", channel, audience, recipient, "messageId",
      "createdAt", "nextAttemptAt", state, "attemptCount", fence)
    select id, event, "referenceNumber", channel, audience, recipient, "messageId",
      "createdAt", "nextAttemptAt", 'waiting', 0, 0
    from json_populate_recordset(null::$.deliveries, $1)`);
  return async (on, queued) => {
    const rows = queued.map(({ delivery, at }) => queuedRow(delivery, at));
    if (rows.length > 0) await on.run(add, jsonOf(rows));
  };
}
