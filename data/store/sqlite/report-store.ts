import type Database from 'better-sqlite3';
import type { DayDeliveries, DayFigures } from '../../model/reports.ts';
import { dayOf, dayStart } from '../../model/reports.ts';
import { mapKinds, SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
import type { DueTimeInputs } from '../../model/work.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { ReportStore, ReportSubscription } from '../report-port.ts';
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
import type { AuditStatements } from './audit-trail.ts';
import type { QueueDelivery } from './delivery-store.ts';
import type { GroupCommit } from './group-commit.ts';
import { type Statements, statementCache } from './list-statements.ts';
import { APP_FILE, runInStore } from './store-files.ts';
import { SUBMISSION_TABLES } from './submission-rows.ts';

type RawRecord = Omit<TrackedRecord, 'isOpen'> & { readonly isOpen: number };

const toTrackedRecord = (row: RawRecord): TrackedRecord => ({ ...row, isOpen: row.isOpen === 1 });
const HAS_REFERENCE = 'referenceNumber in (select value from json_each(?))';
const IN_NO_TABLE = Object.values(SUBMISSION_TABLES)
  .map(({ name }) => `not exists (select 1 from ${name} t where t.referenceNumber = r.value)`)
  .join(' and ');

function readProgress(statements: Statements): ReportProgress {
  const row = statements('select auditSequence, deliveryDay from report_state where id = 1').get();
  return (row as ReportProgress | undefined) ?? NO_PROGRESS;
}

/**
 * Adds the next audit records to the figures of the reports.
 * @returns the sequence number of the last record added, and whether there may be more
 */
function addAuditRecords(
  statements: Statements,
  after: number,
): { readonly lastSequence: number; readonly isMore: boolean } {
  const auditRows = statements(
    `select sequence, at, actor, action, details from audit_records where sequence > ? order by sequence limit ${RECORDS_AT_ONCE}`,
  ).all(after) as (Omit<AuditedStep, 'details'> & { readonly sequence: number; readonly details: string })[];
  const last = auditRows.at(-1);
  if (last === undefined) return { lastSequence: after, isMore: false };
  const steps = auditRows.map((row): AuditedStep => ({ ...row, details: JSON.parse(row.details) }));
  const references = referencesOf(steps);
  const hasErasure = steps.some(isErasing);
  const records = (
    statements(`select * from report_records where ${HAS_REFERENCE} ${hasErasure ? 'or isOpen' : ''}`).all(
      JSON.stringify(references),
    ) as RawRecord[]
  ).map(toTrackedRecord);
  const days = steps.map(({ at }) => dayOf(at));
  const storedDays = statements('select * from report_days where day between ? and ?').all(
    Math.min(...days),
    Math.max(...days),
  ) as DayRow[];
  const requests = statements(
    `select referenceNumber, details ->> 'claimedAmount' as claimedAmount from verification_requests where ${HAS_REFERENCE}`,
  ).all(JSON.stringify(references)) as (DueTimeInputs & { readonly referenceNumber: string })[];
  const knownReferences = [...references, ...records.map(({ referenceNumber }) => referenceNumber)];
  const erased = hasErasure
    ? (statements(`select r.value from json_each(?) r where ${IN_NO_TABLE}`)
        .pluck()
        .all(JSON.stringify(knownReferences)) as string[])
    : [];
  const changed = rowsAfter(steps, { records, days: storedDays }, requests, new Set(erased));
  for (const record of changed.records) {
    const { referenceNumber, kind, receivedAt, dueAt, isOpen, answeredAt, decidedAt } = record;
    statements(
      'insert or replace into report_records (referenceNumber, kind, receivedAt, dueAt, isOpen, answeredAt, decidedAt) values (?, ?, ?, ?, ?, ?, ?)',
    ).run(referenceNumber, kind, receivedAt, dueAt, Number(isOpen), answeredAt, decidedAt);
  }
  for (const { day, kind, received, openChange, answered, decided } of changed.days) {
    statements(
      'insert or replace into report_days (day, kind, received, openChange, answered, decided) values (?, ?, ?, ?, ?, ?)',
    ).run(day, kind, received, openChange, answered, decided);
  }
  return { lastSequence: last.sequence, isMore: auditRows.length === RECORDS_AT_ONCE };
}

const firstDeliveryDay = (statements: Statements): number | null => {
  const at = statements('select min(at) from delivery_attempts').pluck().get() as number | null;
  return at === null ? null : dayOf(at);
};

const endedDeliveries = (statements: Statements, fromDay: number, beforeDay: number) =>
  statements(endedDeliveriesSql('', '?', '?')).all(dayStart(fromDay), dayStart(beforeDay)) as DayDeliveries[];

/** Totals the deliveries of a day that has ended, by channel. @returns the next day */
function addDeliveries(statements: Statements, day: number): number {
  for (const { channel, sent, failed, bounced } of sumByChannel(
    day,
    endedDeliveries(statements, day, day + 1),
  )) {
    statements(
      'insert into report_deliveries (day, channel, sent, failed, bounced) values (?, ?, ?, ?, ?)',
    ).run(day, channel, sent, failed, bounced);
  }
  return day + 1;
}

function addDeliveriesByKind(statements: Statements, day: number): void {
  const sums = statements(
    'select day, channel, sent, failed, bounced from report_deliveries where day = ?',
  ).all(day) as ChannelDeliveries[];
  for (const row of splitByKind(sums, endedDeliveries(statements, day, day + 1))) {
    statements(
      'insert into report_kind_deliveries (day, kind, channel, sent, failed, bounced) values (?, ?, ?, ?, ?, ?)',
    ).run(day, row.kind, row.channel, row.sent, row.failed, row.bounced);
  }
}

function update(statements: Statements, now: number): boolean {
  const state = readProgress(statements);
  const auditBatch = addAuditRecords(statements, state.auditSequence);
  const day = state.deliveryDay ?? firstDeliveryDay(statements);
  const deliveryDay = isDeliveryDayOver(day, now) ? addDeliveries(statements, day) : day;
  const dayWithoutKinds = statements(dayWithoutKindsSql('')).pluck().get() as number | null;
  if (dayWithoutKinds !== null) addDeliveriesByKind(statements, dayWithoutKinds);
  if (auditBatch.lastSequence !== state.auditSequence || deliveryDay !== state.deliveryDay) {
    statements('insert or replace into report_state (id, auditSequence, deliveryDay) values (1, ?, ?)').run(
      auditBatch.lastSequence,
      deliveryDay,
    );
  }
  return auditBatch.isMore || isDeliveryDayOver(deliveryDay, now) || dayWithoutKinds !== null;
}

interface ReportOptions {
  readonly audit: AuditStatements;
  readonly queueDelivery: QueueDelivery;
  readonly group: GroupCommit;
}

export function openReports(
  client: Database.Database,
  { audit, queueDelivery, group }: ReportOptions,
): ReportStore {
  const statements = statementCache(client);
  const recordIfChanged = (changes: number, record: AuditRecord): boolean => {
    if (changes > 0) audit.append(record);
    return changes > 0;
  };

  return {
    update: (now) => group.run(() => update(statements, now)),
    read: (fromDay, beforeDay) =>
      runInStore(
        client,
        APP_FILE,
        client.transaction(() => {
          const rows = statements(
            'select * from report_days where day >= ? and day < ? order by day, kind',
          ).all(fromDay, beforeDay) as DayRow[];
          const open = statements(
            'select kind, sum(openChange) as open from report_days where day < ? group by kind',
          ).all(fromDay) as { readonly kind: SubmissionKind; readonly open: number }[];
          const { deliveryDay } = readProgress(statements);
          const stored = statements(summedDeliveriesSql('', '?', '?')).all(
            fromDay,
            beforeDay,
          ) as DayDeliveries[];
          return {
            days: rows.map(toDayFigures) as DayFigures[],
            openBefore: mapKinds(
              SUBMISSION_KINDS,
              (kind) => open.find((one) => one.kind === kind)?.open ?? 0,
            ),
            firstDay: statements('select min(day) from report_days').pluck().get() as number | null,
            deliveries: [
              ...stored,
              ...endedDeliveries(statements, Math.max(fromDay, deliveryDay ?? fromDay), beforeDay),
            ],
            firstDeliveryDay: firstDeliveryDay(statements),
          };
        }),
      ),

    subscription: (adminId) =>
      runInStore(client, APP_FILE, () => {
        const row = statements(
          'select adminId, email, requestedAt, confirmedAt from report_subscriptions where adminId = ?',
        ).get(adminId);
        return (row as ReportSubscription | undefined) ?? null;
      }),
    subscribe: ({ adminId, email, requestedAt }, record) =>
      group.run(() => {
        statements(
          'insert or replace into report_subscriptions (adminId, email, requestedAt, confirmedAt, lastWeek) values (?, ?, ?, null, null)',
        ).run(adminId, email, requestedAt);
        queueDelivery(confirmationDelivery(adminId, requestedAt, email), requestedAt);
        audit.append(record);
      }),
    confirmSubscription: ({ adminId, requestedAt }, week, record) =>
      group.run(() => {
        const { changes } = statements(
          'update report_subscriptions set confirmedAt = coalesce(confirmedAt, ?), lastWeek = coalesce(lastWeek, ? - 7) where adminId = ? and requestedAt = ?',
        ).run(record.at, week, adminId, requestedAt);
        return recordIfChanged(changes, record);
      }),
    unsubscribe: (adminId, record) =>
      group.run(() =>
        recordIfChanged(
          statements('delete from report_subscriptions where adminId = ?').run(adminId).changes,
          record,
        ),
      ),
    queueWeeklyReports: (week, at) =>
      group.run(() => {
        const due = statements(
          `update report_subscriptions set lastWeek = ?
           where confirmedAt is not null and lastWeek < ?
             and (adminId, email) in (select id, email from admins where disabledAt is null)
           returning adminId, email`,
        ).all(week, week) as { readonly adminId: string; readonly email: string }[];
        for (const { adminId, email } of due) queueDelivery(weeklyDelivery(adminId, week, email), at);
        return due.length;
      }),
  };
}
