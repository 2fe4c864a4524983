import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { BacklogStore } from '../backlog-port.ts';
import { cardApplications, verificationRequests } from './application-schema.ts';
import { deliveries } from './delivery-schema.ts';
import { count, desc, eq, or, sql } from './drizzle.ts';
import { loanApplications } from './loan-schema.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';

/** Where nobody has decided yet. */
const UNDECIDED = ['received', 'in-review'] as const;

/** The part of `app.db` that tells what waits for the team. */
export function openBacklog(client: Database.Database, db: BetterSQLite3Database): BacklogStore {
  const applications = db
    .select({ waiting: count() })
    .from(cardApplications)
    .where(or(...UNDECIDED.map((status) => eq(cardApplications.status, status))))
    .prepare();
  const requests = db
    .select({ waiting: count() })
    .from(verificationRequests)
    .where(eq(verificationRequests.status, 'received'))
    .prepare();
  const loans = db
    .select({ waiting: count() })
    .from(loanApplications)
    .where(or(...UNDECIDED.map((status) => eq(loanApplications.status, status))))
    .prepare();
  const dead = db
    .select({
      referenceNumber: deliveries.referenceNumber,
      channel: deliveries.channel,
      finishedAt: deliveries.finishedAt,
    })
    .from(deliveries)
    .where(eq(deliveries.state, 'dead'))
    .orderBy(desc(deliveries.finishedAt))
    .limit(sql.placeholder('limit'))
    .prepare();
  const work = <T>(call: () => T): Promise<T> => inStore(client, APP_FILE, call);
  return {
    waitingDecisions: () =>
      work(() => ({
        cardApplications: applications.get()?.waiting ?? 0,
        verificationRequests: requests.get()?.waiting ?? 0,
        loanApplications: loans.get()?.waiting ?? 0,
      })),
    deadDeliveries: (limit) => work(() => dead.all({ limit: Math.max(0, limit) })),
  };
}
