import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { RemoteCopies } from './remote-copies.ts';

/** @param copies null if backups stay on this machine */
export function registerRemoteCopyMetrics(
  copies: RemoteCopies | null,
  { registry, now }: { readonly registry: Registry; readonly now: () => number },
): void {
  new Gauge({
    name: 'portal_backup_remote_age_seconds',
    help: 'Age of the newest backup that was copied elsewhere; +Inf if none was, no value if remote copies are not configured.',
    registers: [registry],
    collect() {
      this.reset();
      this.remove();
      if (copies === null) return;
      const { newestAt } = copies.state();
      this.set(newestAt === null ? Number.POSITIVE_INFINITY : (now() - newestAt) / 1_000);
    },
  });
  const failures = new Counter({
    name: 'portal_backup_remote_failures_total',
    help: 'Failed attempts to copy a backup elsewhere.',
    registers: [registry],
  });
  copies?.onFailure(() => failures.inc());
}
