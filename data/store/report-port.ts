import type { DayDeliveries, DayFigures } from '../model/reports.ts';
import type { SubmissionKind } from '../model/submission-status.ts';
import type { AuditRecord } from './audit-port.ts';

/** The counts and durations for a range of days. Days are numbered as in `data/model/reports.ts`. */
export interface StoredReport {
  /** The days on which something happened, in ascending order. */
  readonly days: readonly DayFigures[];
  /** How many records of each kind were waiting for the team when the first requested day began. */
  readonly openBefore: Readonly<Record<SubmissionKind, number>>;
  /** The first day with any counts; null if there is none. Nothing is known about earlier days. */
  readonly firstDay: number | null;
  readonly deliveries: readonly DayDeliveries[];
  readonly firstDeliveryDay: number | null;
}

/** Times are Unix ms. */
export interface ReportSubscription {
  readonly adminId: string;
  /** The account's email address when the subscription was requested. */
  readonly email: string;
  readonly requestedAt: number;
  readonly confirmedAt: number | null;
}

/**
 * Counts and durations of the team's work. They are sums over the audit trail, which contains no personal data, so neither an
 * erasure nor the end of a retention period changes them.
 */
export interface ReportStore {
  /**
   * Counts the next records of the audit trail, and the deliveries of the first uncounted day if that day is over. Concurrent calls
   * count each record once.
   * @returns whether there may be more to count
   */
  update(now: number): Promise<boolean>;
  read(fromDay: number, beforeDay: number): Promise<StoredReport>;

  subscription(adminId: string): Promise<ReportSubscription | null>;
  /** Stores a subscription, replacing any earlier one, and queues the email with the link that confirms the address. */
  subscribe(subscription: Omit<ReportSubscription, 'confirmedAt'>, audit: AuditRecord): Promise<void>;
  /**
   * Confirms the address. The first report covers the week that begins on `week`, a Monday.
   * @returns false if there is no such subscription
   */
  confirmSubscription(
    subscription: Pick<ReportSubscription, 'adminId' | 'requestedAt'>,
    week: number,
    audit: AuditRecord,
  ): Promise<boolean>;
  /** @returns false if there is no subscription */
  unsubscribe(adminId: string, audit: AuditRecord): Promise<boolean>;
  /**
   * Queues the report emails for the week that begins on `week`, a Monday: one for each active admin with a confirmed address.
   * Missed reports for earlier weeks are not sent. Concurrent calls queue each email once.
   * @returns how many were queued
   */
  queueWeeklyReports(week: number, at: number): Promise<number>;
}
