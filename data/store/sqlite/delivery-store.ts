import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { DeliveryState } from '../../model/delivery-states.ts';
import type {
  ConfirmationLimits,
  DeliveryAttempt,
  DeliveryStore,
  LeasedDelivery,
  StateAfterAttempt,
} from '../delivery-port.ts';
import { rowId } from '../row-id.ts';
import { isOutdatedSql } from '../rules/decision-messages.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import { domainOf, isConfirmation, type QueuedDelivery, queuedRow } from '../rules/received-submission.ts';
import { answerNotices, isAnswer, type NoticeChat, noticeChatsSql } from '../rules/subscriptions.ts';
import { deliveries, deliveryAttempts } from './app-schema.ts';
import {
  and,
  asc,
  count,
  desc,
  eq,
  equalsLiteral,
  equalsPlaceholder,
  getTableColumns,
  gte,
  lte,
  or,
  placeholder,
  placeholderSql,
  rowPlaceholders,
  sql,
} from './drizzle.ts';
import type { GroupCommit } from './group-commit.ts';
import { APP_FILE, runInStore } from './store-files.ts';

const UNSENT_STATES = ['waiting', 'leased', 'dead'] as const;
type UnsentState = (typeof UNSENT_STATES)[number];

function prepareStatements(db: BetterSQLite3Database) {
  const { id, event, referenceNumber, channel, audience, recipient, messageId, attemptCount } = deliveries;
  const { fence, createdAt, state, nextAttemptAt, finishedAt } = deliveries;
  const messageColumns = { id, event, referenceNumber, channel, audience, recipient, messageId };
  const leasedColumns = { ...messageColumns, attemptCount, fence, createdAt };
  const isIn = (name: DeliveryState) => equalsLiteral(state, name);
  const isLeased = and(equalsPlaceholder(id, 'id'), equalsPlaceholder(fence, 'fence'), isIn('leased'));
  const isWaiting = and(isIn('waiting'), equalsPlaceholder(channel, 'channel'));
  const { sequence, ...attempt } = getTableColumns(deliveryAttempts);
  return {
    due: db
      .select({ id, event, audience, recipient, isOutdated: sql<number>`${sql.raw(isOutdatedSql(''))}` })
      .from(deliveries)
      .where(and(isWaiting, lte(nextAttemptAt, placeholder('now'))))
      // The order of the index, so that SQLite need not sort a backlog.
      .orderBy(asc(nextAttemptAt), sql`rowid`)
      .limit(placeholder('limit'))
      .prepare(),
    lease: db
      .update(deliveries)
      .set({ state: 'leased', leasedUntil: placeholderSql('leasedUntil'), fence: sql`${fence} + 1` })
      .where(equalsPlaceholder(id, 'id'))
      .returning(leasedColumns)
      .prepare(),
    settle: db.update(deliveries).set({ state: 'settled' }).where(equalsPlaceholder(id, 'id')).prepare(),
    expiredLeases: db
      .select({ ...leasedColumns, leasedUntil: sql<number>`${deliveries.leasedUntil}` })
      .from(deliveries)
      .where(and(isIn('leased'), lte(deliveries.leasedUntil, placeholder('moment'))))
      .orderBy(asc(createdAt))
      .prepare(),
    finish: db
      .update(deliveries)
      .set({
        state: sql`case when ${placeholder('state')} = 'dead' and ${sql.raw(isOutdatedSql(''))} then 'settled' else ${placeholder('state')} end`,
        attemptCount: sql`${attemptCount} + 1`,
        leasedUntil: null,
        finishedAt: placeholderSql('at'),
      })
      .where(isLeased)
      .prepare(),
    reschedule: db
      .update(deliveries)
      .set({
        state: 'waiting',
        attemptCount: sql`${attemptCount} + ${placeholder('counted')}`,
        leasedUntil: null,
        nextAttemptAt: placeholderSql('nextAttemptAt'),
      })
      .where(isLeased)
      .prepare(),
    postpone: db
      .update(deliveries)
      .set({ nextAttemptAt: placeholderSql('until') })
      .where(equalsPlaceholder(id, 'id'))
      .prepare(),
    attemptedSince: db
      .selectDistinct({ id, event, audience, recipient, at: deliveryAttempts.at })
      .from(deliveryAttempts)
      .innerJoin(deliveries, eq(id, deliveryAttempts.deliveryId))
      .where(and(gte(deliveryAttempts.at, placeholder('since')), eq(audience, 'applicant')))
      .prepare(),
    release: db.update(deliveries).set({ state: 'waiting', leasedUntil: null }).where(isLeased).prepare(),
    addAttempt: db.insert(deliveryAttempts).values(rowPlaceholders(deliveryAttempts, 'sequence')).prepare(),
    nextDue: db
      .select({ at: nextAttemptAt })
      .from(deliveries)
      .where(isWaiting)
      .orderBy(asc(nextAttemptAt))
      .limit(1)
      .prepare(),
    queueDepths: db
      .select({ channel, state: sql<UnsentState>`${state}`, deliveries: count() })
      .from(deliveries)
      // Sent deliveries are never deleted, so counting them would get slower with each one.
      .where(or(...UNSENT_STATES.map(isIn)))
      .groupBy(channel, state)
      .prepare(),
    attempts: db
      .select({ ...attempt, event, referenceNumber, channel, audience })
      .from(deliveryAttempts)
      .innerJoin(deliveries, eq(id, deliveryAttempts.deliveryId))
      .orderBy(desc(sequence))
      .limit(placeholder('limit'))
      .prepare(),
    ofReference: db
      .select({ ...leasedColumns, state, nextAttemptAt, finishedAt })
      .from(deliveries)
      .where(equalsPlaceholder(referenceNumber, 'referenceNumber'))
      .orderBy(asc(channel), asc(audience))
      .prepare(),
    listDead: db
      .select({ referenceNumber, channel, finishedAt })
      .from(deliveries)
      .where(isIn('dead'))
      .orderBy(desc(finishedAt))
      .limit(placeholder('limit'))
      .prepare(),
  };
}

export type QueueDelivery = (delivery: QueuedDelivery, at: number) => void;

/**
 * Prepares a function that queues a delivery, to be called in the transaction of the event that the delivery reports. The
 * delivery is due `delivery.delayMs` after `at`. If it is an email that answers an applicant, a notice is also queued for
 * each chat that is linked to the record. The function throws when the event is already queued for that channel and audience.
 */
export function prepareDeliveryQueue(
  client: Database.Database,
  signal: Pick<QueueSignal, 'announce'>,
): QueueDelivery {
  const add = client.prepare<[ReturnType<typeof queuedRow>]>(`
    insert into deliveries (id, event, referenceNumber, channel, audience, recipient, messageId, state, attemptCount,
      nextAttemptAt, fence, createdAt)
    values (:id, :event, :referenceNumber, :channel, :audience, :recipient, :messageId, 'waiting', 0, :nextAttemptAt, 0,
      :createdAt)`);
  const chatsOf = client.prepare<[string], NoticeChat>(noticeChatsSql('', '= ?'));
  return (delivery, at) => {
    add.run(queuedRow(delivery, at));
    const chats = isAnswer(delivery) ? chatsOf.all(delivery.referenceNumber) : [];
    for (const notice of answerNotices(delivery, chats)) add.run(queuedRow(notice, at));
    signal.announce();
  };
}

type DueDelivery = Pick<LeasedDelivery, 'id' | 'event' | 'audience' | 'recipient'>;

type Claim = Parameters<DeliveryStore['claimDue']>[0];
type Lease = Pick<LeasedDelivery, 'id' | 'fence'>;

export function openDeliveries(
  client: Database.Database,
  db: BetterSQLite3Database,
  onQueued: DeliveryStore['onQueued'],
  group: GroupCommit,
): DeliveryStore {
  const statements = prepareStatements(db);

  /**
   * The confirmation emails attempted since `limits.since`, by delivery id. Read from the store only once, because no other
   * process writes to it.
   */
  let attemptedConfirmations: Map<string, { readonly at: number; readonly domain: string }> | undefined;

  /**
   * Returns whether the limits allow an attempt to send a confirmation email. If so, counts the attempt. A retry is always
   * allowed and is not counted again.
   */
  function countIfWithinLimits(
    { id, recipient }: DueDelivery,
    now: number,
    limits: ConfirmationLimits,
  ): boolean {
    const { since, perDomain, total } = limits;
    attemptedConfirmations ??= new Map(
      statements.attemptedSince
        .all({ since })
        .filter(isConfirmation)
        .map((earlier) => [earlier.id, { at: earlier.at, domain: domainOf(earlier.recipient) }]),
    );
    for (const [attemptedId, { at }] of attemptedConfirmations)
      if (at < since) attemptedConfirmations.delete(attemptedId);
    if (attemptedConfirmations.has(id)) return true;
    const domain = domainOf(recipient);
    const domainCount = [...attemptedConfirmations.values()].filter((one) => one.domain === domain).length;
    if (attemptedConfirmations.size >= total || domainCount >= perDomain) return false;
    attemptedConfirmations.set(id, { at: now, domain });
    return true;
  }

  function claim({ channel, now, leasedUntil, limit, confirmationLimits }: Claim): readonly LeasedDelivery[] {
    const leased: LeasedDelivery[] = [];
    while (leased.length < limit) {
      const dueDeliveries = statements.due.all({ channel, now, limit: limit - leased.length });
      if (dueDeliveries.length === 0) break;
      for (const delivery of dueDeliveries) {
        const { id } = delivery;
        if (delivery.isOutdated) statements.settle.run({ id });
        else if (
          confirmationLimits &&
          isConfirmation(delivery) &&
          !countIfWithinLimits(delivery, now, confirmationLimits)
        ) {
          statements.postpone.run({ id, until: confirmationLimits.postponedUntil });
        } else {
          leased.push(...statements.lease.all({ id, leasedUntil }));
        }
      }
    }
    return leased;
  }

  const recordAttempt = (
    { id, fence }: Lease,
    attempt: DeliveryAttempt,
    after: StateAfterAttempt,
  ): 'recorded' | 'stale' => {
    const { changes } =
      after.state === 'waiting'
        ? statements.reschedule.run({ ...after, id, fence, counted: Number(after.counts) })
        : statements.finish.run({ id, fence, state: after.state, at: attempt.at });
    if (changes === 0) return 'stale';
    statements.addAttempt.run({ ...attempt, id: rowId(attempt.at), deliveryId: id });
    return 'recorded';
  };

  const run = <T>(work: () => T): Promise<T> => runInStore(client, APP_FILE, work);
  return {
    claimDue: (options) => group.run(() => (options.limit > 0 ? claim(options) : [])),
    expiredLeases: (moment) => run(() => statements.expiredLeases.all({ moment })),
    recordAttempt: (lease, attempt, after) => group.run(() => recordAttempt(lease, attempt, after)),
    release: (lease) => run(() => void statements.release.run({ id: lease.id, fence: lease.fence })),
    nextDueAt: (channel) => run(() => statements.nextDue.get({ channel })?.at ?? null),
    queueDepths: () => run(() => statements.queueDepths.all()),
    listDead: (limit) => run(() => statements.listDead.all({ limit: Math.max(0, limit) })),
    attempts: (limit) => run(() => statements.attempts.all({ limit: Math.max(0, limit) })),
    deliveriesOf: (referenceNumber) => run(() => statements.ofReference.all({ referenceNumber })),
    onQueued,
  };
}
