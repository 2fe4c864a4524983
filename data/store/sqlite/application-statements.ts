import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import {
  cardApplications,
  idempotentAnswers,
  submissionEvents,
  verificationRequests,
} from './application-schema.ts';
import { and, asc, count, eq, gte, lt, sql } from './drizzle.ts';

const value = (name: string) => sql.placeholder(name);

function countSince(db: BetterSQLite3Database, table: typeof cardApplications | typeof verificationRequests) {
  return db
    .select({ rows: count() })
    .from(table)
    .where(
      and(
        gte(table.createdAt, value('since')),
        // Of the mailbox, not of the address: one mailbox has as many addresses as its owner likes.
        eq(sql`mailbox_of(${table.email})`, value('mailbox')),
      ),
    )
    .prepare();
}

/** The prepared statements about what people apply and ask for. */
export function prepareApplicationStatements(db: BetterSQLite3Database) {
  const byReference = { referenceNumber: value('referenceNumber') };
  return {
    answerOf: db
      .select({ bodyHash: idempotentAnswers.bodyHash, answer: idempotentAnswers.answer })
      .from(idempotentAnswers)
      .where(eq(idempotentAnswers.keyHash, value('keyHash')))
      .prepare(),
    keepAnswer: db
      .insert(idempotentAnswers)
      .values({
        keyHash: value('keyHash'),
        bodyHash: value('bodyHash'),
        answer: value('answer'),
        createdAt: value('at'),
      })
      .prepare(),
    forgetAnswers: db
      .delete(idempotentAnswers)
      .where(lt(idempotentAnswers.createdAt, value('before')))
      .prepare(),
    applicationsSince: countSince(db, cardApplications),
    requestsSince: countSince(db, verificationRequests),
    addApplication: db
      .insert(cardApplications)
      .values({
        id: value('id'),
        ...byReference,
        shape: value('shape'),
        name: value('name'),
        email: value('email'),
        phone: value('phone'),
        telegram: value('telegram'),
        alias: value('alias'),
        notes: value('notes'),
        walletAddress: value('walletAddress'),
        statedAmount: value('statedAmount'),
        statedTier: value('statedTier'),
        // As text or null: the column's own type takes no null through a bound value.
        checkedAmount: sql`${value('checkedAmount')}`,
        checkedTier: value('checkedTier'),
        checkedAt: value('checkedAt'),
        isOwnershipProven: value('isOwnershipProven'),
        status: 'received',
        createdAt: value('createdAt'),
        changedAt: value('createdAt'),
      })
      .prepare(),
    addRequest: db
      .insert(verificationRequests)
      .values({
        id: value('id'),
        ...byReference,
        walletAddress: value('walletAddress'),
        email: value('email'),
        telegram: value('telegram'),
        claimedAmount: value('claimedAmount'),
        reason: value('reason'),
        evidence: value('evidence'),
        statedDetection: value('statedDetection'),
        checkedDetection: value('checkedDetection'),
        requestedAt: value('requestedAt'),
        isOwnershipProven: value('isOwnershipProven'),
        status: 'received',
        createdAt: value('createdAt'),
        changedAt: value('createdAt'),
      })
      .prepare(),
    addEvent: db
      .insert(submissionEvents)
      .values({ ...byReference, at: value('at'), status: 'received' })
      .prepare(),
    application: db
      .select()
      .from(cardApplications)
      .where(eq(cardApplications.referenceNumber, value('referenceNumber')))
      .prepare(),
    request: db
      .select()
      .from(verificationRequests)
      .where(eq(verificationRequests.referenceNumber, value('referenceNumber')))
      .prepare(),
    events: db
      .select({ at: submissionEvents.at, status: submissionEvents.status, note: submissionEvents.note })
      .from(submissionEvents)
      .where(eq(submissionEvents.referenceNumber, value('referenceNumber')))
      .orderBy(asc(submissionEvents.sequence))
      .prepare(),
  };
}
export type ApplicationStatements = ReturnType<typeof prepareApplicationStatements>;
