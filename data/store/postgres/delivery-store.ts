import type {
  ConfirmationLimits,
  DeadDelivery,
  DeliveryAttempt,
  DeliveryDepth,
  DeliveryStore,
  LeasedDelivery,
  LoggedAttempt,
  StateAfterAttempt,
} from '../delivery-port.ts';
import { rowId } from '../row-id.ts';
import { isOutdatedSql } from '../rules/decision-messages.ts';
import { domainOf, isConfirmation } from '../rules/received-submission.ts';
import { rowCountingSql } from './count-changes.ts';
import { type Database, type Queries, SERVER_NOW } from './database.ts';

type DueRow = Pick<LeasedDelivery, 'id' | 'event' | 'audience' | 'recipient'>;
type Status = Awaited<ReturnType<DeliveryStore['deliveriesOf']>>[number];
type Claim = Parameters<DeliveryStore['claimDue']>[0];

/** The lock that transactions take to claim confirmation emails, so that several programs together do not exceed the limits. */
const CONFIRMATIONS_LOCK = 'confirmations';

const MESSAGE_COLUMNS = 'id, event, "referenceNumber", channel, audience, recipient, "messageId"';
const LEASED_COLUMNS = `${MESSAGE_COLUMNS}, "attemptCount", fence, "createdAt"`;
const IS_LEASED = `id = $1 and fence = $2 and state = 'leased'`;
/**
 * Added to the expiry time of each lease of a push message. The previous version of the program does not know the channel, and
 * would fail if such a lease expired. With this offset, that version sees an expiry time in the far future.
 */
const PUSH_LEASE_OFFSET = 2 ** 52;
/** SQL for the expiry time of a lease without the offset. Leases that were copied from SQLite have no offset. */
const LEASE_END = `"leasedUntil" % ${PUSH_LEASE_OFFSET}`;

function prepareStatements({ statement }: Database) {
  return {
    due: statement<DueRow & { readonly isOutdated: boolean }>(`
      select id, event, audience, recipient, ${isOutdatedSql('$.')} as "isOutdated" from $.deliveries
      where state = 'waiting' and channel = $1 and "nextAttemptAt" <= $2
      order by "nextAttemptAt", id limit $3 for update skip locked`),
    // Leases begin and end by the server's clock, because the clocks of the programs differ.
    lease: statement<LeasedDelivery>(`
      update $.deliveries set state = 'leased', "leasedUntil" = ${SERVER_NOW} + $2
        + case channel when 'push' then ${PUSH_LEASE_OFFSET} else 0 end, fence = fence + 1
      where id = any($1)
      returning ${LEASED_COLUMNS}`),
    settle: statement(`update $.deliveries set state = 'settled' where id = any($1)`),
    postpone: statement('update $.deliveries set "nextAttemptAt" = $2 where id = any($1)'),
    attemptedSince: statement<DueRow>(`
      select id, event, audience, recipient from $.deliveries
      where audience = 'applicant'
        and (state = 'leased' or id in (select "deliveryId" from $.delivery_attempts where at >= $1))`),
    expiredLeases: statement<LeasedDelivery & { leasedUntil: number }>(`
      select ${LEASED_COLUMNS}, ${LEASE_END} as "leasedUntil" from $.deliveries
      where state = 'leased' and ${LEASE_END} <= ${SERVER_NOW}
      order by "createdAt"`),
    finish: statement(
      rowCountingSql(
        'delivery',
        `update $.deliveries
         set state = case when $3 = 'dead' and ${isOutdatedSql('$.')} then 'settled' else $3 end,
           "attemptCount" = "attemptCount" + 1, "leasedUntil" = null, "finishedAt" = $4
         where ${IS_LEASED} returning state as status`,
        1,
      ),
    ),
    reschedule: statement(`
      update $.deliveries set state = 'waiting', "attemptCount" = "attemptCount" + $3, "leasedUntil" = null,
        "nextAttemptAt" = $4
      where ${IS_LEASED}`),
    release: statement(`update $.deliveries set state = 'waiting', "leasedUntil" = null where ${IS_LEASED}`),
    addAttempt: statement(
      rowCountingSql(
        'delivery-attempt',
        `insert into $.delivery_attempts
           (id, "deliveryId", at, outcome, "providerId", code, error, "maskedRecipient", "latencyMs")
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         returning case outcome when 'sent' then 'success' else 'failure' end as status`,
        1,
      ),
    ),
    nextDue: statement<{ at: number }>(`
      select "nextAttemptAt" as at from $.deliveries where state = 'waiting' and channel = $1
      order by "nextAttemptAt" limit 1`),
    // Sent deliveries are not counted: they are never deleted, so counting them would take longer and longer.
    queueDepths: statement<DeliveryDepth>(`
      select channel, state, count(*) as deliveries from $.deliveries where state <> 'sent' and state <> 'settled'
      group by channel, state order by channel, state`),
    listDead: statement<DeadDelivery>(`
      select "referenceNumber", channel, "finishedAt" from $.deliveries where state = 'dead'
      order by "finishedAt" desc nulls last limit $1`),
    attempts: statement<LoggedAttempt>(`
      select attempt.id, "deliveryId", at, outcome, "providerId", code, error, "maskedRecipient", "latencyMs",
        event, "referenceNumber", channel, audience
      from $.delivery_attempts attempt join $.deliveries delivery on delivery.id = "deliveryId"
      order by sequence desc limit $1`),
    ofReference: statement<Status>(`
      select ${LEASED_COLUMNS}, state, "nextAttemptAt", "finishedAt" from $.deliveries where "referenceNumber" = $1
      order by channel, audience`),
  };
}

export function openDeliveries(db: Database, onQueued: DeliveryStore['onQueued']): DeliveryStore {
  const statements = prepareStatements(db);

  /**
   * Returns a function that checks whether a due delivery is within the limits on confirmation emails. A delivery counts once,
   * however often it is attempted.
   */
  async function createLimitCheck(
    queries: Queries,
    dueRows: readonly DueRow[],
    { since, perDomain, total }: ConfirmationLimits,
  ): Promise<(delivery: DueRow) => boolean> {
    if (!dueRows.some(isConfirmation)) return () => true;
    const attemptedConfirmations = (await queries.all(statements.attemptedSince, since)).filter(
      isConfirmation,
    );
    const domains = new Map(attemptedConfirmations.map(({ id, recipient }) => [id, domainOf(recipient)]));
    return (delivery) => {
      const { id, recipient } = delivery;
      if (!isConfirmation(delivery) || domains.has(id)) return true;
      const domain = domainOf(recipient);
      const domainCount = [...domains.values()].filter((other) => other === domain).length;
      if (domains.size >= total || domainCount >= perDomain) return false;
      domains.set(id, domain);
      return true;
    };
  }

  const claim = ({ channel, now, leasedUntil, limit, confirmationLimits }: Claim) =>
    db.transaction(confirmationLimits ? [CONFIRMATIONS_LOCK] : [], async (transaction) => {
      const leased: LeasedDelivery[] = [];
      while (leased.length < limit) {
        const dueRows = await transaction.all(statements.due, channel, now, limit - leased.length);
        if (dueRows.length === 0) break;
        const isAllowed = confirmationLimits
          ? await createLimitCheck(transaction, dueRows, confirmationLimits)
          : () => true;
        const allowed: string[] = [];
        const postponed: string[] = [];
        const outdated: string[] = [];
        for (const delivery of dueRows)
          (delivery.isOutdated ? outdated : isAllowed(delivery) ? allowed : postponed).push(delivery.id);
        if (outdated.length > 0) await transaction.run(statements.settle, outdated);
        if (confirmationLimits && postponed.length > 0) {
          await transaction.run(statements.postpone, postponed, confirmationLimits.postponedUntil);
        }
        const claimed = await transaction.all(statements.lease, allowed, leasedUntil - now);
        // Sorted by due time, because the update returns the rows in no particular order.
        leased.push(...claimed.toSorted((one, other) => allowed.indexOf(one.id) - allowed.indexOf(other.id)));
      }
      return leased;
    });

  const recordAttempt = (
    { id, fence }: Pick<LeasedDelivery, 'id' | 'fence'>,
    attempt: DeliveryAttempt,
    after: StateAfterAttempt,
  ) =>
    db.transaction([], async (transaction) => {
      const changes =
        after.state === 'waiting'
          ? await transaction.run(statements.reschedule, id, fence, Number(after.counts), after.nextAttemptAt)
          : await transaction.run(statements.finish, id, fence, after.state, attempt.at);
      if (changes === 0) return 'stale';
      const { at, outcome, providerId, code, error, maskedRecipient, latencyMs } = attempt;
      const result = [outcome, providerId, code, error, maskedRecipient, latencyMs];
      await transaction.run(statements.addAttempt, rowId(at), id, at, ...result);
      return 'recorded';
    });

  return {
    claimDue: async (options) => (options.limit > 0 ? claim(options) : []),
    expiredLeases: () => db.all(statements.expiredLeases),
    recordAttempt,
    async release({ id, fence }) {
      await db.run(statements.release, id, fence);
    },
    nextDueAt: async (channel) => (await db.get(statements.nextDue, channel))?.at ?? null,
    queueDepths: () => db.all(statements.queueDepths),
    listDead: (limit) => db.all(statements.listDead, Math.max(0, limit)),
    attempts: (limit) => db.all(statements.attempts, Math.max(0, limit)),
    deliveriesOf: (referenceNumber) => db.all(statements.ofReference, referenceNumber),
    onQueued,
  };
}
