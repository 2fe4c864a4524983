import { createHash } from 'node:crypto';
import type { CallCount, CallCounts } from '../call-count-port.ts';
import type { Database } from './database.ts';

/** Milliseconds between two deletions of counts whose window ended. */
const SWEEP_EVERY = 60_000;

/** The server's clock in Unix milliseconds, which is the same for all replicas. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Counts of calls that all replicas share. */
export function openCallCounts(db: Database): CallCounts {
  const add = db.statement<CallCount>(`
    insert into $.call_counts as counted ("keyHash", calls, "endsAt") values ($1, 1, ${NOW} + $2)
    on conflict ("keyHash") do update set
      calls = case when counted."endsAt" <= ${NOW} then 1 else counted.calls + 1 end,
      "endsAt" = case when counted."endsAt" <= ${NOW} then excluded."endsAt" else counted."endsAt" end
    returning calls, "endsAt" - ${NOW} as "endsIn"`);
  const sweep = db.statement(`delete from $.call_counts where "endsAt" <= ${NOW}`);
  let sweptAt = performance.now();
  return {
    async add(key, windowMs) {
      const count = await db.get(add, createHash('sha256').update(key).digest('hex'), windowMs);
      if (performance.now() - sweptAt >= SWEEP_EVERY) {
        sweptAt = performance.now();
        await db.run(sweep);
      }
      if (count === null) throw new Error('A count was not returned.');
      return count;
    },
  };
}
