import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { AfterAttempt, DeliveryAttempt, DeliveryStore, LeasedDelivery } from '../delivery-port.ts';
import { rowId } from '../row-id.ts';
import { prepareDeliveryStatements } from './delivery-statements.ts';
import type { GroupCommit } from './group-commit.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';

type Claim = Parameters<DeliveryStore['claimDue']>[0];
type Lease = Pick<LeasedDelivery, 'id' | 'fence'>;

/** The part of `app.db` that holds deliveries. `onQueued` tells of those that other parts queue. */
export function openDeliveries(
  client: Database.Database,
  db: BetterSQLite3Database,
  onQueued: DeliveryStore['onQueued'],
  group: GroupCommit,
): DeliveryStore {
  const rows = prepareDeliveryStatements(db);

  const claim = ({ channel, now, leasedUntil, limit }: Claim): readonly LeasedDelivery[] =>
    rows.due.all({ channel, now, limit }).flatMap(({ id }) => rows.lease.all({ id, leasedUntil }));

  const record = (
    { id, fence }: Lease,
    attempt: DeliveryAttempt,
    after: AfterAttempt,
  ): 'recorded' | 'stale' => {
    const { changes } =
      after.state === 'waiting'
        ? rows.putOff.run({ id, fence, nextAttemptAt: after.nextAttemptAt, counted: Number(after.counts) })
        : rows.finish.run({ id, fence, state: after.state, at: attempt.at });
    if (changes === 0) return 'stale';
    rows.addAttempt.run({ ...attempt, id: rowId(attempt.at), deliveryId: id });
    return 'recorded';
  };

  const work = <T>(call: () => T): Promise<T> => inStore(client, APP_FILE, call);
  return {
    claimDue: (terms) => group.run(() => (terms.limit > 0 ? claim(terms) : [])),
    leasesEndedBy: (moment) => work(() => rows.leasesEndedBy.all({ moment })),
    recordAttempt: (lease, attempt, after) => group.run(() => record(lease, attempt, after)),
    release: (lease) =>
      work(() => {
        rows.release.run({ id: lease.id, fence: lease.fence });
      }),
    nextDueAt: (channel) => work(() => rows.nextDue.get({ channel })?.at ?? null),
    depths: () => work(() => rows.depths.all()),
    attempts: (limit) => work(() => rows.attempts.all({ limit: Math.max(0, limit) })),
    deliveriesOf: (referenceNumber) => work(() => rows.ofReference.all({ referenceNumber })),
    onQueued,
  };
}
