import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { rowId } from '../row-id.ts';
import { deliveries } from './delivery-schema.ts';
import { sql } from './drizzle.ts';
import type { QueueSignal } from './queue-signal.ts';

/** What is to be told to whom. */
export interface QueuedDelivery {
  readonly event: string;
  readonly referenceNumber: string;
  readonly channel: 'mail' | 'telegram';
  readonly audience: 'applicant' | 'team';
  /** Null where the configuration names it at the time of sending. */
  readonly recipient: string | null;
}

export type QueueDelivery = (delivery: QueuedDelivery, at: number) => void;

/**
 * Adds a delivery that is due at once, inside the transaction of what it tells of. Its Message-ID is made here, so that
 * every try carries the same. @throws where the same was queued before: an event is told once a channel and audience.
 */
export function prepareDeliveryQueue(
  db: BetterSQLite3Database,
  signal: Pick<QueueSignal, 'announce'>,
): QueueDelivery {
  const value = (name: string) => sql.placeholder(name);
  const add = db
    .insert(deliveries)
    .values({
      id: value('id'),
      event: value('event'),
      referenceNumber: value('referenceNumber'),
      channel: value('channel'),
      audience: value('audience'),
      recipient: value('recipient'),
      messageId: value('messageId'),
      state: 'waiting',
      attemptCount: 0,
      nextAttemptAt: value('at'),
      fence: 0,
      createdAt: value('at'),
    })
    .prepare();
  return (delivery, at) => {
    const id = rowId(at);
    add.run({ ...delivery, id, messageId: `${id}@blackduck-portal`, at });
    signal.announce();
  };
}
