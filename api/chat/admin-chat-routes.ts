import * as calls from '../../data/contract/admin-chat.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import { createTokenizer } from '../../data/model/search/tokenizer.ts';
import type { Addition, UnansweredQuestion } from '../../data/store/chat-port.ts';
import { rowId } from '../../data/store/row-id.ts';
import { adminAuditRecord } from '../admin/admin-audit.ts';
import { adminJsonRoute, type SignedInAdmin } from '../admin/authorize-admin.ts';
import type { ApiRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import type { PortalContext } from '../portal-context.ts';
import { answerLocally } from './answer.ts';
import { MAX_UNANSWERED } from './chat-routes.ts';
import { groupQuestions, needsAttention } from './group-questions.ts';
import { completeQuery } from './query.ts';
import { creditTeam, type ExtendedBook } from './team-additions.ts';

const DAY_MS = 86_400_000;
const MAX_NEAREST_SECTIONS = 6;

const iso = (at: number) => new Date(at).toISOString();

type Groups = ResponseOf<typeof calls.adminChat>['groups'];

/** @param book null if the site is not built. Then all words have the same weight, and synonyms are not recognized. */
function groupsNeedingAttention(
  unanswered: readonly UnansweredQuestion[],
  book: ExtendedBook | null,
): Groups {
  const { tokensOf } = book?.tokenizer ?? createTokenizer([]);
  return groupQuestions(unanswered, tokensOf, book?.weightOf ?? (() => 1))
    .filter((group) => needsAttention(group, PORTAL_LIMITS.questionReappearsAfter))
    .slice(0, PORTAL_LIMITS.maxUnansweredGroups)
    .map(({ timesAsked, questions }) => ({
      timesAsked,
      lastAskedAt: iso(Math.max(...questions.map(({ lastAskedAt }) => lastAskedAt))),
      questions: questions.map((one) => ({
        question: one.question,
        timesAsked: one.timesAsked,
        lastAskedAt: iso(one.lastAskedAt),
      })),
    }));
}

/** The sections closest to a message. A fact counts as the section that contains it. */
function nearestSections(message: string, { passages, spelling, tokenizer }: ExtendedBook) {
  const query = completeQuery(spelling.correct(message), [], tokenizer.tokensOf);
  const byHref = new Map<string, { href: string; title: string; page: string }>();
  for (const { passage } of passages.find(query)) {
    const { href, title, page, kind } = passage;
    if ((kind === 'section' || kind === 'fact') && !byHref.has(href)) byHref.set(href, { href, title, page });
  }
  return [...byHref.values()].slice(0, MAX_NEAREST_SECTIONS);
}

export function adminChatRoutes(context: PortalContext): readonly ApiRoute[] {
  const { authorize, now, figureInputs, openExtendedBook, store } = context;
  const { chat } = store;
  const changeOptions = { authorize, limit: 'admin-decisions' } as const;

  async function openBook(): Promise<ExtendedBook> {
    if (!openExtendedBook) throw new ApiError('chat-not-built');
    return openExtendedBook();
  }

  async function add(
    admin: SignedInAdmin,
    addition: Addition,
    settledQuestions: readonly string[],
  ): Promise<{ success: true; id: string }> {
    const { id, kind, addedAt } = addition;
    const details = { addition: id, kind, settles: settledQuestions.length };
    const record = adminAuditRecord(admin, { action: 'assistant-addition.added', at: addedAt, details });
    const newAddition = { ...addition, adminId: admin.id };
    const outcome = await chat.addAddition(newAddition, settledQuestions, PORTAL_LIMITS.maxAdditions, record);
    if (outcome === 'exists') throw new ApiError('addition-exists');
    if (outcome === 'full') throw new ApiError('additions-full');
    return { success: true, id };
  }

  return [
    adminJsonRoute(calls.adminChat, { authorize }, async () => {
      const book = openExtendedBook ? await openExtendedBook() : null;
      const additions = await chat.additions();
      return {
        groups: groupsNeedingAttention(await chat.unanswered(MAX_UNANSWERED), book),
        additions: additions.map((addition) => ({
          id: addition.id,
          kind: addition.kind,
          question: addition.question,
          answer: addition.kind === 'answer' ? addition.answer : null,
          passage:
            addition.kind === 'phrasing'
              ? {
                  href: addition.href,
                  title: addition.title,
                  isFound: book?.titles.has(addition.href) ?? false,
                }
              : null,
          by: addition.by,
          addedAt: iso(addition.addedAt),
        })),
        verdicts: [...(await chat.verdicts(now() - PORTAL_LIMITS.chatVerdictDays * DAY_MS))],
      };
    }),
    adminJsonRoute(calls.tryQuestion, { authorize, limit: 'admin-searches' }, async (_admin, { message }) => {
      const book = await openBook();
      return {
        answer: creditTeam(answerLocally(message, { inputs: figureInputs(), now: now(), book }), book),
        nearest: nearestSections(message, book),
      };
    }),
    adminJsonRoute(calls.addPhrasing, changeOptions, async (admin, { settles, question, href, title }) => {
      const book = await openBook();
      if (!book.titles.has(href)) throw new ApiError('unknown-passage');
      const at = now();
      return add(admin, { kind: 'phrasing', id: rowId(at), question, addedAt: at, href, title }, settles);
    }),
    adminJsonRoute(calls.addAnswer, changeOptions, async (admin, { settles, question, answer }) => {
      // Throws if the site is not built.
      await openBook();
      const at = now();
      return add(admin, { kind: 'answer', id: rowId(at), question, addedAt: at, answer }, settles);
    }),
    adminJsonRoute(calls.withdrawAddition, changeOptions, async (admin, { id }) => {
      const at = now();
      const details = { addition: id };
      const record = adminAuditRecord(admin, { action: 'assistant-addition.withdrawn', at, details });
      if (!(await chat.withdrawAddition(id, at, record))) throw new ApiError('unknown-addition');
      return { success: true };
    }),
    adminJsonRoute(calls.dismissQuestions, changeOptions, async (admin, { questions }) => {
      const details = { questions: questions.length };
      const record = adminAuditRecord(admin, {
        action: 'unanswered-questions.dismissed',
        at: now(),
        details,
      });
      if ((await chat.dismissUnanswered(questions, record)) === 0) throw new ApiError('unknown-question');
      return { success: true };
    }),
  ];
}
