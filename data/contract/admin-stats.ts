import { z } from 'zod';
import { ALERT_CODES } from '../model/alerts.ts';
import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { count, moment } from './provenance.ts';

export const SYSTEM_PARTS = {
  index: 'Index',
  endpoints: 'Solana endpoints',
  market: 'Market feed',
  mail: 'Mail delivery',
  telegram: 'Telegram delivery',
  backups: 'Backups',
} as const;
export type SystemPart = keyof typeof SYSTEM_PARTS;

const SYSTEM_PART_NAMES = Object.keys(SYSTEM_PARTS) as [SystemPart, ...SystemPart[]];
const RECENT_DESCRIPTION = `From the last ${PORTAL_LIMITS.recentDays} days.`;

export const adminStats = {
  method: 'GET',
  path: PATHS.adminStats,
  summary: 'Counts of records and deliveries, and the health of each service',
  access: 'viewer',
  response: z.object({
    totalApplications: count,
    recentApplications: count.describe(RECENT_DESCRIPTION),
    totalContacts: count,
    recentContacts: count.describe(RECENT_DESCRIPTION),
    deliverySuccessRate: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .describe(
        'successfulDeliveries ÷ totalDeliveries in percent, rounded down to one decimal; null without deliveries.',
      ),
    successfulDeliveries: count,
    totalDeliveries: count.describe('Deliveries that were sent or have failed permanently.'),
    waitingDeliveries: count.describe('Deliveries that are still to be sent, including retries.'),
    deadDeliveries: count.describe('Deliveries that have failed permanently.'),
    openApplications: count.describe('Card applications that are received or in review.'),
    totalRequests: count.describe('Requests for manual verification.'),
    openRequests: count.describe('Undecided requests.'),
    totalLoans: count.describe('Applications for the loan note.'),
    openLoans: count.describe('Loan applications that are received or in review.'),
    openContacts: count.describe('Messages to support that are open.'),
    assignedToMe: count.describe('Records that wait for the team and that the calling admin works on.'),
    unreadMentions: count.describe('Unread mentions of the calling admin in notes of others.'),
    overdue: z
      .object({
        applications: count,
        contacts: count,
        'verification-requests': count,
        'loan-applications': count,
      })
      .describe('Records that are past their due time, by list, at most 10,000 in each.'),
    isOperational: z
      .boolean()
      .describe('True if every service is healthy. The screen then shows OPERATIONAL.'),
    alerts: z
      .array(
        z.object({
          code: z.enum(ALERT_CODES),
          title: z.string(),
          since: moment,
          detail: z.string().describe('What was wrong when the team was last alerted.'),
        }),
      )
      .describe('The alerts that the portal sent and that have not ended, oldest first.'),
    parts: z.array(
      z.object({
        part: z.enum(SYSTEM_PART_NAMES),
        name: z.string().describe('The label.'),
        isHealthy: z.boolean(),
        problems: z.array(z.string()).describe('One sentence each; empty if the service is healthy.'),
      }),
    ),
  }),
} as const satisfies Call;
