import type { Logger } from '../../data/runtime/log.ts';
import { startJob } from '../../data/runtime/schedule.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { RECOGNITION_PERIOD_MS } from '../admin/device-mark.ts';
import { ADMIN_DATA_RETENTION_MS } from '../admin/session-routes.ts';
import { RESPONSE_RETENTION_HOURS } from '../applications/submission-helpers.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Once an hour. One of the runs is shortly before the default time for backups, so that backups do not contain data that was due
 * for deletion.
 */
const PATTERN = '41 * * * *';

/**
 * Deletes data when its retention period ends, at the start and once an hour: documents of loan applications that were decided
 * or have an unconfirmed mailbox; closed contact messages; expired sessions, sign-in messages, failed sign-ins, reported
 * payments and answers kept for retries; and copies of `app.db` that are not backups.
 * @returns a function that stops the job and waits for the current deletion
 */
export function startDeletion(options: {
  readonly store: Pick<AppStore, 'retention' | 'admins'>;
  readonly documentRetentionDays: number;
  readonly messageRetentionDays: number;
  /** Deletes expired copies of `app.db` that are not backups (see `leftoversIn`). @returns their names */
  readonly sweepLeftovers: (now: number) => readonly string[];
  readonly now: () => number;
  readonly log: Logger;
}): () => Promise<void> {
  const { store, documentRetentionDays, messageRetentionDays, sweepLeftovers, now, log } = options;
  const { retention, admins } = store;
  const job = {
    name: 'deletion',
    cronPattern: PATTERN,
    run: async (signal: AbortSignal) => {
      let documentCount = 0;
      // An interruption leaves each application either as it was, or closed and without documents.
      for (const reference of await retention.unconfirmedApplicationsDue(now())) {
        if (signal.aborted) return;
        documentCount += await retention.deleteUnconfirmed(reference, now());
      }
      // Listed only after the unconfirmed applications are closed, so that applications merged into them are included.
      const decidedBefore = now() - documentRetentionDays * DAY_MS;
      for (const reference of await retention.applicationsWithDocumentsDue(decidedBefore)) {
        if (signal.aborted) return;
        documentCount += await retention.deleteDocuments(reference, decidedBefore, now());
      }
      const closedBefore = now() - messageRetentionDays * DAY_MS;
      let messageCount = 0;
      for (const reference of await retention.messagesDue(closedBefore)) {
        if (signal.aborted) return;
        messageCount += await retention.deleteMessage(reference, closedBefore, now());
      }
      const expiredCount = await retention.deleteExpired(now(), now() - RESPONSE_RETENTION_HOURS * HOUR_MS);
      await admins.sweepAdminData(now() - ADMIN_DATA_RETENTION_MS, now() - RECOGNITION_PERIOD_MS);
      await retention.truncateLog();
      const copyCount = sweepLeftovers(now()).length;
      log.info(
        { documents: documentCount, messages: messageCount, expired: expiredCount, copies: copyCount },
        'deleted expired data',
      );
    },
  };
  return startJob(job, log);
}
