import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChatStore } from '../chat-port.ts';
import { answerVerdicts, chatTranscripts, unansweredQuestions } from './chat-schema.ts';
import { desc, gte, lt, sql } from './drizzle.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The part of `app.db` that holds what the assistant keeps. */
export function openChat(client: Database.Database, db: BetterSQLite3Database): ChatStore {
  const work = <T>(transaction: () => T) =>
    inStore(client, APP_FILE, () => client.transaction(transaction)());
  const ofVerdict = (verdict: 'up' | 'down') =>
    sql<number>`sum(case when ${answerVerdicts.verdict} = ${verdict} then ${answerVerdicts.times} else 0 end)`;
  return {
    addUnanswered: (question, at, atMost) =>
      work(() => {
        db.insert(unansweredQuestions)
          .values({ question, times: 1, firstAskedAt: at, lastAskedAt: at })
          .onConflictDoUpdate({
            target: unansweredQuestions.question,
            set: { times: sql`${unansweredQuestions.times} + 1`, lastAskedAt: at },
          })
          .run();
        const kept = db
          .select({ question: unansweredQuestions.question })
          .from(unansweredQuestions)
          .orderBy(desc(unansweredQuestions.lastAskedAt))
          .limit(atMost);
        db.delete(unansweredQuestions).where(sql`${unansweredQuestions.question} not in ${kept}`).run();
      }),
    unanswered: (limit) =>
      work(() =>
        db
          .select()
          .from(unansweredQuestions)
          .orderBy(desc(unansweredQuestions.times), desc(unansweredQuestions.lastAskedAt))
          .limit(limit)
          .all(),
      ),
    addVerdict: (source, verdict, at) =>
      work(() => {
        db.insert(answerVerdicts)
          .values({ day: dayOf(at), source, verdict, times: 1 })
          .onConflictDoUpdate({
            target: [answerVerdicts.day, answerVerdicts.source, answerVerdicts.verdict],
            set: { times: sql`${answerVerdicts.times} + 1` },
          })
          .run();
      }),
    verdicts: (since) =>
      work(() =>
        db
          .select({ source: answerVerdicts.source, up: ofVerdict('up'), down: ofVerdict('down') })
          .from(answerVerdicts)
          .where(gte(answerVerdicts.day, dayOf(since)))
          .groupBy(answerVerdicts.source)
          .orderBy(desc(ofVerdict('down')), answerVerdicts.source)
          .all(),
      ),
    addTranscript: (transcript, keepSince) =>
      work(() => {
        db.delete(chatTranscripts).where(lt(chatTranscripts.at, keepSince)).run();
        db.insert(chatTranscripts).values(transcript).run();
      }),
    transcripts: (limit) =>
      work(() =>
        db
          .select({
            at: chatTranscripts.at,
            question: chatTranscripts.question,
            answer: chatTranscripts.answer,
            source: chatTranscripts.source,
          })
          .from(chatTranscripts)
          .orderBy(desc(chatTranscripts.sequence))
          .limit(limit)
          .all(),
      ),
  };
}
