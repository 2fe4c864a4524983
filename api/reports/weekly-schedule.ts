import { dayOf, mondayOf } from '../../data/model/reports.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { startJob } from '../../data/runtime/schedule.ts';
import type { ReportStore } from '../../data/store/report-port.ts';
import { waitForTurn } from '../take-turn.ts';

/** The report on a week is sent on the following Monday, at this hour (UTC) or soon after. */
const SENT_AT_HOUR = 6;
const PATTERN = '*/10 * * * *';

/** The Monday, as a day number from `dayOf`, of the week that the next report will cover. */
export const nextReportMonday = (now: number): number => dueReportMonday(now) + 7;

/**
 * The Monday, as a day number from `dayOf`, of the latest week whose report is due. Reports on earlier weeks are no longer
 * sent.
 */
export const dueReportMonday = (now: number): number => mondayOf(dayOf(now - SENT_AT_HOUR * 3_600_000)) - 7;

/**
 * At the start and every ten minutes, updates the report figures and queues the weekly reports that are due.
 * @returns a function that stops the job and waits for the current run
 */
export function startReports(options: {
  readonly reports: Pick<ReportStore, 'update' | 'queueWeeklyReports'>;
  readonly now: () => number;
  readonly log: Logger;
}): () => Promise<void> {
  const { reports, now, log } = options;
  const job = {
    name: 'reports',
    cronPattern: PATTERN,
    run: async (signal: AbortSignal) => {
      while (!signal.aborted && (await reports.update(now()))) await waitForTurn();
      if (signal.aborted) return;
      const mailCount = await reports.queueWeeklyReports(dueReportMonday(now()), now());
      if (mailCount > 0) log.info({ mails: mailCount }, 'queued the weekly report');
    },
  };
  return startJob(job, log);
}
