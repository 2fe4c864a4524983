import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { idempotentAnswers, referenceNumbers, submissionEvents } from './application-schema.ts';
import { and, count, eq, gte, lt, sql } from './drizzle.ts';

const value = (name: string) => sql.placeholder(name);

/** The prepared statements about what every submission brings with it, whatever its kind. */
export function prepareSubmissionStatements(db: BetterSQLite3Database) {
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
    sentSince: db
      .select({ rows: count() })
      .from(referenceNumbers)
      .where(
        and(eq(referenceNumbers.mailbox, value('mailbox')), gte(referenceNumbers.createdAt, value('since'))),
      )
      .prepare(),
    addEvent: db
      .insert(submissionEvents)
      .values({ referenceNumber: value('referenceNumber'), at: value('at'), status: 'received' })
      .prepare(),
  };
}
