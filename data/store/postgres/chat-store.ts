import type { ChatStore, UnansweredQuestion } from '../chat-port.ts';
import { isQuestionUsed, toAddition, verdictDay } from '../rules/chat-rows.ts';
import type { Database } from './database.ts';

type AdditionRow = Parameters<typeof toAddition>[0] & { readonly by: string };
type Verdicts = Awaited<ReturnType<ChatStore['verdicts']>>[number];
type Transcript = Awaited<ReturnType<ChatStore['transcripts']>>[number];

function prepareStatements({ statement }: Database) {
  return {
    addUnanswered: statement(`
      insert into $.unanswered_questions as asked (question, times, "firstAskedAt", "lastAskedAt") values ($1, 1, $2, $2)
      on conflict (question) do update set times = asked.times + 1, "lastAskedAt" = excluded."lastAskedAt"`),
    forgetUnanswered: statement(`
      delete from $.unanswered_questions where question not in (
        select question from $.unanswered_questions order by "lastAskedAt" desc limit $1)`),
    unanswered: statement<UnansweredQuestion>(`
      select question, times as "timesAsked", "firstAskedAt", "lastAskedAt",
        "dismissedTimes" as "timesAskedAtDismissal" from $.unanswered_questions
      order by times desc, "lastAskedAt" desc limit $1`),
    dismiss: statement(
      'update $.unanswered_questions set "dismissedTimes" = times where question = any($1::text[])',
    ),
    deleteAnswered: statement('delete from $.unanswered_questions where question = any($1::text[])'),
    usedQuestions: statement<{ question: string }>(
      'select question from $.assistant_additions where "withdrawnAt" is null',
    ),
    add: statement(`
      insert into $.assistant_additions (id, kind, question, href, title, answer, "adminId", "addedAt")
      values ($1, $2, $3, $4, $5, $6, $7, $8)`),
    withdraw: statement(`
      update $.assistant_additions set "withdrawnAt" = $2, question = '', title = null, answer = null
      where id = $1 and "withdrawnAt" is null`),
    additions: statement<AdditionRow>(`
      select added.id, kind, question, href, title, answer, "addedAt", coalesce(username, "adminId") as by
      from $.assistant_additions added left join $.admins on admins.id = "adminId"
      where "withdrawnAt" is null order by sequence desc`),
    // Each row is added once and withdrawn at most once, so both counts only grow.
    version: statement<{ changes: number }>(
      'select count(*) + count("withdrawnAt") as changes from $.assistant_additions',
    ),
    addVerdict: statement(`
      insert into $.answer_verdicts as verdicts (day, source, verdict, times) values ($1, $2, $3, 1)
      on conflict (day, source, verdict) do update set times = verdicts.times + 1`),
    verdicts: statement<Verdicts>(`
      select source, coalesce(sum(times) filter (where verdict = 'up'), 0)::bigint as up,
        coalesce(sum(times) filter (where verdict = 'down'), 0)::bigint as down
      from $.answer_verdicts where day >= $1 group by source order by down desc, source`),
    forgetTranscripts: statement('delete from $.chat_transcripts where at < $1'),
    addTranscript: statement(
      'insert into $.chat_transcripts (at, question, answer, source) values ($1, $2, $3, $4)',
    ),
    transcripts: statement<Transcript>(
      'select at, question, answer, source from $.chat_transcripts order by sequence desc limit $1',
    ),
  };
}

export function openChat(db: Database): ChatStore {
  const statements = prepareStatements(db);
  return {
    addUnanswered: (question, at, limit) =>
      db.transaction(['unanswered questions'], async (transaction) => {
        await transaction.run(statements.addUnanswered, question, at);
        await transaction.run(statements.forgetUnanswered, limit);
      }),
    unanswered: (limit) => db.all(statements.unanswered, limit),
    dismissUnanswered: (questions, audit) =>
      db.transaction(['unanswered questions'], async (transaction) => {
        const dismissedCount = await transaction.run(statements.dismiss, questions);
        if (dismissedCount > 0) transaction.record(audit);
        return dismissedCount;
      }),
    addAddition: (addition, answeredQuestions, limit, audit) =>
      db.transaction(['assistant additions', 'unanswered questions'], async (transaction) => {
        const usedQuestions = await transaction.all(statements.usedQuestions);
        if (isQuestionUsed(addition.question, usedQuestions)) return 'exists';
        if (usedQuestions.length >= limit) return 'full';
        const { id, kind, question, adminId, addedAt } = addition;
        const content =
          kind === 'phrasing' ? [addition.href, addition.title, null] : [null, null, addition.answer];
        await transaction.run(statements.add, id, kind, question, ...content, adminId, addedAt);
        await transaction.run(statements.deleteAnswered, answeredQuestions);
        transaction.record(audit);
        return 'added';
      }),
    withdrawAddition: (id, at, audit) =>
      db.transaction([], async (transaction) => {
        const isWithdrawn = (await transaction.run(statements.withdraw, id, at)) > 0;
        if (isWithdrawn) transaction.record(audit);
        return isWithdrawn;
      }),
    async additions() {
      return (await db.all(statements.additions)).map(({ by, ...row }) => ({ ...toAddition(row), by }));
    },
    async additionsVersion() {
      return (await db.get(statements.version))?.changes ?? 0;
    },
    async addVerdict(source, verdict, at) {
      await db.run(statements.addVerdict, verdictDay(at), source, verdict);
    },
    verdicts: (since) => db.all(statements.verdicts, verdictDay(since)),
    addTranscript: (newTranscript, keepSince) =>
      db.transaction([], async (transaction) => {
        await transaction.run(statements.forgetTranscripts, keepSince);
        await transaction.run(
          statements.addTranscript,
          newTranscript.at,
          newTranscript.question,
          newTranscript.answer,
          newTranscript.source,
        );
      }),
    transcripts: (limit) => db.all(statements.transcripts, limit),
  };
}
