import { ADMIN_LISTS, LIST_OF_KIND } from '../../model/admin-lists.ts';
import {
  addTimings,
  type DayDeliveries,
  type DayFigures,
  type DeliveryKind,
  dayOf,
  dayStart,
  durationStep,
  NO_TIMINGS,
  sumDeliveries,
  type Timings,
} from '../../model/reports.ts';
import { SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
import { type DueTimeInputs, dueTime } from '../../model/work.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { QueuedDelivery } from './received-submission.ts';

/** How many records of the audit trail are added to the figures at a time. Adding that many takes a few milliseconds. */
export const RECORDS_AT_ONCE = 250;
/** How long (ms) after the end of a day its deliveries are totaled. */
const DELIVERIES_DELAY_MS = 3_600_000;

/** The data about a submission that the figures need. Contains no personal data. */
export interface TrackedRecord {
  readonly referenceNumber: string;
  readonly kind: SubmissionKind;
  readonly receivedAt: number;
  /** When the promised response time ends; null if it is unknown. */
  readonly dueAt: number | null;
  readonly isOpen: boolean;
  readonly answeredAt: number | null;
  readonly decidedAt: number | null;
}

export type AuditedStep = Pick<AuditRecord, 'at' | 'actor' | 'action' | 'details'>;

interface ReportState {
  /** By reference number. */
  readonly tracked: Map<string, TrackedRecord>;
  /** By `dayKey`. */
  readonly days: Map<string, DayFigures>;
}

/** Facts about submissions that the audit trail does not contain, so the store looks them up. */
interface SubmissionLookups {
  /** What the promised response time for a verification request depends on. Undefined if the request was erased. */
  readonly dueTimeInputs: (referenceNumber: string) => DueTimeInputs | undefined;
  readonly isErased: (referenceNumber: string) => boolean;
}

/** How much of the audit trail and of the deliveries the figures include. */
export interface ReportProgress {
  readonly auditSequence: number;
  readonly deliveryDay: number | null;
}

export const NO_PROGRESS: ReportProgress = { auditSequence: 0, deliveryDay: null };

/** Whether the deliveries of a day can be added to the figures. */
export const isDeliveryDayOver = (day: number | null, now: number): day is number =>
  day !== null && dayStart(day + 1) + DELIVERIES_DELAY_MS <= now;

export const dayKey = (day: number, kind: SubmissionKind): string => `${day} ${kind}`;

const DECIDING_STATUSES: Readonly<Record<SubmissionKind, readonly string[]>> = {
  'card-application': ['approved', 'refused'],
  'verification-request': ['approved', 'refused'],
  'contact-message': ['answered', 'closed'],
  'loan-application': ['approved', 'refused'],
};
const ANSWERING_ACTIONS = ['record.replied', 'record.information-requested'];
const ERASURE_ACTION = 'person.erased';

/**
 * Whether a step erased a person's records. All open records are then checked, because the step does not name the erased ones.
 */
export const isErasing = ({ action }: AuditedStep): boolean => action === ERASURE_ACTION;

const openStatuses = (kind: SubmissionKind): readonly string[] =>
  ADMIN_LISTS[LIST_OF_KIND[kind]].undecidedStatuses;

/** The statuses in which a record does not wait for the team. A contact message in `waiting` waits for its sender. */
const SETTLED_STATUSES: Readonly<Record<SubmissionKind, readonly string[]>> = {
  'card-application': ['approved', 'refused', 'card-issued', 'merged'],
  'verification-request': ['approved', 'refused', 'withdrawn', 'merged'],
  'contact-message': ['waiting', 'answered', 'closed', 'merged'],
  'loan-application': ['approved', 'refused', 'documents-deleted', 'merged'],
};

const referenceOf = ({ details }: AuditedStep): string | null =>
  typeof details.referenceNumber === 'string' ? details.referenceNumber : null;

function kindOf({ action }: AuditedStep): SubmissionKind | null {
  return SUBMISSION_KINDS.find((kind) => action.startsWith(`${kind}.`)) ?? null;
}

function withDuration(timings: Timings, { receivedAt, dueAt }: TrackedRecord, at: number): Timings {
  const isWithin = dueAt !== null && at <= dueAt;
  const added = { records: 1, promisedCount: Number(dueAt !== null), withinPromiseCount: Number(isWithin) };
  return addTimings([timings, { ...added, durations: [durationStep(at - receivedAt), 1] }]);
}

/** Adds audit records, in order, to the figures. Changes the maps in the state. */
function addSteps(
  { tracked, days }: ReportState,
  steps: readonly AuditedStep[],
  lookups: SubmissionLookups,
): void {
  const changeDay = (
    at: number,
    kind: SubmissionKind,
    changedFields: (day: DayFigures) => Partial<DayFigures>,
  ): void => {
    const day = dayOf(at);
    const key = dayKey(day, kind);
    const empty = { day, kind, received: 0, openChange: 0, answered: NO_TIMINGS, decided: NO_TIMINGS };
    const before = days.get(key) ?? empty;
    days.set(key, { ...before, ...changedFields(before) });
  };
  const setOpen = (record: TrackedRecord, isOpen: boolean, at: number): TrackedRecord => {
    if (record.isOpen === isOpen) return record;
    changeDay(at, record.kind, ({ openChange }) => ({ openChange: openChange + (isOpen ? 1 : -1) }));
    return { ...record, isOpen };
  };
  const setAnswered = (record: TrackedRecord, at: number): TrackedRecord => {
    if (record.answeredAt !== null) return record;
    changeDay(at, record.kind, ({ answered }) => ({ answered: withDuration(answered, record, at) }));
    return { ...record, answeredAt: at };
  };
  const setDecided = (record: TrackedRecord, at: number): TrackedRecord => {
    const answered = setAnswered(record, at);
    if (answered.decidedAt !== null) return answered;
    changeDay(at, record.kind, ({ decided }) => ({ decided: withDuration(decided, record, at) }));
    return { ...answered, decidedAt: at };
  };

  function receive(step: AuditedStep, kind: SubmissionKind, referenceNumber: string): void {
    if (tracked.has(referenceNumber)) return;
    const { at, details } = step;
    const category = typeof details.category === 'string' ? details.category : null;
    const inputs = kind === 'verification-request' ? lookups.dueTimeInputs(referenceNumber) : { category };
    // The stored due time is not used, because it moves when the team asks a question or reopens the request.
    const dueAt = inputs ? dueTime(kind, inputs, at) : null;
    changeDay(at, kind, ({ received }) => ({ received: received + 1 }));
    const record = { referenceNumber, kind, receivedAt: at, dueAt, answeredAt: null, decidedAt: null };
    tracked.set(referenceNumber, setOpen({ ...record, isOpen: false }, true, at));
  }

  for (const step of steps) {
    const { at, action } = step;
    if (isErasing(step)) {
      for (const [reference, record] of tracked) {
        if (record.isOpen && lookups.isErased(reference)) tracked.set(reference, setOpen(record, false, at));
      }
      continue;
    }
    const reference = referenceOf(step);
    const record = reference === null ? undefined : tracked.get(reference);
    const kind = kindOf(step);
    const actionName = kind === null ? '' : action.slice(kind.length + 1);
    if (kind !== null && reference !== null && actionName === 'received') receive(step, kind, reference);
    if (record === undefined || reference === null) continue;
    if (ANSWERING_ACTIONS.includes(action)) tracked.set(reference, setAnswered(record, at));
    if (kind !== record.kind) continue;
    let next = record;
    if (DECIDING_STATUSES[kind].includes(actionName)) next = setDecided(next, at);
    const status = actionName === 'undone' || actionName === 'split' ? String(step.details.to) : actionName;
    if (SETTLED_STATUSES[kind].includes(status)) next = setOpen(next, false, at);
    else if (status === 'reopened' || openStatuses(kind).includes(status)) next = setOpen(next, true, at);
    tracked.set(reference, next);
  }
}

/** The kinds of deliveries, each with its audience and the patterns of its events. The first kind that matches applies. */
const DELIVERY_KIND_PATTERNS: readonly (readonly [DeliveryKind, 'applicant' | 'team', ...string[]])[] = [
  ['alert', 'team', 'alert.%'],
  ['account', 'team', 'admin-link.%'],
  ['report', 'team', 'weekly-report.%'],
  ['notice', 'team', '%'],
  ['card', 'applicant', 'card-application.card-%'],
  ['reminder', 'applicant', 'stake-reminder.%'],
  ['receipt', 'applicant', '%.received'],
  ['reply', 'applicant', '%.replied:%'],
  ['decision', 'applicant', '%.approved%', '%.refused%', '%.withdrawn%'],
];
const KIND_SQL = `case ${DELIVERY_KIND_PATTERNS.map(([kind, audience, ...patterns]) => {
  const fits = patterns.map((pattern) => `d.event like '${pattern}'`).join(' or ');
  return `when d.audience = '${audience}' and (${fits}) then '${kind}'`;
}).join(' ')} else 'other' end`;

export type ChannelDeliveries = Omit<DayDeliveries, 'kind'>;
const COUNT_FIELDS = ['sent', 'failed', 'bounced'] as const;

export const sumByChannel = (day: number, ended: readonly DayDeliveries[]): readonly ChannelDeliveries[] =>
  [...Map.groupBy(ended, ({ channel }) => channel)].map(([channel, ofChannel]) => {
    const { sent, failed, bounced } = sumDeliveries(ofChannel);
    return { day, channel, sent, failed, bounced };
  });

/**
 * Breaks a day's totals per channel down into totals per kind and channel. A delivery of unknown kind, such as an email
 * that has been deleted, counts as `other`, so that the sums for each channel stay the same.
 */
export function splitByKind(
  sums: readonly ChannelDeliveries[],
  ended: readonly DayDeliveries[],
): readonly DayDeliveries[] {
  const ofKnownKind = ended.filter(({ kind }) => kind !== 'other');
  const others = sums.map(({ day, channel, ...sum }): DayDeliveries => {
    const ofChannel = ofKnownKind.filter((one) => one.channel === channel);
    const remainder = (field: (typeof COUNT_FIELDS)[number]) =>
      Math.max(
        0,
        ofChannel.reduce((left, one) => left - one[field], sum[field]),
      );
    return {
      day,
      kind: 'other',
      channel,
      sent: remainder('sent'),
      failed: remainder('failed'),
      bounced: remainder('bounced'),
    };
  });
  return [...ofKnownKind, ...others.filter((one) => COUNT_FIELDS.some((field) => one[field] > 0))];
}

/**
 * SQL for the first day whose deliveries are totaled by channel but not yet by kind: the day just added, or a day that
 * an earlier version of the program added.
 */
export const dayWithoutKindsSql = (schema: string): string => `
  select min(day) as day from ${schema}report_deliveries d
  where not exists (select 1 from ${schema}report_kind_deliveries k where k.day = d.day)`;

/** SQL for the delivery totals of a range of days. Deliveries without a known kind count as `other`. */
export const summedDeliveriesSql = (schema: string, from: string, before: string): string => `
  select day, kind, channel, sent, failed, bounced from (
    select day, kind, channel, sent, failed, bounced from ${schema}report_kind_deliveries
    union all select day, 'other', channel, sent, failed, bounced from ${schema}report_deliveries d
    where not exists (select 1 from ${schema}report_kind_deliveries k where k.day = d.day)
  ) as summed
  where day >= ${from} and day < ${before} order by day, kind, channel`;

/**
 * SQL that counts the deliveries that ended between two times, by day, kind and channel. A message that was accepted and then
 * failed counts as bounced. An attempt with an `unknown` outcome counts as failed if the delivery ended with it.
 * @param schema the prefix of table names
 */
export const endedDeliveriesSql = (schema: string, from: string, before: string): string => `
  select day, kind, channel, count(*) filter (where ended = 'sent') as sent,
    count(*) filter (where ended = 'failed') as failed, count(*) filter (where ended = 'bounced') as bounced
  from (
    select a.at / 86400000 as day, ${KIND_SQL} as kind, d.channel, case
      when a.outcome = 'sent' then 'sent'
      when a.outcome = 'dead' or (a.outcome = 'unknown' and d.state in ('dead', 'settled') and d."finishedAt" = a.at) then
        case when 'sent' = (
          select e.outcome from ${schema}delivery_attempts e
          where e."deliveryId" = a."deliveryId" and e.sequence < a.sequence order by e.sequence desc limit 1
        ) then 'bounced' else 'failed' end
      end as ended
    from ${schema}delivery_attempts a join ${schema}deliveries d on d.id = a."deliveryId"
    where a.at >= ${from} and a.at < ${before}
  ) as attempts
  where ended is not null group by day, kind, channel order by day, kind, channel`;

const changedValues = <T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): readonly T[] =>
  [...after].filter(([key, one]) => before.get(key) !== one).map(([, one]) => one);

export const referencesOf = (steps: readonly AuditedStep[]): readonly string[] => [
  ...new Set(steps.map(referenceOf).filter((reference) => reference !== null)),
];

/** A day's timings as they are stored: a flat list, because a whole year of them is read at once. */
const timingsText = ({ records, promisedCount, withinPromiseCount, durations }: Timings): string =>
  JSON.stringify([records, promisedCount, withinPromiseCount, ...durations]);

function timingsOf(text: string): Timings {
  const [records = 0, promised = 0, within = 0, ...durations] = JSON.parse(text) as number[];
  return { records, promisedCount: promised, withinPromiseCount: within, durations };
}

export interface DayRow extends Omit<DayFigures, 'answered' | 'decided'> {
  readonly answered: string;
  readonly decided: string;
}

const toDayRow = ({ answered, decided, ...row }: DayFigures): DayRow => ({
  ...row,
  answered: timingsText(answered),
  decided: timingsText(decided),
});

export const toDayFigures = ({ answered, decided, ...row }: DayRow): DayFigures => ({
  ...row,
  answered: timingsOf(answered),
  decided: timingsOf(decided),
});

/**
 * The rows to store after adding the next steps of the audit trail to the figures.
 * @param stored the rows that the steps may change
 * @param requests the verification requests that the steps name
 * @param erased the reference numbers of erased submissions
 */
export function rowsAfter(
  steps: readonly AuditedStep[],
  stored: { readonly records: readonly TrackedRecord[]; readonly days: readonly DayRow[] },
  requests: readonly (DueTimeInputs & { readonly referenceNumber: string })[],
  erased: ReadonlySet<string>,
): { readonly records: readonly TrackedRecord[]; readonly days: readonly DayRow[] } {
  const requestsByReference = new Map(requests.map((request) => [request.referenceNumber, request]));
  const before = {
    tracked: new Map(stored.records.map((record) => [record.referenceNumber, record])),
    days: new Map(
      stored.days.map(toDayFigures).map((figures) => [dayKey(figures.day, figures.kind), figures]),
    ),
  };
  const after = { tracked: new Map(before.tracked), days: new Map(before.days) };
  addSteps(after, steps, {
    dueTimeInputs: (reference) => requestsByReference.get(reference),
    isErased: (reference) => erased.has(reference),
  });
  return {
    records: changedValues(before.tracked, after.tracked),
    days: changedValues(before.days, after.days).map(toDayRow),
  };
}

export const WEEKLY_EVENTS = { confirm: 'weekly-report.confirm', report: 'weekly-report.report' } as const;

export const confirmationDelivery = (
  adminId: string,
  requestedAt: number,
  email: string,
): QueuedDelivery => ({
  event: WEEKLY_EVENTS.confirm,
  referenceNumber: `${adminId}.${requestedAt}`,
  channel: 'mail',
  audience: 'team',
  recipient: email,
});

/**
 * The email with the report for a week. The reference number identifies the admin and the week, so that each email is queued
 * only once.
 */
export const weeklyDelivery = (adminId: string, week: number, email: string): QueuedDelivery => ({
  event: WEEKLY_EVENTS.report,
  referenceNumber: `${adminId}.${week}`,
  channel: 'mail',
  audience: 'team',
  recipient: email,
});
