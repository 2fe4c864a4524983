import type { RequestHandler } from 'express';
import { chatDuckling, chatVerdict } from '../../data/contract/chat.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { ChatStore } from '../../data/store/chat-port.ts';
import { readBody } from '../body.ts';
import { InvalidBodyError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import type { Facts } from '../metrics/facts.ts';
import { limited } from '../security/rate-limit.ts';
import { answerLocally, type ChatAnswer, type LocalAnswer } from './answer.ts';
import { ASKED_FIGURES } from './asked-figure.ts';
import type { OpenedBook } from './chat-book.ts';
import { ChatNotBuiltError } from './chat-errors.ts';
import { cleanedQuestion } from './cleaned-question.ts';
import type { AskModel } from './model-answer.ts';

/** Questions of one address a minute. */
export const QUESTIONS_PER_MINUTE = 30;
/** Different questions without an answer that are kept for the team. */
const UNANSWERED_AT_MOST = 1_000;
const DAY_MS = 86_400_000;
const TRANSCRIPTS_KEPT_DAYS = 30;

export interface ChatDependencies {
  /** What is answered from; null where the site was not built. */
  readonly openBook: (() => Promise<OpenedBook>) | null;
  readonly facts: () => Facts;
  readonly store: ChatStore;
  readonly now: () => number;
  readonly log: Logger;
  /** Absent where answers are the portal's own alone. */
  readonly askModel?: AskModel | undefined;
  readonly keepsTranscripts: boolean;
  readonly limit: RequestHandler;
}

/** Sources that are no passage. */
const OTHER_SOURCES = new Set([
  'unknown',
  'small-talk',
  'figure:wallet',
  ...ASKED_FIGURES.map((figure) => `figure:${figure}`),
  ...['advice', 'orders', 'secret', 'keepSecret'].map((guard) => `guard:${guard}`),
]);

/** `POST /api/chat/duckling` and the verdict on its answers. */
export function chatRoutes(dependencies: ChatDependencies): readonly ApiRoute[] {
  const { openBook, facts, store, now, log, askModel, keepsTranscripts, limit } = dependencies;

  /** In a model's words where there is one and they hold, else in the portal's own. */
  async function worded(message: string, { passages, ...found }: LocalAnswer): Promise<ChatAnswer> {
    const words =
      found.kind === 'answer' && askModel ? await askModel(message, { ...found, passages }) : null;
    return words === null ? { ...found, by: 'portal' } : { ...found, response: words, by: 'model' };
  }

  /** Keeps what the team may learn from. A secret that was pasted is kept nowhere. Nobody waits for it. */
  async function learn(
    opened: OpenedBook,
    message: string,
    { kind, source, response }: ChatAnswer,
  ): Promise<void> {
    if (kind === 'warning') return;
    const isKnown = (word: string) => {
      const read = opened.reader.readWord(word);
      return read === null || opened.passages.knows(read);
    };
    const question = cleanedQuestion(message, isKnown);
    if (kind === 'unknown') await store.addUnanswered(question, now(), UNANSWERED_AT_MOST);
    if (!keepsTranscripts) return;
    const answer = source === 'figure:wallet' ? '' : response;
    await store.addTranscript(
      { at: now(), question, answer, source },
      now() - TRANSCRIPTS_KEPT_DAYS * DAY_MS,
    );
  }

  return [
    {
      method: chatDuckling.method,
      path: chatDuckling.path,
      handle: limited(limit, async (request, response) => {
        const { message } = readBody(chatDuckling.body, request.body);
        if (!openBook) throw new ChatNotBuiltError();
        const book = await openBook();
        const answer = await worded(message, answerLocally(message, facts(), now(), book));
        response.json(answer);
        learn(book, message, answer).catch((error: unknown) =>
          log.error({ err: error }, 'a chat was not counted'),
        );
      }),
    },
    {
      method: chatVerdict.method,
      path: chatVerdict.path,
      handle: limited(limit, async (request, response) => {
        const { source, verdict } = readBody(chatVerdict.body, request.body);
        if (!OTHER_SOURCES.has(source) && !(await openBook?.())?.hrefs.has(source)) {
          throw new InvalidBodyError('The assistant answers from no such source.');
        }
        await store.addVerdict(source, verdict, now());
        response.json({ success: true });
      }),
    },
  ];
}
