import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { deliveries, deliveryAttempts } from './delivery-schema.ts';
import { and, asc, count, desc, eq, lte, or, sql } from './drizzle.ts';

const value = (name: string) => sql.placeholder(name);
/** Where a statement sets what it is given: Drizzle takes placeholders there as SQL alone. */
const given = (name: string) => sql`${value(name)}`;

const UNSENT = ['waiting', 'leased', 'dead'] as const;
type UnsentState = (typeof UNSENT)[number];

const LEASED = {
  id: deliveries.id,
  event: deliveries.event,
  referenceNumber: deliveries.referenceNumber,
  channel: deliveries.channel,
  audience: deliveries.audience,
  recipient: deliveries.recipient,
  messageId: deliveries.messageId,
  attemptCount: deliveries.attemptCount,
  fence: deliveries.fence,
  createdAt: deliveries.createdAt,
};

/** The prepared statements about deliveries and their attempts. */
export function prepareDeliveryStatements(db: BetterSQLite3Database) {
  const isHeld = and(
    eq(deliveries.id, value('id')),
    eq(deliveries.fence, value('fence')),
    eq(deliveries.state, 'leased'),
  );
  const isWaitingIn = and(eq(deliveries.state, 'waiting'), eq(deliveries.channel, value('channel')));
  return {
    due: db
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(and(isWaitingIn, lte(deliveries.nextAttemptAt, value('now'))))
      // Of those due at one moment the first queued: as the index has them, so that no backlog is sorted for a few.
      .orderBy(asc(deliveries.nextAttemptAt), sql`rowid`)
      .limit(value('limit'))
      .prepare(),
    lease: db
      .update(deliveries)
      .set({ state: 'leased', leasedUntil: given('leasedUntil'), fence: sql`${deliveries.fence} + 1` })
      .where(eq(deliveries.id, value('id')))
      .returning(LEASED)
      .prepare(),
    leasesEndedBy: db
      .select({ ...LEASED, leasedUntil: sql<number>`${deliveries.leasedUntil}` })
      .from(deliveries)
      .where(and(eq(deliveries.state, 'leased'), lte(deliveries.leasedUntil, value('moment'))))
      .orderBy(asc(deliveries.createdAt))
      .prepare(),
    finish: db
      .update(deliveries)
      .set({
        state: given('state'),
        attemptCount: sql`${deliveries.attemptCount} + 1`,
        leasedUntil: null,
        finishedAt: given('at'),
      })
      .where(isHeld)
      .prepare(),
    putOff: db
      .update(deliveries)
      .set({
        state: 'waiting',
        attemptCount: sql`${deliveries.attemptCount} + ${value('counted')}`,
        leasedUntil: null,
        nextAttemptAt: given('nextAttemptAt'),
      })
      .where(isHeld)
      .prepare(),
    release: db.update(deliveries).set({ state: 'waiting', leasedUntil: null }).where(isHeld).prepare(),
    addAttempt: db
      .insert(deliveryAttempts)
      .values({
        id: value('id'),
        deliveryId: value('deliveryId'),
        at: value('at'),
        outcome: value('outcome'),
        providerId: value('providerId'),
        code: value('code'),
        error: value('error'),
        maskedRecipient: value('maskedRecipient'),
        latencyMs: value('latencyMs'),
      })
      .prepare(),
    nextDue: db
      .select({ at: deliveries.nextAttemptAt })
      .from(deliveries)
      .where(isWaitingIn)
      .orderBy(asc(deliveries.nextAttemptAt))
      .limit(1)
      .prepare(),
    depths: db
      .select({
        channel: deliveries.channel,
        state: sql<UnsentState>`${deliveries.state}`,
        deliveries: count(),
      })
      .from(deliveries)
      // Those that were sent grow without end, and counting them would cost more with each.
      .where(or(...UNSENT.map((state) => eq(deliveries.state, state))))
      .groupBy(deliveries.channel, deliveries.state)
      .prepare(),
    attempts: db
      .select({
        id: deliveryAttempts.id,
        deliveryId: deliveryAttempts.deliveryId,
        event: deliveries.event,
        referenceNumber: deliveries.referenceNumber,
        channel: deliveries.channel,
        audience: deliveries.audience,
        at: deliveryAttempts.at,
        outcome: deliveryAttempts.outcome,
        providerId: deliveryAttempts.providerId,
        code: deliveryAttempts.code,
        error: deliveryAttempts.error,
        maskedRecipient: deliveryAttempts.maskedRecipient,
        latencyMs: deliveryAttempts.latencyMs,
      })
      .from(deliveryAttempts)
      .innerJoin(deliveries, eq(deliveries.id, deliveryAttempts.deliveryId))
      .orderBy(desc(deliveryAttempts.sequence))
      .limit(value('limit'))
      .prepare(),
    ofReference: db
      .select({
        ...LEASED,
        state: deliveries.state,
        nextAttemptAt: deliveries.nextAttemptAt,
        finishedAt: deliveries.finishedAt,
      })
      .from(deliveries)
      .where(eq(deliveries.referenceNumber, value('referenceNumber')))
      .orderBy(asc(deliveries.channel), asc(deliveries.audience))
      .prepare(),
  };
}
