import type { DayDeliveries } from '../../model/reports.ts';
import { dayOf, dayStart } from '../../model/reports.ts';
import { mapKinds, SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
import type { DueTimeInputs } from '../../model/work.ts';
import type { ReportStore, ReportSubscription } from '../report-port.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import {
  type AuditedStep,
  type ChannelDeliveries,
  confirmationDelivery,
  type DayRow,
  dayWithoutKindsSql,
  endedDeliveriesSql,
  isDeliveryDayOver,
  isErasing,
  NO_PROGRESS,
  RECORDS_AT_ONCE,
  type ReportProgress,
  referencesOf,
  rowsAfter,
  splitByKind,
  sumByChannel,
  summedDeliveriesSql,
  type TrackedRecord,
  toDayFigures,
  weeklyDelivery,
} from '../rules/report-figures.ts';
import type { Database, Queries, Transaction } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';
import { storableJson } from './storable-text.ts';
import { SUBMISSION_TABLES } from './submission-rows.ts';

const TRACKED_COLUMNS = '"referenceNumber", kind, "receivedAt", "dueAt", "isOpen", "answeredAt", "decidedAt"';
const DAY_COLUMNS = 'day, kind, received, "openChange", answered, decided';
const IN_NO_TABLE = Object.values(SUBMISSION_TABLES)
  .map(({ name }) => `not exists (select from $.${name} t where t."referenceNumber" = r.value)`)
  .join(' and ');

/** @param key the columns of the primary key */
const upsertSql = (table: string, columns: string, key: readonly string[]) => {
  const others = columns.split(', ').filter((column) => !key.includes(column));
  return `
    insert into $.${table} (${columns}) select ${columns} from json_populate_recordset(null::$.${table}, $1)
    on conflict (${key.join(', ')}) do update set ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`;
};

function prepareStatements({ statement }: Database) {
  return {
    state: statement<ReportProgress>(
      'select "auditSequence", "deliveryDay" from $.report_state where id = 1',
    ),
    setState: statement(`
      insert into $.report_state (id, "auditSequence", "deliveryDay") values (1, $1, $2)
      on conflict (id) do update set "auditSequence" = excluded."auditSequence", "deliveryDay" = excluded."deliveryDay"`),
    audited: statement<AuditedStep & { sequence: number }>(`
      select sequence, at, actor, action, details from $.audit_records
      where sequence > $1 order by sequence limit ${RECORDS_AT_ONCE}`),
    tracked: statement<TrackedRecord>(
      `select ${TRACKED_COLUMNS} from $.report_records where "referenceNumber" = any($1)`,
    ),
    open: statement<TrackedRecord>(`select ${TRACKED_COLUMNS} from $.report_records where "isOpen"`),
    putTracked: statement(upsertSql('report_records', TRACKED_COLUMNS, ['"referenceNumber"'])),
    days: statement<DayRow>(
      `select ${DAY_COLUMNS} from $.report_days where day >= $1 and day < $2 order by day, kind`,
    ),
    putDays: statement(upsertSql('report_days', DAY_COLUMNS, ['day', 'kind'])),
    requests: statement<DueTimeInputs & { referenceNumber: string }>(`
      select "referenceNumber", details ->> 'claimedAmount' as "claimedAmount"
      from $.verification_requests where "referenceNumber" = any($1)`),
    erased: statement<{ value: string }>(
      `select r.value from unnest($1::text[]) as r (value) where ${IN_NO_TABLE}`,
    ),
    openBefore: statement<{ kind: SubmissionKind; open: number }>(
      'select kind, sum("openChange")::bigint as open from $.report_days where day < $1 group by kind',
    ),
    firstDay: statement<{ day: number | null }>('select min(day) as day from $.report_days'),
    firstAttempt: statement<{ at: number | null }>('select min(at) as at from $.delivery_attempts'),
    ended: statement<DayDeliveries>(endedDeliveriesSql('$.', '$1', '$2')),
    addDeliveries: statement(`
      insert into $.report_deliveries (day, channel, sent, failed, bounced)
      select day, channel, sent, failed, bounced from json_populate_recordset(null::$.report_deliveries, $1)`),
    dayWithoutKinds: statement<{ day: number | null }>(dayWithoutKindsSql('$.')),
    sumsByChannel: statement<ChannelDeliveries>(
      'select day, channel, sent, failed, bounced from $.report_deliveries where day = $1',
    ),
    addKindDeliveries: statement(`
      insert into $.report_kind_deliveries (day, kind, channel, sent, failed, bounced)
      select day, kind, channel, sent, failed, bounced from json_populate_recordset(null::$.report_kind_deliveries, $1)`),
    deliveries: statement<DayDeliveries>(summedDeliveriesSql('$.', '$1', '$2')),
    subscription: statement<ReportSubscription>(`
      select "adminId", email, "requestedAt", "confirmedAt" from $.report_subscriptions where "adminId" = $1`),
    subscribe: statement(`
      insert into $.report_subscriptions ("adminId", email, "requestedAt") values ($1, $2, $3)
      on conflict ("adminId") do update set email = excluded.email, "requestedAt" = excluded."requestedAt",
        "confirmedAt" = null, "lastWeek" = null`),
    confirm: statement(`
      update $.report_subscriptions set "confirmedAt" = coalesce("confirmedAt", $3), "lastWeek" = coalesce("lastWeek", $4 - 7)
      where "adminId" = $1 and "requestedAt" = $2`),
    unsubscribe: statement('delete from $.report_subscriptions where "adminId" = $1'),
    takeWeekly: statement<{ adminId: string; email: string }>(`
      update $.report_subscriptions set "lastWeek" = $1
      where "confirmedAt" is not null and "lastWeek" < $1
        and ("adminId", email) in (select id, email from $.admins where "disabledAt" is null)
      returning "adminId", email`),
  };
}

export function openReports(
  db: Database,
  queueDeliveries: QueueDeliveries,
  { announce }: Pick<QueueSignal, 'announce'>,
): ReportStore {
  const statements = prepareStatements(db);

  /** Adds the next audit records to the reports. @returns the sequence of the last one, and whether there may be more */
  async function addAuditRecords(transaction: Transaction, after: number) {
    const steps = await transaction.all(statements.audited, after);
    const last = steps.at(-1);
    if (last === undefined) return { last: after, isMore: false };
    const references = referencesOf(steps);
    const hasErasure = steps.some(isErasing);
    const records = [
      ...(await transaction.all(statements.tracked, references)),
      ...(hasErasure ? await transaction.all(statements.open) : []),
    ];
    const dayNumbers = steps.map(({ at }) => dayOf(at));
    const days = await transaction.all(statements.days, Math.min(...dayNumbers), Math.max(...dayNumbers) + 1);
    const requests = await transaction.all(statements.requests, references);
    const knownReferences = [...references, ...records.map(({ referenceNumber }) => referenceNumber)];
    const erased = hasErasure ? await transaction.all(statements.erased, knownReferences) : [];
    const erasedNumbers = new Set(erased.map(({ value }) => value));
    const changed = rowsAfter(steps, { records, days }, requests, erasedNumbers);
    if (changed.records.length > 0)
      await transaction.run(statements.putTracked, storableJson(changed.records));
    if (changed.days.length > 0) await transaction.run(statements.putDays, storableJson(changed.days));
    return { last: last.sequence, isMore: steps.length === RECORDS_AT_ONCE };
  }

  const firstDeliveryDay = async (on: Queries): Promise<number | null> => {
    const at = (await on.get(statements.firstAttempt))?.at ?? null;
    return at === null ? null : dayOf(at);
  };

  const endedDeliveriesOn = (on: Queries, day: number) =>
    on.all(statements.ended, dayStart(day), dayStart(day + 1));

  async function update(transaction: Transaction, now: number): Promise<boolean> {
    const state = (await transaction.get(statements.state)) ?? NO_PROGRESS;
    const auditBatch = await addAuditRecords(transaction, state.auditSequence);
    let deliveryDay = state.deliveryDay ?? (await firstDeliveryDay(transaction));
    if (isDeliveryDayOver(deliveryDay, now)) {
      const sums = sumByChannel(deliveryDay, await endedDeliveriesOn(transaction, deliveryDay));
      if (sums.length > 0) await transaction.run(statements.addDeliveries, storableJson(sums));
      deliveryDay += 1;
    }
    const dayWithoutKinds = (await transaction.get(statements.dayWithoutKinds))?.day ?? null;
    if (dayWithoutKinds !== null) {
      const sums = await transaction.all(statements.sumsByChannel, dayWithoutKinds);
      const byKinds = splitByKind(sums, await endedDeliveriesOn(transaction, dayWithoutKinds));
      await transaction.run(statements.addKindDeliveries, storableJson(byKinds));
    }
    if (auditBatch.last !== state.auditSequence || deliveryDay !== state.deliveryDay) {
      await transaction.run(statements.setState, auditBatch.last, deliveryDay);
    }
    return auditBatch.isMore || isDeliveryDayOver(deliveryDay, now) || dayWithoutKinds !== null;
  }

  return {
    // Locked, so that concurrent programs do not count an audit record twice.
    update: (now) => db.transaction(['reports'], (transaction) => update(transaction, now)),
    read: (fromDay, beforeDay) =>
      // Locked, so that all rows are from the same moment.
      db.transaction(['reports'], async (transaction) => {
        const days = await transaction.all(statements.days, fromDay, beforeDay);
        const open = await transaction.all(statements.openBefore, fromDay);
        const { deliveryDay = null } = (await transaction.get(statements.state)) ?? {};
        const stored = await transaction.all(statements.deliveries, fromDay, beforeDay);
        const unsummedRange = [dayStart(Math.max(fromDay, deliveryDay ?? fromDay)), dayStart(beforeDay)];
        return {
          days: days.map(toDayFigures),
          openBefore: mapKinds(SUBMISSION_KINDS, (kind) => open.find((one) => one.kind === kind)?.open ?? 0),
          firstDay: (await transaction.get(statements.firstDay))?.day ?? null,
          deliveries: [...stored, ...(await transaction.all(statements.ended, ...unsummedRange))],
          firstDeliveryDay: await firstDeliveryDay(transaction),
        };
      }),

    subscription: (adminId) => db.get(statements.subscription, adminId),
    async subscribe({ adminId, email, requestedAt: at }, audit) {
      await db.transaction([], async (transaction) => {
        await transaction.run(statements.subscribe, adminId, email, at);
        await queueDeliveries(transaction, [{ delivery: confirmationDelivery(adminId, at, email), at }]);
        transaction.record(audit);
      });
      announce();
    },
    confirmSubscription: ({ adminId, requestedAt }, week, audit) =>
      db.transaction([], async (transaction) => {
        if ((await transaction.run(statements.confirm, adminId, requestedAt, audit.at, week)) === 0)
          return false;
        transaction.record(audit);
        return true;
      }),
    unsubscribe: (adminId, audit) =>
      db.transaction([], async (transaction) => {
        if ((await transaction.run(statements.unsubscribe, adminId)) === 0) return false;
        transaction.record(audit);
        return true;
      }),
    async queueWeeklyReports(week, at) {
      const queuedCount = await db.transaction([], async (transaction) => {
        const due = await transaction.all(statements.takeWeekly, week);
        await queueDeliveries(
          transaction,
          due.map(({ adminId, email }) => ({ delivery: weeklyDelivery(adminId, week, email), at })),
        );
        return due.length;
      });
      if (queuedCount > 0) announce();
      return queuedCount;
    },
  };
}
