import { WEEKLY_REPORT_PAGE } from '../../data/contract/admin-reports.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import {
  addTimings,
  DELIVERY_KIND_LABELS,
  DELIVERY_KINDS,
  dayStart,
  minutesText,
  percentile,
  percentOf,
  REPORT_KIND_LABELS,
  sumCounts,
  sumDeliveries,
} from '../../data/model/reports.ts';
import { SUBMISSION_KINDS, type SubmissionKind } from '../../data/model/submission-status.ts';
import type { LeasedDelivery } from '../../data/store/delivery-port.ts';
import type { RecordStore } from '../../data/store/record-port.ts';
import type { ReportStore, StoredReport } from '../../data/store/report-port.ts';
import { WEEKLY_EVENTS } from '../../data/store/rules/report-figures.ts';
import type { MailFact, MailTemplate } from '../delivery/mail/mail-template.ts';
import type { ReportTokens } from './report-tokens.ts';

interface WeeklyMailContext {
  readonly reports: Pick<ReportStore, 'read' | 'subscription' | 'update'>;
  readonly records: Pick<RecordStore, 'workCounts'>;
  readonly reportTokens: ReportTokens;
  readonly teamOrigin: string;
  readonly now: () => number;
}

interface WeeklyMail {
  readonly template: MailTemplate;
  /** The URL for one-click unsubscribing in mail programs; null in the email that asks the admin to confirm the address. */
  readonly unsubscribeUrl: string | null;
}

export type ComposeWeekly = (
  delivery: Pick<LeasedDelivery, 'event' | 'referenceNumber'>,
) => Promise<WeeklyMail | null>;

export const isAboutWeeklyReport = ({ event }: Pick<LeasedDelivery, 'event'>): boolean =>
  event.startsWith('weekly-report.');

const REPORTS_PAGE = '/admin/reports';

export function confirmationTemplate(url: string): MailTemplate {
  return {
    subject: 'Confirm your address for the weekly report',
    parts: [
      'You turned on the weekly report for the BlackDuck team area. Confirm that this is your address. The first report comes next Monday.',
      { kind: 'button', label: 'Confirm my address', url },
      `The link works for ${PORTAL_LIMITS.adminLinkHours} hours.`,
      { kind: 'small', text: 'Not you? Ignore this email. We won’t send reports unless you confirm.' },
    ],
  };
}

const DATE_FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const formatNumber = (value: number) => value.toLocaleString('en-US');
const orDash = (value: number | null, text: (value: number) => string) =>
  value === null ? '–' : text(value);
const percentText = (value: number) => `${value}%`;

export interface WeekFigures {
  readonly report: StoredReport;
  /** The first day, as a day number from `dayOf`. `endDay` is the day after the last one. */
  readonly from: number;
  readonly endDay: number;
}

/**
 * @param weeks the week that the report covers, and the week before it. `earlierWeek` is null if nothing was recorded before
 * the week that the report covers.
 */
export function weeklyTemplate(
  weeks: { readonly week: WeekFigures; readonly earlierWeek: WeekFigures | null },
  overdue: Readonly<Record<SubmissionKind, number>>,
  urls: { readonly teamOrigin: string; readonly stopUrl: string },
): MailTemplate {
  const { week, earlierWeek } = weeks;
  const withEarlierWeek = (text: (figures: WeekFigures) => string): string =>
    `${text(week)} (${earlierWeek === null ? '–' : text(earlierWeek)})`;
  const countsOf = ({ report }: WeekFigures, kind?: SubmissionKind) =>
    sumCounts(report.days.filter((day) => kind === undefined || day.kind === kind));
  const timingsOf = ({ report }: WeekFigures, field: 'answered' | 'decided') =>
    addTimings(report.days.map((day) => day[field]));
  const openAtEnd = (figures: WeekFigures, kind: SubmissionKind) =>
    figures.report.openBefore[kind] + countsOf(figures, kind).openChange;
  const messagesText = ({ sent, failed, bounced }: ReturnType<typeof sumDeliveries>) =>
    `${formatNumber(sent)} sent, ${formatNumber(failed)} failed, ${formatNumber(bounced)} bounced`;
  const medianText = (field: 'answered' | 'decided') =>
    withEarlierWeek((figures) => orDash(percentile(timingsOf(figures, field), 0.5), minutesText));
  const overdueCount = SUBMISSION_KINDS.reduce((sum, kind) => sum + overdue[kind], 0);
  const factOfKind = (kind: SubmissionKind): MailFact => [
    REPORT_KIND_LABELS[kind],
    [
      `${withEarlierWeek((figures) => formatNumber(countsOf(figures, kind).received))} received`,
      `${withEarlierWeek((figures) => formatNumber(countsOf(figures, kind).decided))} decided`,
      `${formatNumber(openAtEnd(week, kind))} open at the end of the week`,
      `${formatNumber(overdue[kind])} overdue now`,
    ].join(', '),
  ];
  const messagesOfKinds = DELIVERY_KINDS.flatMap((kind): readonly MailFact[] => {
    const deliveriesOfKind = week.report.deliveries.filter((one) => one.kind === kind);
    const { sent, failed, bounced, percent } = sumDeliveries(deliveriesOfKind);
    const deliveredShare = `${formatNumber(Math.max(0, sent - bounced))} of ${formatNumber(sent + failed)}`;
    const texts = [
      percent === null ? '' : `${deliveredShare} delivered (${percentText(percent)})`,
      failed === 0 ? '' : `${formatNumber(failed)} failed`,
      bounced === 0 ? '' : `${formatNumber(bounced)} bounced`,
    ].filter((text) => text !== '');
    return texts.length === 0 ? [] : [[DELIVERY_KIND_LABELS[kind], texts.join(', ')]];
  });
  return {
    subject: `Weekly report: ${DATE_FORMAT.formatRange(dayStart(week.from), dayStart(week.endDay - 1))}`,
    preheader: `${formatNumber(countsOf(week).received)} received, ${formatNumber(countsOf(week).decided)} decided, ${formatNumber(overdueCount)} overdue now`,
    parts: [
      overdueCount === 0
        ? 'No record is overdue.'
        : `${formatNumber(overdueCount)} ${overdueCount === 1 ? 'record is' : 'records are'} overdue now.`,
      'Figures in parentheses are from the week before. Days begin at midnight UTC.',
      {
        kind: 'facts',
        facts: [
          ['Received', withEarlierWeek((figures) => formatNumber(countsOf(figures).received))],
          ['Decided', withEarlierWeek((figures) => formatNumber(countsOf(figures).decided))],
          ['Median time to first answer', medianText('answered')],
          ['Median time to decision', medianText('decided')],
          [
            'Answered within the promised time',
            withEarlierWeek((figures) => {
              const { withinPromiseCount, promisedCount } = timingsOf(figures, 'answered');
              return orDash(percentOf(withinPromiseCount, promisedCount), percentText);
            }),
          ],
          ['Messages', withEarlierWeek(({ report }) => messagesText(sumDeliveries(report.deliveries)))],
        ],
      },
      'Records by kind:',
      { kind: 'facts', facts: SUBMISSION_KINDS.map(factOfKind) },
      ...(messagesOfKinds.length === 0
        ? []
        : ['Messages by kind:', { kind: 'facts', facts: messagesOfKinds } as const]),
      { kind: 'button', label: 'Open the reports', url: `${urls.teamOrigin}${REPORTS_PAGE}` },
      { kind: 'small', text: 'You turned on this report in your account in the team area.' },
      { kind: 'link', label: 'Stop the weekly report', url: urls.stopUrl },
    ],
  };
}

/** Returns null if the admin has stopped the report in the meantime. */
export const createWeeklyComposer =
  ({ reports, records, reportTokens, teamOrigin, now }: WeeklyMailContext): ComposeWeekly =>
  async ({ event, referenceNumber }) => {
    const [adminId = '', timeOrWeek = ''] = referenceNumber.split('.');
    const subscription = await reports.subscription(adminId);
    if (subscription === null) return null;
    const page = `${teamOrigin}${WEEKLY_REPORT_PAGE}`;
    if (event === WEEKLY_EVENTS.confirm) {
      const requestedAt = Number(timeOrWeek);
      if (subscription.requestedAt !== requestedAt) return null;
      const url = `${page}#confirm=${reportTokens.confirmationToken(adminId, requestedAt)}`;
      return { template: confirmationTemplate(url), unsubscribeUrl: null };
    }
    if (subscription.confirmedAt === null) return null;
    const monday = Number(timeOrWeek);
    const readWeek = async (from: number): Promise<WeekFigures> => ({
      report: await reports.read(from, from + 7),
      ...{ from, endDay: from + 7 },
    });
    await reports.update(now());
    const [currentWeek, earlierWeek] = [await readWeek(monday), await readWeek(monday - 7)];
    const { firstDay } = currentWeek.report;
    const token = reportTokens.stopToken(adminId);
    const template = weeklyTemplate(
      { week: currentWeek, earlierWeek: firstDay !== null && firstDay < monday ? earlierWeek : null },
      await records.workCounts({ dueBefore: now() }),
      { teamOrigin, stopUrl: `${page}#stop=${token}` },
    );
    return { template, unsubscribeUrl: `${teamOrigin}${PATHS.stopWeeklyReport}?subscription=${token}` };
  };
