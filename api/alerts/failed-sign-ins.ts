import { ALERT_LIMITS } from '../../data/model/alerts.ts';
import type { AuditStore } from '../../data/store/audit-port.ts';

const PAGE = 200;
/** The most pages of records that one call reads, in case of a flood. */
const MAX_PAGES = 50;

/**
 * Follows the audit trail, which all replicas share.
 * @returns a function that reads how many admin sign-ins failed in the window before a time (Unix ms)
 */
export function failedSignIns({
  auditTrail,
}: Pick<AuditStore, 'auditTrail'>): (now: number) => Promise<number> {
  let seen = 0;
  let failures: readonly number[] = [];
  return async (now) => {
    const since = now - ALERT_LIMITS.failedSignIns.window;
    const added: number[] = [];
    let newest = seen;
    let before: number | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const records = await auditTrail(PAGE, before);
      const unseen = records.filter(({ sequence, at }) => sequence > seen && at >= since);
      added.push(...unseen.filter(({ action }) => action === 'admin.sign-in-failed').map(({ at }) => at));
      newest = Math.max(newest, records[0]?.sequence ?? 0);
      before = records.at(-1)?.sequence;
      if (unseen.length < PAGE) break;
    }
    seen = newest;
    failures = [...failures, ...added].filter((at) => at >= since);
    return failures.length;
  };
}
