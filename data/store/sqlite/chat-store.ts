import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { AuditRecord } from '../audit-port.ts';
import type { ChatStore } from '../chat-port.ts';
import { isQuestionUsed, toAddition, verdictDay } from '../rules/chat-rows.ts';
import {
  admins,
  answerVerdicts,
  assistantAdditions,
  chatTranscripts,
  unansweredQuestions,
} from './app-schema.ts';
import { and, desc, eq, getTableColumns, gte, inArray, isNull, lt, sql } from './drizzle.ts';
import { APP_FILE, runInStore } from './store-files.ts';

export function openChat(
  client: Database.Database,
  db: BetterSQLite3Database,
  record: (record: AuditRecord) => void,
): ChatStore {
  const run = <T>(work: () => T) => runInStore(client, APP_FILE, client.transaction(work));
  const timesOfVerdict = (verdict: 'up' | 'down') =>
    sql<number>`sum(case when ${answerVerdicts.verdict} = ${verdict} then ${answerVerdicts.times} else 0 end)`;
  const { sequence, ...transcriptColumns } = getTableColumns(chatTranscripts);
  // Grows with every change, because each row is added once and withdrawn at most once.
  const version = db
    .select({ changes: sql<number>`count(*) + count(${assistantAdditions.withdrawnAt})` })
    .from(assistantAdditions)
    .prepare();
  return {
    addUnanswered: (question, at, limit) =>
      run(() => {
        db.insert(unansweredQuestions)
          .values({ question, times: 1, firstAskedAt: at, lastAskedAt: at })
          .onConflictDoUpdate({
            target: unansweredQuestions.question,
            set: { times: sql`${unansweredQuestions.times} + 1`, lastAskedAt: at },
          })
          .run();
        const newestQuestions = db
          .select({ question: unansweredQuestions.question })
          .from(unansweredQuestions)
          .orderBy(desc(unansweredQuestions.lastAskedAt))
          .limit(limit);
        db.delete(unansweredQuestions)
          .where(sql`${unansweredQuestions.question} not in ${newestQuestions}`)
          .run();
      }),
    unanswered: (limit) =>
      run(() =>
        db
          .select({
            question: unansweredQuestions.question,
            timesAsked: unansweredQuestions.times,
            firstAskedAt: unansweredQuestions.firstAskedAt,
            lastAskedAt: unansweredQuestions.lastAskedAt,
            timesAskedAtDismissal: unansweredQuestions.dismissedTimes,
          })
          .from(unansweredQuestions)
          .orderBy(desc(unansweredQuestions.times), desc(unansweredQuestions.lastAskedAt))
          .limit(limit)
          .all(),
      ),
    dismissUnanswered: (questions, audit) =>
      run(() => {
        const { changes } = db
          .update(unansweredQuestions)
          .set({ dismissedTimes: sql`${unansweredQuestions.times}` })
          .where(inArray(unansweredQuestions.question, [...questions]))
          .run();
        if (changes > 0) record(audit);
        return changes;
      }),
    addAddition: (addition, answeredQuestions, limit, audit) =>
      run(() => {
        const usedQuestions = db
          .select({ question: assistantAdditions.question })
          .from(assistantAdditions)
          .where(isNull(assistantAdditions.withdrawnAt))
          .all();
        if (isQuestionUsed(addition.question, usedQuestions)) return 'exists';
        if (usedQuestions.length >= limit) return 'full';
        db.insert(assistantAdditions).values(addition).run();
        db.delete(unansweredQuestions)
          .where(inArray(unansweredQuestions.question, [...answeredQuestions]))
          .run();
        record(audit);
        return 'added';
      }),
    withdrawAddition: (id, at, audit) =>
      run(() => {
        const { changes } = db
          .update(assistantAdditions)
          .set({ withdrawnAt: at, question: '', title: null, answer: null })
          .where(and(eq(assistantAdditions.id, id), isNull(assistantAdditions.withdrawnAt)))
          .run();
        if (changes > 0) record(audit);
        return changes > 0;
      }),
    additions: () =>
      run(() =>
        db
          .select({ row: assistantAdditions, username: admins.username })
          .from(assistantAdditions)
          .leftJoin(admins, eq(admins.id, assistantAdditions.adminId))
          .where(isNull(assistantAdditions.withdrawnAt))
          .orderBy(desc(assistantAdditions.sequence))
          .all()
          .map(({ row, username }) => ({ ...toAddition(row), by: username ?? row.adminId })),
      ),
    additionsVersion: () => run(() => version.get()?.changes ?? 0),
    addVerdict: (source, verdict, at) =>
      run(() => {
        db.insert(answerVerdicts)
          .values({ day: verdictDay(at), source, verdict, times: 1 })
          .onConflictDoUpdate({
            target: [answerVerdicts.day, answerVerdicts.source, answerVerdicts.verdict],
            set: { times: sql`${answerVerdicts.times} + 1` },
          })
          .run();
      }),
    verdicts: (since) =>
      run(() =>
        db
          .select({ source: answerVerdicts.source, up: timesOfVerdict('up'), down: timesOfVerdict('down') })
          .from(answerVerdicts)
          .where(gte(answerVerdicts.day, verdictDay(since)))
          .groupBy(answerVerdicts.source)
          .orderBy(desc(timesOfVerdict('down')), answerVerdicts.source)
          .all(),
      ),
    addTranscript: (newTranscript, keepSince) =>
      run(() => {
        db.delete(chatTranscripts).where(lt(chatTranscripts.at, keepSince)).run();
        db.insert(chatTranscripts).values(newTranscript).run();
      }),
    transcripts: (limit) =>
      run(() =>
        db.select(transcriptColumns).from(chatTranscripts).orderBy(desc(sequence)).limit(limit).all(),
      ),
  };
}
