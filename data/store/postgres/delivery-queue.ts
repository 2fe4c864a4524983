import { type QueuedDelivery, queuedRow } from '../rules/received-submission.ts';
import { answerNotices, isAnswer, type NoticeChat, noticeChatsSql } from '../rules/subscriptions.ts';
import type { Database, Queries } from './database.ts';
import { storableJson } from './storable-text.ts';

/** The delivery is due `delivery.delayMs` after `at` (Unix ms). */
interface DueDelivery {
  readonly delivery: QueuedDelivery;
  readonly at: number;
}

/**
 * Queues deliveries in the transaction of the event that they report. If a delivery is an email that answers an applicant, this
 * also queues a notice to each chat that is linked to the record.
 */
export type QueueDeliveries = (queries: Queries, dueDeliveries: readonly DueDelivery[]) => Promise<void>;

export function prepareDeliveryQueue({ statement }: Pick<Database, 'statement'>): QueueDeliveries {
  const add = statement(`
    insert into $.deliveries (id, event, "referenceNumber", channel, audience, recipient, "messageId",
      "createdAt", "nextAttemptAt", state, "attemptCount", fence)
    select id, event, "referenceNumber", channel, audience, recipient, "messageId",
      "createdAt", "nextAttemptAt", 'waiting', 0, 0
    from json_populate_recordset(null::$.deliveries, $1)`);
  const chats = statement<NoticeChat>(noticeChatsSql('$.', '= any($1)'));
  return async (queries, dueDeliveries) => {
    if (dueDeliveries.length === 0) return;
    const answers = dueDeliveries.filter(({ delivery }) => isAnswer(delivery));
    const references = answers.map(({ delivery }) => delivery.referenceNumber);
    const chatRows = answers.length === 0 ? [] : await queries.all(chats, references);
    const chatsByReference = Map.groupBy(chatRows, ({ referenceNumber }) => referenceNumber);
    const notices = answers.flatMap(({ delivery, at }) =>
      answerNotices(delivery, chatsByReference.get(delivery.referenceNumber) ?? []).map((notice) => ({
        delivery: notice,
        at,
      })),
    );
    await queries.run(
      add,
      storableJson([...dueDeliveries, ...notices].map(({ delivery, at }) => queuedRow(delivery, at))),
    );
  };
}
