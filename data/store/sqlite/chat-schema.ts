import { index, integer, sqliteTable, text, uniqueIndex } from './drizzle.ts';

/** Tables of `app.db` about the assistant. Nothing in them tells who asked. Times are Unix milliseconds. */

/** Questions that found no answer, cleaned of whatever could name a person, and how often each was asked. */
export const unansweredQuestions = sqliteTable(
  'unanswered_questions',
  {
    /** The cleaned question, as the team reads it. */
    question: text().primaryKey(),
    times: integer().notNull(),
    firstAskedAt: integer().notNull(),
    lastAskedAt: integer().notNull(),
  },
  (table) => [index('unanswered_questions_last').on(table.lastAskedAt)],
);

/** How often answers were found helpful or not, a row a day, a source and a verdict. */
export const answerVerdicts = sqliteTable(
  'answer_verdicts',
  {
    id: integer().primaryKey(),
    /** The day in UTC, `YYYY-MM-DD`. */
    day: text().notNull(),
    /** What the answer was drawn from, such as the address of a passage or the name of a figure. */
    source: text().notNull(),
    verdict: text({ enum: ['up', 'down'] }).notNull(),
    times: integer().notNull(),
  },
  (table) => [uniqueIndex('answer_verdicts_one').on(table.day, table.source, table.verdict)],
);

/** What was asked and answered, cleaned of whatever could name a person; kept only where the operator asks for it. */
export const chatTranscripts = sqliteTable(
  'chat_transcripts',
  {
    sequence: integer().primaryKey(),
    at: integer().notNull(),
    question: text().notNull(),
    answer: text().notNull(),
    source: text().notNull(),
  },
  (table) => [index('chat_transcripts_at').on(table.at)],
);
