import type { SubmissionKind } from './submission-status.ts';

/** The periods that a report can cover, in days. */
export const REPORT_RANGES = ['7', '30', '90', '365'] as const;
export type ReportRange = (typeof REPORT_RANGES)[number];

export const REPORT_STEPS = ['day', 'week'] as const;
export type ReportStep = (typeof REPORT_STEPS)[number];

const DAY_MS = 86_400_000;

/** A day in UTC, as the number of days since 1970-01-01. */
export const dayOf = (at: number): number => Math.floor(at / DAY_MS);
export const dayStart = (day: number): number => day * DAY_MS;
/** `YYYY-MM-DD`. */
export const dayText = (day: number): string => new Date(dayStart(day)).toISOString().slice(0, 10);
/** The Monday on or before a day. 1970-01-01 was a Thursday. */
export const mondayOf = (day: number): number => day - ((((day + 3) % 7) + 7) % 7);

/** How long records took to reach a step, such as the first answer. A record is counted on the day when it reached the step. */
export interface Timings {
  readonly records: number;
  /** How many of the records had a promised time, and how many reached the step within it. */
  readonly promisedCount: number;
  readonly withinPromiseCount: number;
  /** Two numbers per duration, shortest first: its `durationStep`, then the number of records that took that long. */
  readonly durations: readonly number[];
}

export const NO_TIMINGS: Timings = { records: 0, promisedCount: 0, withinPromiseCount: 0, durations: [] };

/**
 * Pairs of a limit and a step size, in minutes: durations below the limit are rounded to a multiple of the step size. Each limit
 * is a multiple of its own step size and of the next step size.
 */
const ROUNDING_STEPS = [
  [2 * 60, 1],
  [6 * 60, 5],
  [24 * 60, 10],
  [3 * 1_440, 30],
  [14 * 1_440, 120],
  [Number.POSITIVE_INFINITY, 720],
] as const;

/**
 * The position of a duration on the scale of `ROUNDING_STEPS`. Rounding keeps the number of different durations small.
 * Durations up to two hours are rounded to minutes. For longer ones, the rounding error is at most 2.1 percent.
 */
export function durationStep(milliseconds: number): number {
  const minutes = Math.max(0, milliseconds) / 60_000;
  let [steps, from] = [0, 0];
  for (const [limit, size] of ROUNDING_STEPS) {
    if (minutes < limit) return steps + Math.round((minutes - from) / size);
    steps += (limit - from) / size;
    from = limit;
  }
  return steps;
}

/** The minutes at a position on the scale of `ROUNDING_STEPS`. */
export function stepMinutes(step: number): number {
  let [steps, from] = [0, 0];
  for (const [limit, size] of ROUNDING_STEPS) {
    const next = steps + (limit - from) / size;
    if (step <= next) return from + (step - steps) * size;
    steps = next;
    from = limit;
  }
  return from;
}

export function addTimings(timings: readonly Timings[]): Timings {
  // The durations are sorted, so the last one is the longest.
  const longest = Math.max(0, ...timings.map(({ durations }) => durations.at(-2) ?? 0));
  const counts = new Uint32Array(longest + 1);
  let [records, promisedCount, withinPromiseCount] = [0, 0, 0];
  for (const one of timings) {
    records += one.records;
    promisedCount += one.promisedCount;
    withinPromiseCount += one.withinPromiseCount;
    for (let index = 0; index < one.durations.length; index += 2) {
      const step = one.durations[index] ?? 0;
      counts[step] = (counts[step] ?? 0) + (one.durations[index + 1] ?? 0);
    }
  }
  const durations: number[] = [];
  for (const [step, count] of counts.entries()) if (count > 0) durations.push(step, count);
  return { records, promisedCount, withinPromiseCount, durations };
}

/**
 * The time, in minutes, within which at least the given share (0 to 1) of the records were answered or decided. Null if there
 * are no records.
 */
export function percentile({ records, durations }: Timings, share: number): number | null {
  let counted = 0;
  for (let index = 0; index < durations.length; index += 2) {
    counted += durations[index + 1] ?? 0;
    if (counted >= share * records) return stepMinutes(durations[index] ?? 0);
  }
  return null;
}

/** The team's work on one kind of record on one day. */
export interface DayFigures {
  readonly day: number;
  readonly kind: SubmissionKind;
  readonly received: number;
  /** The number of records that wait for the team at the end of the day, minus the number at its beginning. */
  readonly openChange: number;
  /** The first answer: a message to the person, or a decision. */
  readonly answered: Timings;
  readonly decided: Timings;
}

/** The labels for the kinds of messages in reports, in the order of the table. */
export const DELIVERY_KIND_LABELS = {
  receipt: 'Confirmations of receipt',
  decision: 'Decisions',
  reply: 'Replies',
  card: 'Card notices',
  reminder: 'Stake reminders',
  notice: 'Notices to the team',
  alert: 'Alerts',
  account: 'Account links',
  report: 'Weekly reports',
  other: 'Other or unknown',
} as const;
export type DeliveryKind = keyof typeof DELIVERY_KIND_LABELS;
export const DELIVERY_KINDS = Object.keys(DELIVERY_KIND_LABELS) as readonly DeliveryKind[];

/** Messages of one kind on one channel on one day. Each message is counted on the day when it was accepted or failed. */
export interface DayDeliveries {
  readonly day: number;
  readonly kind: DeliveryKind;
  readonly channel: 'mail' | 'telegram' | 'push';
  readonly sent: number;
  readonly failed: number;
  /** Emails that a server first accepted and later returned. */
  readonly bounced: number;
}

/** The percentage, rounded down to one decimal so that 100 always means all; null if the whole is 0. */
export const percentOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.floor((part * 1_000) / whole) / 10;

/** Adds up deliveries. `percent` is the share that was sent and did not bounce. `sent` includes the emails that bounced. */
export function sumDeliveries(deliveries: readonly DayDeliveries[]) {
  let [sent, failed, bounced] = [0, 0, 0];
  for (const one of deliveries) {
    sent += one.sent;
    failed += one.failed;
    bounced += one.bounced;
  }
  return { sent, failed, bounced, percent: percentOf(Math.max(0, sent - bounced), sent + failed) };
}

export function sumCounts(days: readonly DayFigures[]) {
  let [received, decided, openChange] = [0, 0, 0];
  for (const day of days) {
    received += day.received;
    decided += day.decided.records;
    openChange += day.openChange;
  }
  return { received, decided, openChange };
}

export const REPORT_KIND_LABELS: Readonly<Record<SubmissionKind, string>> = {
  'card-application': 'Card applications',
  'verification-request': 'Verification requests',
  'contact-message': 'Messages',
  'loan-application': 'Loan applications',
};

/** Minutes as readable text: `12 min`, `3 h 20 min`, `2 d 4 h`. */
export function minutesText(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const [largeAmount, largeUnit, smallAmount, smallUnit] =
    minutes < 48 * 60
      ? [Math.floor(minutes / 60), 'h', minutes % 60, 'min']
      : [Math.floor(minutes / 1440), 'd', Math.floor((minutes % 1440) / 60), 'h'];
  return smallAmount === 0
    ? `${largeAmount} ${largeUnit}`
    : `${largeAmount} ${largeUnit} ${smallAmount} ${smallUnit}`;
}
