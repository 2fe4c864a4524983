import type { AlertRecipient, AlertStore, StoredAlert } from '../alert-port.ts';
import { type AlertEvent, alertDeliveries } from '../rules/alert-deliveries.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import type { Database, Statement, Value } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';

const COLUMNS = 'id, code, "startedAt", "endedAt", detail, "notifiedAt", reminders';

export function openAlerts(
  db: Database,
  queueDeliveries: QueueDeliveries,
  { announce }: Pick<QueueSignal, 'announce'>,
): AlertStore {
  const { statement } = db;
  const statements = {
    listOpen: statement<StoredAlert>(
      `select ${COLUMNS} from $.alerts where "endedAt" is null order by "startedAt", id`,
    ),
    find: statement<StoredAlert>(`select ${COLUMNS} from $.alerts where id = $1`),
    begin: statement(`
      insert into $.alerts (id, code, "startedAt", detail, "notifiedAt", reminders)
      values ($1, $2, $3, $4, $5, 0) on conflict do nothing`),
    remind: statement(`
      update $.alerts set detail = $3, "notifiedAt" = $4, reminders = $2 + 1
      where id = $1 and reminders = $2 and "endedAt" is null`),
    end: statement('update $.alerts set "endedAt" = $2 where id = $1 and "endedAt" is null'),
  };

  async function change(
    { id, event, at }: { readonly id: string; readonly event: AlertEvent; readonly at: number },
    recipients: readonly AlertRecipient[],
    changeStatement: Statement<object>,
    ...values: readonly Value[]
  ): Promise<boolean> {
    const isChanged = await db.transaction([], async (transaction) => {
      if ((await transaction.run(changeStatement, id, ...values)) === 0) return false;
      const dueDeliveries = alertDeliveries(id, event, recipients).map((delivery) => ({ delivery, at }));
      await queueDeliveries(transaction, dueDeliveries);
      return true;
    });
    if (isChanged && recipients.length > 0) announce();
    return isChanged;
  }

  return {
    listOpen: () => db.all(statements.listOpen),
    find: (id) => db.get(statements.find, id),
    begin: ({ id, code, startedAt, detail, notifiedAt: at }, recipients) =>
      change({ id, event: 'alert.begun', at }, recipients, statements.begin, code, startedAt, detail, at),
    remind: ({ id, detail, notifiedAt: at, reminders }, recipients) =>
      change(
        { id, event: `alert.lasts:${reminders + 1}`, at },
        recipients,
        statements.remind,
        reminders,
        detail,
        at,
      ),
    end: ({ id, endedAt, notifiedAt: at }, recipients) =>
      change({ id, event: 'alert.ended', at }, recipients, statements.end, endedAt),
  };
}
