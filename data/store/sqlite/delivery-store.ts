import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type {
  AfterAttempt,
  ConfirmationLimits,
  DeliveryAttempt,
  DeliveryStore,
  LeasedDelivery,
} from '../delivery-port.ts';
import { rowId } from '../row-id.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import { domainOf, isConfirmation, type QueuedDelivery, queuedRow } from '../rules/receipts.ts';
import { answerNotice, isAnswer } from '../rules/subscriptions.ts';
import { deliveries, deliveryAttempts } from './app-schema.ts';
import {
  and,
  asc,
  count,
  desc,
  eq,
  equals,
  getTableColumns,
  gte,
  lte,
  newValue,
  or,
  rowValues,
  sql,
  value,
} from './drizzle.ts';
import type { GroupCommit } from './group-commit.ts';
import { APP_FILE, inStore } from './store-files.ts';

const UNSENT = ['waiting', 'leased', 'dead'] as const;
type UnsentState = (typeof UNSENT)[number];

function prepareStatements(db: BetterSQLite3Database) {
  const { id, event, referenceNumber, channel, audience, recipient, messageId, attemptCount } = deliveries;
  const { fence, createdAt, state, nextAttemptAt, finishedAt } = deliveries;
  const message = { id, event, referenceNumber, channel, audience, recipient, messageId };
  const leased = { ...message, attemptCount, fence, createdAt };
  const isLeased = and(equals(id, 'id'), equals(fence, 'fence'), eq(state, 'leased'));
  const isWaiting = and(eq(state, 'waiting'), equals(channel, 'channel'));
  const { sequence, ...attempt } = getTableColumns(deliveryAttempts);
  return {
    due: db
      .select({ id, event, audience, recipient })
      .from(deliveries)
      .where(and(isWaiting, lte(nextAttemptAt, value('now'))))
      // The same order as in the index, so that a backlog need not be sorted.
      .orderBy(asc(nextAttemptAt), sql`rowid`)
      .limit(value('limit'))
      .prepare(),
    lease: db
      .update(deliveries)
      .set({ state: 'leased', leasedUntil: newValue('leasedUntil'), fence: sql`${fence} + 1` })
      .where(equals(id, 'id'))
      .returning(leased)
      .prepare(),
    expiredLeases: db
      .select({ ...leased, leasedUntil: sql<number>`${deliveries.leasedUntil}` })
      .from(deliveries)
      .where(and(eq(state, 'leased'), lte(deliveries.leasedUntil, value('moment'))))
      .orderBy(asc(createdAt))
      .prepare(),
    finish: db
      .update(deliveries)
      .set({
        state: newValue('state'),
        attemptCount: sql`${attemptCount} + 1`,
        leasedUntil: null,
        finishedAt: newValue('at'),
      })
      .where(isLeased)
      .prepare(),
    reschedule: db
      .update(deliveries)
      .set({
        state: 'waiting',
        attemptCount: sql`${attemptCount} + ${value('counted')}`,
        leasedUntil: null,
        nextAttemptAt: newValue('nextAttemptAt'),
      })
      .where(isLeased)
      .prepare(),
    postpone: db
      .update(deliveries)
      .set({ nextAttemptAt: newValue('until') })
      .where(equals(id, 'id'))
      .prepare(),
    attemptedSince: db
      .selectDistinct({ id, event, audience, recipient, at: deliveryAttempts.at })
      .from(deliveryAttempts)
      .innerJoin(deliveries, eq(id, deliveryAttempts.deliveryId))
      .where(and(gte(deliveryAttempts.at, value('since')), eq(audience, 'applicant')))
      .prepare(),
    release: db.update(deliveries).set({ state: 'waiting', leasedUntil: null }).where(isLeased).prepare(),
    addAttempt: db.insert(deliveryAttempts).values(rowValues(deliveryAttempts, 'sequence')).prepare(),
    nextDue: db
      .select({ at: nextAttemptAt })
      .from(deliveries)
      .where(isWaiting)
      .orderBy(asc(nextAttemptAt))
      .limit(1)
      .prepare(),
    depths: db
      .select({ channel, state: sql<UnsentState>`${state}`, deliveries: count() })
      .from(deliveries)
      // Sent deliveries are never deleted, so counting them would get slower with each one.
      .where(or(...UNSENT.map((unsent) => eq(state, unsent))))
      .groupBy(channel, state)
      .prepare(),
    attempts: db
      .select({ ...attempt, event, referenceNumber, channel, audience })
      .from(deliveryAttempts)
      .innerJoin(deliveries, eq(id, deliveryAttempts.deliveryId))
      .orderBy(desc(sequence))
      .limit(value('limit'))
      .prepare(),
    ofReference: db
      .select({ ...leased, state, nextAttemptAt, finishedAt })
      .from(deliveries)
      .where(equals(referenceNumber, 'referenceNumber'))
      .orderBy(asc(channel), asc(audience))
      .prepare(),
    dead: db
      .select({ referenceNumber, channel, finishedAt })
      .from(deliveries)
      .where(eq(state, 'dead'))
      .orderBy(desc(finishedAt))
      .limit(value('limit'))
      .prepare(),
  };
}

export type QueueDelivery = (delivery: QueuedDelivery, at: number) => void;

/**
 * Queues a delivery that is due immediately, in the transaction of the event that it reports. An email that answers a record is
 * also reported to the applicant's chat, if there is one.
 * @throws when the event is already queued for that channel and audience.
 */
export function prepareDeliveryQueue(
  client: Database.Database,
  db: BetterSQLite3Database,
  signal: Pick<QueueSignal, 'announce'>,
): QueueDelivery {
  const { id, event, referenceNumber, channel, audience, recipient, messageId, ...row } =
    rowValues(deliveries);
  const message = { id, event, referenceNumber, channel, audience, recipient, messageId };
  const times = { nextAttemptAt: row.nextAttemptAt, createdAt: row.createdAt };
  const add = db
    .insert(deliveries)
    .values({ ...message, ...times, state: 'waiting', attemptCount: 0, fence: 0 })
    .prepare();
  const chatOf = client
    .prepare<[string], string>(
      "select target from subscriptions where subject = ? and about = 'record' and endedAt is null and target is not null",
    )
    .pluck();
  return (delivery, at) => {
    add.run(queuedRow(delivery, at));
    const chatId = isAnswer(delivery) ? chatOf.get(delivery.referenceNumber) : undefined;
    if (chatId !== undefined) add.run(queuedRow(answerNotice(delivery, chatId), at));
    signal.announce();
  };
}

type DueDelivery = Pick<LeasedDelivery, 'id' | 'event' | 'audience' | 'recipient'>;

type Claim = Parameters<DeliveryStore['claimDue']>[0];
type Lease = Pick<LeasedDelivery, 'id' | 'fence'>;

/** The part of `app.db` for deliveries. */
export function openDeliveries(
  client: Database.Database,
  db: BetterSQLite3Database,
  onQueued: DeliveryStore['onQueued'],
  group: GroupCommit,
): DeliveryStore {
  const statements = prepareStatements(db);

  /** Attempted confirmations by delivery, read once: only this process writes to the store. */
  let attempted: Map<string, { readonly at: number; readonly domain: string }> | undefined;

  /** Whether a confirmation stays within the limits. If so, counts it as attempted. A retry is not counted again. */
  function mayConfirm({ id, recipient }: DueDelivery, now: number, limits: ConfirmationLimits): boolean {
    const { since, ofDomain, inAll } = limits;
    attempted ??= new Map(
      statements.attemptedSince
        .all({ since })
        .filter(isConfirmation)
        .map((earlier) => [earlier.id, { at: earlier.at, domain: domainOf(earlier.recipient) }]),
    );
    for (const [earlier, { at }] of attempted) if (at < since) attempted.delete(earlier);
    if (attempted.has(id)) return true;
    const domain = domainOf(recipient);
    const toDomain = [...attempted.values()].filter((one) => one.domain === domain).length;
    if (attempted.size >= inAll || toDomain >= ofDomain) return false;
    attempted.set(id, { at: now, domain });
    return true;
  }

  function claim({ channel, now, leasedUntil, limit, confirmations }: Claim): readonly LeasedDelivery[] {
    const leased: LeasedDelivery[] = [];
    while (leased.length < limit) {
      const due = statements.due.all({ channel, now, limit: limit - leased.length });
      if (due.length === 0) break;
      for (const delivery of due) {
        const { id } = delivery;
        if (confirmations && isConfirmation(delivery) && !mayConfirm(delivery, now, confirmations)) {
          statements.postpone.run({ id, until: confirmations.postponedUntil });
        } else {
          leased.push(...statements.lease.all({ id, leasedUntil }));
        }
      }
    }
    return leased;
  }

  const record = (
    { id, fence }: Lease,
    attempt: DeliveryAttempt,
    after: AfterAttempt,
  ): 'recorded' | 'stale' => {
    const { changes } =
      after.state === 'waiting'
        ? statements.reschedule.run({ ...after, id, fence, counted: Number(after.counts) })
        : statements.finish.run({ id, fence, state: after.state, at: attempt.at });
    if (changes === 0) return 'stale';
    statements.addAttempt.run({ ...attempt, id: rowId(attempt.at), deliveryId: id });
    return 'recorded';
  };

  const run = <T>(work: () => T): Promise<T> => inStore(client, APP_FILE, work);
  return {
    claimDue: (options) => group.run(() => (options.limit > 0 ? claim(options) : [])),
    expiredLeases: (moment) => run(() => statements.expiredLeases.all({ moment })),
    recordAttempt: (lease, attempt, after) => group.run(() => record(lease, attempt, after)),
    release: (lease) => run(() => void statements.release.run({ id: lease.id, fence: lease.fence })),
    nextDueAt: (channel) => run(() => statements.nextDue.get({ channel })?.at ?? null),
    depths: () => run(() => statements.depths.all()),
    dead: (limit) => run(() => statements.dead.all({ limit: Math.max(0, limit) })),
    attempts: (limit) => run(() => statements.attempts.all({ limit: Math.max(0, limit) })),
    deliveriesOf: (referenceNumber) => run(() => statements.ofReference.all({ referenceNumber })),
    onQueued,
  };
}
