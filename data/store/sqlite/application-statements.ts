import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { cardApplications, submissionEvents, verificationRequests } from './application-schema.ts';
import { asc, eq, sql } from './drizzle.ts';

const value = (name: string) => sql.placeholder(name);

/** The prepared statements about what people apply and ask for. */
export function prepareApplicationStatements(db: BetterSQLite3Database) {
  const byReference = { referenceNumber: value('referenceNumber') };
  return {
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
