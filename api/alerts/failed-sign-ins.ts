import { ALERT_LIMITS } from '../../data/model/alerts.ts';
import type { AuditStore } from '../../data/store/audit-port.ts';

const PAGE_SIZE = 200;
/** One call reads at most this many pages of records, even after a flood of records. */
const MAX_PAGES = 50;

/**
 * Reads the failures from the audit trail, which contains the sign-ins to all replicas.
 * @returns a function that counts the admin sign-ins that failed in the `windowMs` milliseconds before `now` (Unix ms)
 */
export function createFailedSignInCounter({
  auditTrail,
}: Pick<AuditStore, 'auditTrail'>): (now: number) => Promise<number> {
  let lastSequence = 0;
  let failureTimes: readonly number[] = [];
  return async (now) => {
    const since = now - ALERT_LIMITS.failedSignIns.windowMs;
    const newFailureTimes: number[] = [];
    let newestSequence = lastSequence;
    let beforeSequence: number | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const records = await auditTrail(PAGE_SIZE, beforeSequence);
      const unseen = records.filter(({ sequence, at }) => sequence > lastSequence && at >= since);
      newFailureTimes.push(
        ...unseen.filter(({ action }) => action === 'admin.sign-in-failed').map(({ at }) => at),
      );
      newestSequence = Math.max(newestSequence, records[0]?.sequence ?? 0);
      beforeSequence = records.at(-1)?.sequence;
      if (unseen.length < PAGE_SIZE) break;
    }
    lastSequence = newestSequence;
    failureTimes = [...failureTimes, ...newFailureTimes].filter((at) => at >= since);
    return failureTimes.length;
  };
}
