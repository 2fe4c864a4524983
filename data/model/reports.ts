import { SUBMISSION_KINDS, type SubmissionKind } from './submission-status.ts';

/** The lengths of reports in days. */
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

/** How long something took, for a number of records. A record counts on the day when it happened. */
export interface Timings {
  readonly records: number;
  /** How many of them had a promised time, and how many were within it. */
  readonly promised: number;
  readonly within: number;
  /** How many records took how many minutes, shortest first. */
  readonly minutes: readonly (readonly [minutes: number, records: number])[];
}

export const NO_TIMINGS: Timings = { records: 0, promised: 0, within: 0, minutes: [] };

/** Up to how many minutes durations are rounded to how many. Each limit is a multiple of the steps on both sides. */
const ROUNDED_TO = [
  [2 * 60, 1],
  [6 * 60, 5],
  [24 * 60, 10],
  [3 * 1_440, 30],
  [14 * 1_440, 120],
  [Number.POSITIVE_INFINITY, 720],
] as const;

/**
 * A duration in minutes, rounded so that few different values occur: to a minute up to two hours, above that by at most 2.1
 * percent. Keeps the order of durations.
 */
export function roundedMinutes(milliseconds: number): number {
  const minutes = Math.max(0, milliseconds) / 60_000;
  const step = ROUNDED_TO.find(([limit]) => minutes < limit)?.[1] ?? 1;
  return Math.round(minutes / step) * step;
}

/** The durations of several days together. */
export function addTimings(timings: readonly Timings[]): Timings {
  const records = new Map<number, number>();
  for (const { minutes } of timings) {
    for (const [duration, count] of minutes) records.set(duration, (records.get(duration) ?? 0) + count);
  }
  const sum = (field: 'records' | 'promised' | 'within') =>
    timings.reduce((total, one) => total + one[field], 0);
  return {
    records: sum('records'),
    promised: sum('promised'),
    within: sum('within'),
    minutes: [...records].sort(([a], [b]) => a - b),
  };
}

/** The shortest duration in minutes that at least this share of the records did not exceed; null without records. */
export function percentile({ records, minutes }: Timings, share: number): number | null {
  let counted = 0;
  for (const [duration, count] of minutes) {
    counted += count;
    if (counted >= share * records) return duration;
  }
  return null;
}

/** The team's work on the records of a kind on one day. */
export interface DayFigures {
  readonly day: number;
  readonly kind: SubmissionKind;
  readonly received: number;
  /** How many more records waited for the team at the end of the day than at its beginning. */
  readonly openChange: number;
  /** The first answer: a message to the person, or a decision. */
  readonly answered: Timings;
  readonly decided: Timings;
}

/** The messages over a channel on one day. Each counts on the day when it was accepted or failed. */
export interface DayDeliveries {
  readonly day: number;
  readonly channel: 'mail' | 'telegram';
  readonly sent: number;
  readonly failed: number;
  /** Mails that a server had accepted and then returned. */
  readonly bounced: number;
}

/** The share in percent, rounded down to one decimal so that 100 means all; null without a whole. */
export const percentOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.floor((part * 1_000) / whole) / 10;

/** Sums up the figures of a kind, or of all kinds. */
export function sumFigures(
  days: readonly DayFigures[],
  kinds: readonly SubmissionKind[] = SUBMISSION_KINDS,
): Omit<DayFigures, 'day' | 'kind'> {
  const counted = days.filter(({ kind }) => kinds.includes(kind));
  return {
    received: counted.reduce((sum, { received }) => sum + received, 0),
    openChange: counted.reduce((sum, { openChange }) => sum + openChange, 0),
    answered: addTimings(counted.map(({ answered }) => answered)),
    decided: addTimings(counted.map(({ decided }) => decided)),
  };
}

/** A kind of record in the plural, as reports name it. */
export const REPORT_KIND_LABELS: Readonly<Record<SubmissionKind, string>> = {
  'card-application': 'Card applications',
  'verification-request': 'Verification requests',
  'contact-message': 'Messages',
  'loan-application': 'Loan applications',
};

/** A duration in minutes for people: `12 min`, `3 h 20 min`, `2 d 4 h`. */
export function minutesText(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const [whole, unit, rest, part] =
    minutes < 48 * 60
      ? [Math.floor(minutes / 60), 'h', minutes % 60, 'min']
      : [Math.floor(minutes / 1440), 'd', Math.floor((minutes % 1440) / 60), 'h'];
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${part}`;
}
