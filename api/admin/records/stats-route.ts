import { adminStats, SYSTEM_PARTS, type SystemPart } from '../../../data/contract/admin-stats.ts';
import { ADMIN_LISTS } from '../../../data/model/admin-lists.ts';
import { ALERT_LIMITS, ALERTS, isAlertCode } from '../../../data/model/alerts.ts';
import { durationWithUnit } from '../../../data/model/facts/amount-text.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import type { SubmissionKind } from '../../../data/model/submission-status.ts';
import type { StoredAlert } from '../../../data/store/alert-port.ts';
import type { DeliveryChannel } from '../../../data/store/delivery-port.ts';
import type { ChannelBacklog, RecordCounts } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../call-router.ts';
import { PAUSE_TEXTS } from '../../delivery/send-outcome.ts';
import type { Readiness } from '../../operations/readiness.ts';
import type { PortalContext } from '../../portal-context.ts';
import { adminJsonRoute } from '../authorize-admin.ts';

const OVERDUE_MINUTES = ALERT_LIMITS.overdueMs / 60_000;
/** A failed delivery is reported for this many hours. */
const REPORTED_HOURS = 24;

/** A problem that is not listed here counts against the part `index`. */
const PART_BY_PROBLEM: Readonly<Record<string, SystemPart>> = {
  chain: 'endpoints',
  endpoints: 'endpoints',
  market: 'market',
  backups: 'backups',
};

const toSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function deliveryProblems(
  channel: DeliveryChannel,
  backlogs: readonly ChannelBacklog[],
  pauses: ReadonlyMap<DeliveryChannel, string>,
): string[] {
  const { overdue = 0, recentlyDead = 0 } = backlogs.find((one) => one.channel === channel) ?? {};
  const pause = pauses.get(channel);
  const problems: string[] = [];
  if (pause !== undefined) problems.push(PAUSE_TEXTS[pause] ?? `The channel is paused: ${pause}.`);
  if (overdue > 0)
    problems.push(
      `${overdue} deliveries are more than ${durationWithUnit(OVERDUE_MINUTES, 'minute')} overdue.`,
    );
  if (recentlyDead > 0)
    problems.push(
      `${recentlyDead} deliveries to the team failed in the last ${durationWithUnit(REPORTED_HOURS, 'hour')}.`,
    );
  return problems;
}

function systemStatus(
  { missing, warnings }: Readiness,
  backlogs: readonly ChannelBacklog[],
  pauses: ReadonlyMap<DeliveryChannel, string>,
) {
  const readinessProblems = [...missing, ...warnings];
  const problemsOf = (part: SystemPart): string[] =>
    part === 'mail' || part === 'telegram'
      ? deliveryProblems(part, backlogs, pauses)
      : readinessProblems
          .filter(({ what }) => (PART_BY_PROBLEM[what] ?? 'index') === part)
          .map(({ why }) => toSentence(why));
  const parts = (Object.keys(SYSTEM_PARTS) as SystemPart[]).map((part) => {
    const problems = problemsOf(part);
    return { part, name: SYSTEM_PARTS[part], isHealthy: problems.length === 0, problems };
  });
  return { isOperational: parts.every(({ isHealthy }) => isHealthy), parts };
}

const toWireAlerts = (alerts: readonly StoredAlert[]) =>
  alerts.flatMap(({ code, startedAt, detail }) =>
    isAlertCode(code)
      ? [{ code, title: ALERTS[code].title, since: new Date(startedAt).toISOString(), detail }]
      : [],
  );

const RECENT_MS = PORTAL_LIMITS.recentDays * 24 * 60 * 60_000;

const sum = (
  counts: Readonly<Record<string, number>>,
  statuses: readonly string[] = Object.keys(counts),
): number => statuses.reduce((total, status) => total + (counts[status] ?? 0), 0);

/**
 * The percentage of finished deliveries that were sent, rounded down to one decimal, so that 100 means all. Null if no delivery
 * has finished.
 */
function successRate(sent: number, finished: number): number | null {
  return finished === 0 ? null : Math.floor((sent * 1_000) / finished) / 10;
}

function toWireCounts(counts: RecordCounts) {
  const { applications, requests, loans, sentDeliveries, deadDeliveries } = counts;
  const totalDeliveries = sentDeliveries + deadDeliveries;
  return {
    totalApplications: sum(applications),
    recentApplications: counts.recentApplications,
    totalContacts: sum(counts.contacts),
    recentContacts: counts.recentContacts,
    deliverySuccessRate: successRate(sentDeliveries, totalDeliveries),
    successfulDeliveries: sentDeliveries,
    totalDeliveries,
    waitingDeliveries: counts.waitingDeliveries,
    deadDeliveries,
    openApplications: sum(applications, ADMIN_LISTS.applications.undecidedStatuses),
    totalRequests: sum(requests),
    openRequests: sum(requests, ADMIN_LISTS['verification-requests'].undecidedStatuses),
    totalLoans: sum(loans),
    openLoans: sum(loans, ADMIN_LISTS['loan-applications'].undecidedStatuses),
    openContacts: sum(counts.contacts, ADMIN_LISTS.contacts.undecidedStatuses),
  };
}

const byList = (counts: Readonly<Record<SubmissionKind, number>>) => ({
  applications: counts['card-application'],
  contacts: counts['contact-message'],
  'verification-requests': counts['verification-request'],
  'loan-applications': counts['loan-application'],
});

export function statsRoute({ store, authorize, now, readiness, deliveryPauses }: PortalContext): ApiRoute {
  return adminJsonRoute(adminStats, { authorize }, async ({ id }) => {
    const at = now();
    const counts = await store.records.counts(at - RECENT_MS);
    const backlogs = await store.records.backlogs({
      dueBefore: at - OVERDUE_MINUTES * 60_000,
      deadSince: at - REPORTED_HOURS * 3_600_000,
    });
    const overdueCounts = await store.records.workCounts({ dueBefore: at });
    const assignedCounts = await store.records.workCounts({ assigneeId: id });
    const alerts = toWireAlerts(await store.alerts.listOpen());
    return {
      ...toWireCounts(counts),
      assignedToMe: sum(assignedCounts),
      unreadMentions: await store.records.countUnreadMentions(id),
      overdue: byList(overdueCounts),
      ...systemStatus(readiness(), backlogs, deliveryPauses()),
      alerts,
    };
  });
}
