import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChatStore } from '../chat-port.ts';
import { answerVerdicts, chatTranscripts, unansweredQuestions } from './app-schema.ts';
import { desc, getTableColumns, gte, lt, sql } from './drizzle.ts';
import { APP_FILE, inStore } from './store-files.ts';

const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The part of `app.db` for the assistant. */
export function openChat(client: Database.Database, db: BetterSQLite3Database): ChatStore {
  const run = <T>(work: () => T) => inStore(client, APP_FILE, client.transaction(work));
  const ofVerdict = (verdict: 'up' | 'down') =>
    sql<number>`sum(case when ${answerVerdicts.verdict} = ${verdict} then ${answerVerdicts.times} else 0 end)`;
  const { sequence, ...transcript } = getTableColumns(chatTranscripts);
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
        const saved = db
          .select({ question: unansweredQuestions.question })
          .from(unansweredQuestions)
          .orderBy(desc(unansweredQuestions.lastAskedAt))
          .limit(limit);
        db.delete(unansweredQuestions).where(sql`${unansweredQuestions.question} not in ${saved}`).run();
      }),
    unanswered: (limit) =>
      run(() =>
        db
          .select()
          .from(unansweredQuestions)
          .orderBy(desc(unansweredQuestions.times), desc(unansweredQuestions.lastAskedAt))
          .limit(limit)
          .all(),
      ),
    addVerdict: (source, verdict, at) =>
      run(() => {
        db.insert(answerVerdicts)
          .values({ day: isoDay(at), source, verdict, times: 1 })
          .onConflictDoUpdate({
            target: [answerVerdicts.day, answerVerdicts.source, answerVerdicts.verdict],
            set: { times: sql`${answerVerdicts.times} + 1` },
          })
          .run();
      }),
    verdicts: (since) =>
      run(() =>
        db
          .select({ source: answerVerdicts.source, up: ofVerdict('up'), down: ofVerdict('down') })
          .from(answerVerdicts)
          .where(gte(answerVerdicts.day, isoDay(since)))
          .groupBy(answerVerdicts.source)
          .orderBy(desc(ofVerdict('down')), answerVerdicts.source)
          .all(),
      ),
    addTranscript: (added, keepSince) =>
      run(() => {
        db.delete(chatTranscripts).where(lt(chatTranscripts.at, keepSince)).run();
        db.insert(chatTranscripts).values(added).run();
      }),
    transcripts: (limit) =>
      run(() => db.select(transcript).from(chatTranscripts).orderBy(desc(sequence)).limit(limit).all()),
  };
}
