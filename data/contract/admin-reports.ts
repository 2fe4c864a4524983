import { z } from 'zod';
import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import { DELIVERY_KINDS, REPORT_RANGES, REPORT_STEPS } from '../model/reports.ts';
import { SUBMISSION_KINDS } from '../model/submission-status.ts';
import { choice } from './admin-lists.ts';
import { successBody } from './admin-session.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { count } from './provenance.ts';

const day = z.iso.date().meta({ examples: ['2026-01-02'] });
const percent = z.number().min(0).max(100).nullable();

const timing = z.object({
  records: count.describe('Records with their first answer or decision in the period.'),
  median: count
    .nullable()
    .describe(
      'The median time in minutes; null without records. p90 is in minutes too. Above two hours, the rounding error of both is at most 2.1 percent.',
    ),
  p90: count.nullable().describe('90 percent of the records took at most this long.'),
  withinPromise: percent.describe('The percentage within the promised time; null if no record has one.'),
});

const counts = {
  sent: count,
  failed: count,
  bounced: count.describe('Emails that a server accepted and then returned.'),
  percent: percent.describe(
    'In percent: (sent − bounced) ÷ (sent + failed), at least 0, rounded down to one decimal. sent includes the emails that bounced. Null if nothing was sent or failed.',
  ),
};
const channelDeliveries = z.object({ channel: z.enum(['mail', 'telegram', 'push']), ...counts });

export const adminReports = {
  method: 'GET',
  path: PATHS.adminReports,
  summary: 'The team’s work and the deliveries by day or week, in UTC',
  access: 'viewer',
  query: z.strictObject({
    days: choice('days', REPORT_RANGES).describe('How many days, today included: 30 by default.'),
    by: choice('by', REPORT_STEPS).describe(
      'The length of a period: a day by default. Weeks begin on Monday.',
    ),
    kind: choice('kind', SUBMISSION_KINDS).describe('Only records of this kind.'),
  }),
  response: z.object({
    firstDay: day.nullable().describe('The first day with a record; null if there is none.'),
    isComplete: z
      .boolean()
      .describe('Whether everything that happened is counted. False for a while after an update.'),
    periods: z
      .array(
        z.object({
          from: day,
          to: day.describe('The last day of the period, even if it is in the future.'),
          isOver: z.boolean(),
          kinds: z
            .array(
              z.object({
                kind: z.enum(SUBMISSION_KINDS),
                received: count,
                decided: count.describe('Records that were first decided in the period.'),
                open: z.int().describe('Records that waited for the team at the end of the period.'),
              }),
            )
            .nullable()
            .describe('Null before the first day.'),
          answer: timing
            .nullable()
            .describe('The time to the first answer: a message to the person, or a decision.'),
          decision: timing.nullable().describe('The time to the first decision.'),
          deliveries: z.array(channelDeliveries).nullable().describe('Null before the first message.'),
        }),
      )
      .describe('Oldest first.'),
    totals: z
      .array(
        z.object({
          kind: z.enum(SUBMISSION_KINDS),
          received: count,
          answer: timing,
          decision: timing,
          open: z.int().describe('Records currently waiting for the team, whatever the days of the report.'),
        }),
      )
      .describe('Each kind, over all days of the report.'),
    deliveries: z.array(channelDeliveries).describe('Each channel, over all days of the report.'),
    deliveryKinds: z
      .array(z.object({ kind: z.enum(DELIVERY_KINDS), ...counts }))
      .describe(
        'Each kind of message on all channels, over all days of the report. `other` includes messages of a kind that is no longer known.',
      ),
  }),
} as const satisfies Call;

const subscription = z.object({
  email: z.string().nullable().describe('The email address of the account.'),
  state: z
    .enum(['off', 'unconfirmed', 'on'])
    .describe('unconfirmed: the link in the first email has not been used yet.'),
});

export const weeklyReport = {
  method: 'GET',
  path: PATHS.weeklyReport,
  summary: 'Whether the calling admin gets the weekly report by email',
  access: 'viewer',
  response: subscription,
} as const satisfies Call;

export const setWeeklyReport = {
  method: 'POST',
  path: PATHS.setWeeklyReport,
  summary:
    'Turns the weekly report by email on or off. When it is turned on, an email asks the admin to confirm the address',
  access: 'viewer',
  body: z.strictObject({ isWanted: z.boolean({ error: 'Set isWanted to true or false.' }) }),
  response: subscription,
  errors: ['no-own-address'],
} as const satisfies Call;

/** Links in the weekly report lead to this page. Each link ends with `#confirm=…` or `#stop=…`, which browsers do not send. */
export const WEEKLY_REPORT_PAGE = '/admin/weekly-report';

const TOKEN_ERROR = 'Open the link from the email again.';
const token = z.string({ error: TOKEN_ERROR }).max(120, TOKEN_ERROR).describe('The token of the link.');

export const confirmWeeklyReport = {
  method: 'POST',
  path: PATHS.confirmWeeklyReport,
  summary: `Confirms an admin’s email address for the weekly report. The link is valid for ${PORTAL_LIMITS.adminLinkHours} hours`,
  body: z.strictObject({ token }),
  response: successBody,
  errors: ['report-link-ended'],
} as const satisfies Call;

export const stopWeeklyReport = {
  method: 'POST',
  path: PATHS.stopWeeklyReport,
  summary: 'Stops the weekly report. Mail programs use it for one-click unsubscribe (RFC 8058)',
  // The token is in the URL, because the body of a one-click unsubscribe is fixed (RFC 8058). The token can only stop this one
  // admin's report.
  query: z.object({ subscription: token }),
  response: successBody,
  errors: ['report-link-ended'],
} as const satisfies Call;
