import { ALERT_LIMITS, type AlertCode } from '../../data/model/alerts.ts';
import { minutesWithUnit } from '../../data/model/facts/amount-text.ts';
import { toDecimalUsdt } from '../../data/model/top-ups.ts';
import { ageState, FRESHNESS, MAX_SLOT_DISTANCE } from '../../data/model/value-state.ts';
import type { DeliveryChannel, DeliveryStore } from '../../data/store/delivery-port.ts';
import type { UsdtFeed } from '../../data/store/top-up-port.ts';
import type { WebhookStore } from '../../data/store/webhook-port.ts';
import { PAUSE_TEXTS } from '../delivery/send-outcome.ts';
import { isHistoryRead } from '../metrics/event-history.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import { isReportCurrent, networkHealthBody } from '../network/health.ts';
import { slotLag } from '../operations/portal-metrics.ts';
import type { ReplicaStatus } from '../operations/replica-status.ts';

/** One sentence without personal or secret data. Null if there is no problem, undefined if the state is unknown. */
export type Problem = string | null | undefined;

export interface AlertSources {
  readonly figureInputs: () => FigureInputs;
  readonly deliveries: Pick<DeliveryStore, 'nextDueAt'>;
  readonly webhooks: Pick<WebhookStore, 'endpoints'>;
  readonly deliveryPauses: () => ReadonlyMap<DeliveryChannel, string>;
  /** Whether this process is connected to the mailbox for applicants' replies; null if it reads no mailbox. */
  readonly isMailboxOpen: () => boolean | null;
  /** Null if the portal does not track top-ups. */
  readonly topUps: {
    readonly feed: () => Promise<UsdtFeed | null>;
    readonly unmatchedCount: () => Promise<number>;
  } | null;
  /** Null if no backups are scheduled. */
  readonly backup: () => {
    /** When the newest backup was taken (Unix ms); null if there is none, undefined if the folder cannot be read. */
    readonly newestAt: number | null | undefined;
    /** The longest time between two scheduled backups. */
    readonly longestGapMs: number;
    /** The newest backup that was copied elsewhere; null if no copies are configured. */
    readonly copy: { readonly newestAt: number | null } | null;
  } | null;
  readonly freeDiskBytes: () => number | null;
  readonly diskReserveBytes: number;
  /** How many admin sign-ins failed in the `failedSignIns.windowMs` milliseconds before `now` (Unix ms). */
  readonly countFailedSignIns: (now: number) => Promise<number>;
  /** Null if this process is the only one. */
  readonly replicaStatus: (() => Promise<ReplicaStatus>) | null;
}

type Condition = (sources: AlertSources, now: number) => Problem | Promise<Problem>;

const FUTURE_REMEDY =
  'is dated in the future. Check the clock, and move all backups that are dated in the future to another folder.';

const ifSo = (applies: boolean, problem: string): Problem => (applies ? problem : null);

function channelPauseCondition(channel: DeliveryChannel): Condition {
  return async ({ deliveries, deliveryPauses }, now) => {
    const pause = deliveryPauses().get(channel);
    if (pause !== undefined) return PAUSE_TEXTS[pause] ?? `The channel is paused: ${pause}.`;
    const dueAt = await deliveries.nextDueAt(channel);
    const isOverdue = dueAt !== null && now - dueAt > ALERT_LIMITS.overdueMs;
    return ifSo(
      isOverdue,
      `A message has been due for more than ${minutesWithUnit(ALERT_LIMITS.overdueMs)}.`,
    );
  };
}

export const ALERT_CONDITIONS: Readonly<Record<AlertCode, Condition>> = {
  'figures-stale': ({ figureInputs }, now) => {
    const { chain } = figureInputs().index;
    if (!chain) return 'No account has been read from the chain yet.';
    const isStale = ageState(chain.readAt, now, FRESHNESS.chain) === 'stale';
    return ifSo(
      isStale,
      `The watched accounts were last read more than ${minutesWithUnit(FRESHNESS.chain.limitMs)} ago.`,
    );
  },
  'index-behind': ({ figureInputs }, now) => {
    const lag = slotLag({ inputs: figureInputs(), now });
    if (lag === null) return undefined;
    return ifSo(lag > MAX_SLOT_DISTANCE, `The account snapshot is ${lag} slots behind the endpoints.`);
  },
  'history-incomplete': ({ figureInputs }) => {
    const { index } = figureInputs();
    if (!index.chain) return undefined;
    return ifSo(!isHistoryRead(index), 'The events are not indexed up to the newest transaction.');
  },
  'figures-disagree': ({ figureInputs }) => {
    const { reconciliation } = figureInputs().index;
    if (!reconciliation) return undefined;
    const { length } = reconciliation.differences;
    return ifSo(length > 0, `Differences at the last reconciliation: ${length}.`);
  },
  'no-endpoint': ({ figureInputs }, now) => {
    const { index, source } = figureInputs();
    // If the indexer does not report, the figures become stale, and stale figures have their own alert.
    if (!isReportCurrent(index, now)) return undefined;
    const { activeEndpoints } = networkHealthBody(index, source, now);
    return ifSo(activeEndpoints === 0, 'The indexer is running, but no endpoint responds.');
  },
  'quote-stale': ({ figureInputs }, now) => {
    const { index } = figureInputs();
    const { quote } = index;
    if (!quote || !isReportCurrent(index, now)) return undefined;
    const isStale = ageState(quote.readAt, now, FRESHNESS.market) === 'stale';
    return ifSo(
      isStale,
      `The price was last read more than ${minutesWithUnit(FRESHNESS.market.limitMs)} ago.`,
    );
  },
  'mail-paused': channelPauseCondition('mail'),
  'telegram-paused': channelPauseCondition('telegram'),
  'mailbox-unreachable': ({ isMailboxOpen }) =>
    ifSo(isMailboxOpen() === false, 'The mailbox cannot be read, or its emails cannot be stored.'),
  'top-ups-behind': async ({ topUps }, now) => {
    const feed = await topUps?.feed();
    if (topUps === null) return null;
    if (!feed) return 'Nothing has been read from Ethereum yet.';
    const isOld = now - feed.readAt > ALERT_LIMITS.finalBlockAgeMs;
    return ifSo(
      isOld,
      `No final Ethereum block has been read for ${minutesWithUnit(ALERT_LIMITS.finalBlockAgeMs)}.`,
    );
  },
  'top-ups-disagree': async ({ topUps }) => {
    const difference = (await topUps?.feed())?.difference ?? 0n;
    return ifSo(
      difference !== 0n,
      `The balance of the funding address differs from the sum of its transfers by ${toDecimalUsdt(difference)} USDT.`,
    );
  },
  'top-ups-unmatched': async ({ topUps }) => {
    const count = (await topUps?.unmatchedCount()) ?? 0;
    return ifSo(count > 0, `Transfers that were not credited to a card: ${count}.`);
  },
  'webhook-disabled': async ({ webhooks }) => {
    const disabled = (await webhooks.endpoints()).filter(({ state }) => state === 'disabled');
    // The path of a URL may contain a secret.
    const hosts = [...new Set(disabled.map(({ url }) => new URL(url).host))];
    return ifSo(hosts.length > 0, `Disabled endpoints at ${hosts.join(', ')} receive no events.`);
  },
  'backup-old': ({ backup }, now) => {
    const state = backup();
    if (state === null) return null;
    const { newestAt, longestGapMs } = state;
    if (newestAt === undefined) return 'The backup folder cannot be read.';
    if (newestAt === null) return 'There is no backup of app.db.';
    if (newestAt - now > ALERT_LIMITS.lateBackupMs) return `The newest backup of app.db ${FUTURE_REMEDY}`;
    const hours = Math.floor((now - newestAt) / 3_600_000);
    const isLate = now - newestAt > longestGapMs + ALERT_LIMITS.lateBackupMs;
    return ifSo(isLate, `The newest backup of app.db is ${hours} hours old.`);
  },
  'backup-copy-old': ({ backup }, now) => {
    const state = backup();
    if (!state?.copy) return null;
    const { newestAt } = state.copy;
    if (newestAt === null) return 'No backup of app.db has been copied elsewhere.';
    if (newestAt - now > ALERT_LIMITS.lateCopyMs)
      return `The newest backup that was copied elsewhere ${FUTURE_REMEDY}`;
    const hours = Math.floor((now - newestAt) / 3_600_000);
    const isLate = now - newestAt > state.longestGapMs + ALERT_LIMITS.lateCopyMs;
    return ifSo(isLate, `The newest backup that was copied elsewhere is ${hours} hours old.`);
  },
  'disk-low': ({ freeDiskBytes, diskReserveBytes }) => {
    const freeBytes = freeDiskBytes();
    if (freeBytes === null) return undefined;
    const limit = ALERT_LIMITS.diskReserveFactor * diskReserveBytes;
    return ifSo(freeBytes < limit, `${Math.floor(freeBytes / 1e6)} MB are free on the disk of DATA_DIR.`);
  },
  'sign-in-attack': async ({ countFailedSignIns }, now) => {
    const { count, windowMs } = ALERT_LIMITS.failedSignIns;
    const failedCount = await countFailedSignIns(now);
    return ifSo(failedCount > count, `${failedCount} admin sign-ins failed in ${minutesWithUnit(windowMs)}.`);
  },
  'replica-behind': async ({ replicaStatus }) => {
    if (replicaStatus === null) return null;
    const { versionLag } = await replicaStatus();
    if (versionLag === null) return undefined;
    return ifSo(versionLag > 0, `This replica is ${versionLag} commits behind the indexer.`);
  },
  'database-busy': async ({ replicaStatus }) => {
    if (replicaStatus === null) return null;
    const { pools } = await replicaStatus();
    const waiting = Math.max(pools.app.waiting, pools.index.waiting);
    return ifSo(
      waiting > 0,
      `${waiting} calls are waiting for a database connection. DATABASE_POOL sets the number of connections.`,
    );
  },
};
