import { ALERTS, type AlertCode, isAlertCode } from '../../data/model/alerts.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { AlertRecipient, AlertStore, StoredAlert } from '../../data/store/alert-port.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import type { AlertTeam } from '../delivery/team-alerts.ts';
import type { Problem } from './alert-conditions.ts';
import { durationText } from './alert-messages.ts';

export const CHECK_INTERVAL_MS = 30_000;
/** An alert ends once its problem has been gone for this many milliseconds. */
export const ENDS_AFTER_MS = 300_000;
/**
 * If a problem returns within this many milliseconds after its last alert ended, the new alert ends only once the problem
 * has been gone for this many milliseconds too. Otherwise a problem that comes and goes would cause messages all day.
 */
export const RETURNS_WITHIN_MS = 3_600_000;
export const REPEAT_INTERVAL_MS = 86_400_000;
/**
 * After this many milliseconds without a check, for example because the process was suspended, earlier checks no longer
 * count.
 */
const MAX_PAUSE_MS = 5 * CHECK_INTERVAL_MS;
export const DATABASE_LOST_AFTER_MS = 120_000;

/** When a check first found the problem, or first found it gone (monotonic ms). Exactly one of the two times is set. */
interface ProblemTimes {
  readonly problemSince: number | null;
  readonly fineSince: number | null;
}

interface MonitorOptions {
  readonly store: AlertStore;
  /** The alerts that are switched on. */
  readonly codes: readonly AlertCode[];
  readonly check: (code: AlertCode, now: number) => Problem | Promise<Problem>;
  readonly recipients: readonly AlertRecipient[];
  /** Whether this process sends the alerts of all replicas. */
  readonly isLeading: () => boolean;
  /** Sends alerts without using the store. Null if the store is a file, because `StoreWatch` then monitors it. */
  readonly alertDirectly: AlertTeam | null;
  /** Unix ms. */
  readonly now: () => number;
  /** Monotonic ms. */
  readonly monotonicNow: () => number;
  readonly log: Logger;
}

/**
 * Alerts the team to problems with the portal, through the delivery queue. An alert begins once its problem has lasted for some
 * time, and ends once the problem has been gone for some time. Open alerts are stored, so that another replica, or
 * the portal after a restart, can continue them.
 */
export class AlertMonitor {
  readonly #options: MonitorOptions;
  readonly #problemTimes = new Map<AlertCode, ProblemTimes>();
  /** Unix ms, by alert code. */
  readonly #lastEndedAt = new Map<string, number>();
  readonly #failedChecks = new Set<AlertCode>();
  #checkedAt = Number.NEGATIVE_INFINITY;
  #hasFailed = false;
  #wasLeading = false;
  #lostSince: number | null = null;
  #isLossReported = false;

  constructor(options: MonitorOptions) {
    this.#options = options;
  }

  /** Checks every alert once. Never throws. */
  async check(): Promise<void> {
    const { store, monotonicNow, isLeading, log } = this.#options;
    const leads = isLeading();
    // A replica that loses PostgreSQL stops leading, and the other replicas may have lost it too. So this replica keeps
    // checking, to report the loss.
    if (!leads && !this.#wasLeading) {
      this.#problemTimes.clear();
      return;
    }
    if (monotonicNow() - this.#checkedAt > MAX_PAUSE_MS) this.#problemTimes.clear();
    this.#checkedAt = monotonicNow();
    try {
      const openAlerts = await this.#readOpenAlerts(store);
      this.#wasLeading = leads;
      if (!leads) return;
      await this.#endSwitchedOff(openAlerts);
      for (const code of this.#options.codes) await this.#checkOne(code, openAlerts);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) log.error({ err: error }, 'the alerts cannot be checked');
      this.#hasFailed = true;
    }
  }

  /**
   * Reads the open alerts. If PostgreSQL does not answer for `DATABASE_LOST_AFTER_MS`, alerts the team without the delivery
   * queue, and again once PostgreSQL answers.
   * @throws {StoreUnavailableError}
   */
  async #readOpenAlerts(store: AlertStore): Promise<readonly StoredAlert[]> {
    const { alertDirectly, monotonicNow } = this.#options;
    if (alertDirectly === null) return store.listOpen();
    try {
      const openAlerts = await store.listOpen();
      if (this.#isLossReported) {
        const lostDuration = durationText(monotonicNow() - (this.#lostSince ?? monotonicNow()));
        alertDirectly({
          subject: 'Resolved: The portal cannot use its database',
          text: `The database is responding again. The problem lasted ${lostDuration}.`,
        });
      }
      this.#lostSince = null;
      this.#isLossReported = false;
      return openAlerts;
    } catch (error) {
      this.#wasLeading = true;
      this.#lostSince ??= monotonicNow();
      if (!this.#isLossReported && monotonicNow() - this.#lostSince >= DATABASE_LOST_AFTER_MS) {
        this.#isLossReported = true;
        alertDirectly({
          subject: 'Alert: The portal cannot use its database',
          text: 'The database is not responding, so no forms are accepted and no other alerts are sent. Check the database server and the network. The log contains the reason.',
        });
      }
      throw error;
    }
  }

  /** Ends alerts that are switched off, without a message. */
  async #endSwitchedOff(openAlerts: readonly StoredAlert[]): Promise<void> {
    const { store, codes, now } = this.#options;
    for (const { id, code } of openAlerts) {
      if (isAlertCode(code) && codes.includes(code)) continue;
      await store.end({ id, endedAt: now(), notifiedAt: now() }, []);
    }
  }

  /** Checks one alert. Logs its errors, so that the other alerts are still checked. @throws {StoreUnavailableError} */
  async #checkOne(code: AlertCode, openAlerts: readonly StoredAlert[]): Promise<void> {
    try {
      await this.#checkCode(code, openAlerts);
      this.#failedChecks.delete(code);
    } catch (error) {
      // The other alerts are not checked: their results could not be stored either, and each check would wait for the store.
      if (error instanceof StoreUnavailableError) throw error;
      if (!this.#failedChecks.has(code))
        this.#options.log.error({ err: error, alert: code }, 'an alert cannot be checked');
      this.#failedChecks.add(code);
    }
  }

  async #checkCode(code: AlertCode, openAlerts: readonly StoredAlert[]): Promise<void> {
    const { check, now, monotonicNow } = this.#options;
    const problem = await check(code, now());
    // The state is unknown, so an alert neither begins nor ends.
    if (problem === undefined) return;
    const { problemSince, fineSince } = this.#problemTimes.get(code) ?? {
      problemSince: null,
      fineSince: null,
    };
    const at = monotonicNow();
    const openAlert = openAlerts.find((alert) => alert.code === code);
    if (problem === null) {
      const since = fineSince ?? at;
      this.#problemTimes.set(code, { problemSince: null, fineSince: since });
      if (openAlert && at - since >= this.#endsAfterMs(openAlert))
        await this.#end(openAlert, now() - (at - since));
      return;
    }
    const since = problemSince ?? at;
    this.#problemTimes.set(code, { problemSince: since, fineSince: null });
    if (openAlert) {
      if (now() - openAlert.notifiedAt >= REPEAT_INTERVAL_MS) await this.#remind(openAlert, problem);
    } else if (at - since >= ALERTS[code].minDurationMs)
      await this.#begin(code, problem, now() - (at - since));
  }

  #endsAfterMs({ code, startedAt }: StoredAlert): number {
    const lastEndedAt = this.#lastEndedAt.get(code);
    return lastEndedAt !== undefined && startedAt - lastEndedAt < RETURNS_WITHIN_MS
      ? RETURNS_WITHIN_MS
      : ENDS_AFTER_MS;
  }

  async #begin(code: AlertCode, detail: string, startedAt: number): Promise<void> {
    const { store, now, log } = this.#options;
    // The id contains only characters that are allowed in a Message-ID.
    const id = `${code}-${new Date(startedAt).toISOString().replaceAll(/[-:.]/g, '')}`;
    const alert = { id, code, startedAt, detail, notifiedAt: now() };
    if (await store.begin(alert, this.#recipientsOf(code)))
      log.warn({ alert: code, detail }, 'an alert began');
  }

  async #remind({ id, code, reminders }: StoredAlert, detail: string): Promise<void> {
    const { store, now } = this.#options;
    await store.remind({ id, detail, notifiedAt: now(), reminders }, this.#recipientsOf(code));
  }

  async #end({ id, code, startedAt }: StoredAlert, goneAt: number): Promise<void> {
    const { store, now, log } = this.#options;
    const endedAt = Math.max(startedAt, goneAt);
    const isEnded = await store.end({ id, endedAt, notifiedAt: now() }, this.#recipientsOf(code));
    this.#lastEndedAt.set(code, endedAt);
    if (isEnded)
      log.info({ alert: code, seconds: Math.round((endedAt - startedAt) / 1_000) }, 'an alert ended');
  }

  /** An alert about a paused channel is sent over the other channel. */
  #recipientsOf(code: string): readonly AlertRecipient[] {
    return this.#options.recipients.filter(({ channel }) => code !== `${channel}-paused`);
  }
}
