import {
  adminReports,
  confirmWeeklyReport,
  setWeeklyReport,
  stopWeeklyReport,
  weeklyReport,
} from '../../data/contract/admin-reports.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import { dayOf } from '../../data/model/reports.ts';
import { SUBMISSION_KINDS } from '../../data/model/submission-status.ts';
import type { ReportStore } from '../../data/store/report-port.ts';
import { adminAuditRecord, requestAddress } from '../admin/admin-audit.ts';
import { LINK_LIFE_MS } from '../admin/admin-links.ts';
import { adminJsonRoute } from '../admin/authorize-admin.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import type { PortalContext } from '../portal-context.ts';
import { readBody, readQuery } from '../request-input.ts';
import { reportBody, reportSpan } from './report-body.ts';
import { reportTokens } from './report-tokens.ts';
import { nextReportMonday } from './weekly-schedule.ts';

/** The maximum number of batches of records that a call counts before it answers. A scheduled job counts the rest. */
const MAX_UPDATES = 4;

/** Counts records that have not been counted yet. @returns whether all of them are now counted */
async function catchUp(reports: ReportStore, now: number): Promise<boolean> {
  for (let updates = 0; updates < MAX_UPDATES; updates += 1) {
    if (!(await reports.update(now))) return true;
  }
  return false;
}

export function reportRoutes({ store, authorize, now, masterKey }: PortalContext): readonly ApiRoute[] {
  const { reports, admins } = store;
  const tokens = reportTokens(masterKey);

  const subscriptionOf = async (adminId: string): Promise<ResponseOf<typeof weeklyReport>> => {
    const [account, subscription] = await Promise.all([admins.byId(adminId), reports.subscription(adminId)]);
    const email = account?.email ?? null;
    if (subscription === null || subscription.email !== email) return { email, state: 'off' };
    return { email, state: subscription.confirmedAt === null ? 'unconfirmed' : 'on' };
  };

  return [
    adminJsonRoute(adminReports, { authorize }, async (_admin, { days = '30', by = 'day', kind }) => {
      const at = now();
      const isComplete = await catchUp(reports, at);
      const span = reportSpan(Number(days), by, dayOf(at));
      const stored = await reports.read(span.from, span.today + 1);
      const kinds = kind === undefined ? SUBMISSION_KINDS : [kind];
      return { ...reportBody(stored, span, kinds), isComplete };
    }),

    adminJsonRoute(weeklyReport, { authorize }, ({ id }) => subscriptionOf(id)),
    adminJsonRoute(setWeeklyReport, { authorize, limit: 'admin-changes' }, async (admin, { isWanted }) => {
      const at = now();
      const { email, state } = await subscriptionOf(admin.id);
      const auditRecord = (action: string) => adminAuditRecord(admin, { action, at });
      if (!isWanted) await reports.unsubscribe(admin.id, auditRecord('weekly-report.stopped'));
      else if (email === null) throw new ApiError('no-own-address');
      else if (state !== 'on') {
        const subscription = { adminId: admin.id, email, requestedAt: at };
        await reports.subscribe(subscription, auditRecord('weekly-report.requested'));
      }
      return subscriptionOf(admin.id);
    }),
    callRoute(confirmWeeklyReport, { limit: 'report-links' }, async (request, response) => {
      const at = now();
      const subscription = tokens.readConfirmation(readBody(confirmWeeklyReport.body, request.body).token);
      if (subscription === null || subscription.requestedAt + LINK_LIFE_MS < at)
        throw new ApiError('report-link-ended');
      const admin = { id: subscription.adminId, address: requestAddress(request) };
      const auditRecord = adminAuditRecord(admin, { action: 'weekly-report.confirmed', at });
      const isConfirmed = await reports.confirmSubscription(subscription, nextReportMonday(at), auditRecord);
      if (!isConfirmed) throw new ApiError('report-link-ended');
      response.json({ success: true });
    }),
    callRoute(stopWeeklyReport, { limit: 'report-links' }, async (request, response) => {
      const id = tokens.readStop(readQuery(stopWeeklyReport.query, request.query).subscription);
      if (id === null) throw new ApiError('report-link-ended');
      const admin = { id, address: requestAddress(request) };
      await reports.unsubscribe(id, adminAuditRecord(admin, { action: 'weekly-report.stopped', at: now() }));
      response.json({ success: true });
    }),
  ];
}
