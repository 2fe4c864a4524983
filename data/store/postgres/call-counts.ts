import { createHash } from 'node:crypto';
import type { CallCount, CallCounts } from '../call-count-port.ts';
import { type Database, SERVER_NOW } from './database.ts';

const SWEEP_INTERVAL_MS = 60_000;

export const DELETE_ENDED_COUNTS = `delete from $.call_counts where "endsAt" <= ${SERVER_NOW}`;

/** Call counts, shared by all replicas. */
export function openCallCounts(db: Database): CallCounts {
  const add = db.statement<CallCount>(`
    insert into $.call_counts as counted ("keyHash", calls, "endsAt") values ($1, 1, ${SERVER_NOW} + $2)
    on conflict ("keyHash") do update set
      calls = case when counted."endsAt" <= ${SERVER_NOW} then 1 else counted.calls + 1 end,
      "endsAt" = case when counted."endsAt" <= ${SERVER_NOW} then excluded."endsAt" else counted."endsAt" end
    returning calls, "endsAt" - ${SERVER_NOW} as "endsInMs"`);
  const sweep = db.statement(DELETE_ENDED_COUNTS);
  let sweptAt = performance.now();
  return {
    async add(key, windowMs) {
      const count = await db.get(add, createHash('sha256').update(key).digest('hex'), windowMs);
      if (performance.now() - sweptAt >= SWEEP_INTERVAL_MS) {
        sweptAt = performance.now();
        // A failed deletion does not matter: the call has been counted, and an hourly job also deletes old counts.
        db.run(sweep).catch(() => {});
      }
      if (count === null) throw new Error('The statement that counts a call returned no row.');
      return count;
    },
  };
}
