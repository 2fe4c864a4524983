import type { SetupLinks } from '../setup-link-port.ts';
import type { Database } from './database.ts';

/** The links that replicas offer until the first admin exists. */
export function openSetupLinks({ get, run, statement }: Database): SetupLinks {
  const statements = {
    sweep: statement('delete from $.setup_links where "expiresAt" <= clock_timestamp()'),
    offer: statement(
      `insert into $.setup_links (digest, "expiresAt") values ($1, clock_timestamp() + interval '1 day') on conflict do nothing`,
    ),
    offered: statement('select from $.setup_links where digest = $1 and "expiresAt" > clock_timestamp()'),
  };
  return {
    async offer(digest) {
      await run(statements.sweep);
      await run(statements.offer, digest);
    },
    isOffered: async (digest) => (await get(statements.offered, digest)) !== null,
  };
}
