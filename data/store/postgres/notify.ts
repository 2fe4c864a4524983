import type { ChangedPart } from '../rules/record-changes.ts';
import type { Database } from './database.ts';

/**
 * What a notification announces: queued deliveries, a new data version of the index, or a change to something that the team
 * sees.
 */
export type Topic = 'queue' | 'index' | `changed:${ChangedPart}`;

/**
 * Notifies the programs that are listening. Call it after a commit: no transaction depends on notifications, and none should wait
 * for the lock that the server uses to order notifications. A notification that cannot be sent is dropped, because programs
 * also check for changes.
 * @returns a function that returns at once. Calls that arrive while a notification is being sent share the next one.
 */
export function prepareNotification(db: Database, topic: Topic): () => void {
  const send = db.statement('select pg_notify($1, $2)');
  let isDue = false;
  let isSending = false;
  const sendWhileDue = async (): Promise<void> => {
    isSending = true;
    while (isDue) {
      isDue = false;
      await db.run(send, db.channel, topic).catch(() => {});
    }
    isSending = false;
  };
  return () => {
    isDue = true;
    if (!isSending) void sendWhileDue();
  };
}
