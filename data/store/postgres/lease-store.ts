import type { HeldLease, LeaseStore } from '../lease-port.ts';
import type { Database } from './database.ts';

/** Leases are rows, because an advisory lock would belong to a session, which a pooler shares between programs. */
export function openLeases({ get, run, statement }: Database): LeaseStore {
  // Not `now()`, which is the start of the transaction: the statement may have waited for another transaction since then.
  const expirySql = (parameter: string) =>
    `clock_timestamp() + ${parameter}::double precision * interval '1 millisecond'`;
  const statements = {
    take: statement<Pick<HeldLease, 'fence'>>(`
      insert into $.leases as lease (name, holder, fence, "expiresAt") values ($1, $2, 1, ${expirySql('$3')})
      on conflict (name) do update set holder = excluded.holder, fence = lease.fence + 1, "expiresAt" = ${expirySql('$3')}
      where lease."expiresAt" <= clock_timestamp() or lease.holder = excluded.holder
      returning fence`),
    renew: statement(
      `update $.leases set "expiresAt" = ${expirySql('$3')} where name = $1 and fence = $2 and holder = $4`,
    ),
    release: statement(
      `update $.leases set "expiresAt" = '-infinity' where name = $1 and fence = $2 and holder = $3`,
    ),
  };
  return {
    async take(name, holder, durationMs) {
      const lease = await get(statements.take, name, holder, durationMs);
      return lease && { ...lease, holder };
    },
    renew: async (name, { fence, holder }, durationMs) =>
      (await run(statements.renew, name, fence, durationMs, holder)) > 0,
    async release(name, { fence, holder }) {
      await run(statements.release, name, fence, holder);
    },
  };
}
