import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { AlertRecipient, AlertStore } from '../alert-port.ts';
import { type AlertEvent, alertDeliveries } from '../rules/alert-deliveries.ts';
import { alerts } from './app-schema.ts';
import type { QueueDelivery } from './delivery-store.ts';
import { and, asc, eq, equalsPlaceholder, isNull, placeholder, placeholderSql } from './drizzle.ts';
import { APP_FILE, runInStore } from './store-files.ts';

function prepareStatements(db: BetterSQLite3Database) {
  const { id, startedAt, endedAt, reminders } = alerts;
  const isOpen = and(equalsPlaceholder(id, 'id'), isNull(endedAt));
  const newAlert = { id: placeholder('id'), code: placeholder('code'), startedAt: placeholder('startedAt') };
  return {
    listOpen: db.select().from(alerts).where(isNull(endedAt)).orderBy(asc(startedAt), asc(id)).prepare(),
    find: db.select().from(alerts).where(equalsPlaceholder(id, 'id')).prepare(),
    begin: db
      .insert(alerts)
      .values({
        ...newAlert,
        detail: placeholder('detail'),
        notifiedAt: placeholder('notifiedAt'),
        reminders: 0,
      })
      .onConflictDoNothing()
      .prepare(),
    remind: db
      .update(alerts)
      .set({
        detail: placeholderSql('detail'),
        notifiedAt: placeholderSql('notifiedAt'),
        reminders: placeholderSql('next'),
      })
      .where(and(isOpen, eq(reminders, placeholder('reminders'))))
      .prepare(),
    end: db
      .update(alerts)
      .set({ endedAt: placeholderSql('endedAt') })
      .where(isOpen)
      .prepare(),
  };
}

export function openAlerts(
  client: Database.Database,
  db: BetterSQLite3Database,
  queueDelivery: QueueDelivery,
): AlertStore {
  const statements = prepareStatements(db);
  const change = client.transaction(
    (
      run: () => { readonly changes: number },
      { id, event, at }: { readonly id: string; readonly event: AlertEvent; readonly at: number },
      recipients: readonly AlertRecipient[],
    ): boolean => {
      if (run().changes === 0) return false;
      for (const delivery of alertDeliveries(id, event, recipients)) queueDelivery(delivery, at);
      return true;
    },
  ).immediate;
  return {
    listOpen: () => runInStore(client, APP_FILE, () => statements.listOpen.all()),
    find: (id) => runInStore(client, APP_FILE, () => statements.find.get({ id }) ?? null),
    begin: (alert, recipients) =>
      runInStore(client, APP_FILE, () => {
        const { id, notifiedAt: at } = alert;
        return change(() => statements.begin.run({ ...alert }), { id, event: 'alert.begun', at }, recipients);
      }),
    remind: (alert, recipients) =>
      runInStore(client, APP_FILE, () => {
        const { id, notifiedAt: at, reminders } = alert;
        const next = reminders + 1;
        const message = { id, event: `alert.lasts:${next}`, at } as const;
        return change(() => statements.remind.run({ ...alert, next }), message, recipients);
      }),
    end: ({ id, endedAt, notifiedAt: at }, recipients) =>
      runInStore(client, APP_FILE, () =>
        change(() => statements.end.run({ id, endedAt }), { id, event: 'alert.ended', at }, recipients),
      ),
  };
}
