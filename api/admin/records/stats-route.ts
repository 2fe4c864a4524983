import { adminStats } from '../../../data/contract/admin-stats.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import type { RecordCounts } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../known-calls.ts';
import { adminRoute } from '../admin-route.ts';
import type { RecordDesk } from './record-desk.ts';
import { DEAD_FOR, OVERDUE_AFTER, systemStatus } from './system-status.ts';

const RECENT_MS = 7 * 24 * 60 * 60_000;

type Stats = ResponseOf<typeof adminStats>;

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** Percent to one decimal, rounded down, so that 100 means all; null of nothing. */
export function successRate(sent: number, ended: number): number | null {
  return ended === 0 ? null : Math.floor((sent * 1_000) / ended) / 10;
}

function countsOf(counts: RecordCounts): Omit<Stats, 'isOperational' | 'parts'> {
  const { applications, requests, loans, sentDeliveries, deadDeliveries } = counts;
  const totalDeliveries = sentDeliveries + deadDeliveries;
  return {
    totalApplications: sum(applications),
    recentApplications: counts.recentApplications,
    totalContacts: counts.contacts,
    recentContacts: counts.recentContacts,
    deliverySuccessRate: successRate(sentDeliveries, totalDeliveries),
    successfulDeliveries: sentDeliveries,
    totalDeliveries,
    waitingDeliveries: counts.waitingDeliveries,
    deadDeliveries,
    openApplications: applications.received + applications['in-review'],
    totalRequests: sum(requests),
    openRequests: requests.received,
    totalLoans: sum(loans),
    openLoans: loans.received + loans['in-review'],
  };
}

/** `GET /api/admin/dashboard/stats`. */
export function statsRoute({ store, admit, now, readiness, pauses }: RecordDesk): ApiRoute {
  return adminRoute(adminStats, admit, async (_admin, _request, response) => {
    const at = now();
    const counts = await store.records.counts(at - RECENT_MS);
    const backlogs = await store.records.backlogs({
      dueBefore: at - OVERDUE_AFTER,
      deadSince: at - DEAD_FOR,
    });
    const status = systemStatus(readiness(), backlogs, pauses());
    response.json({ ...countsOf(counts), ...status } satisfies Stats);
  });
}
