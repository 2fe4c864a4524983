import { chatDuckling, chatVerdict } from '../../data/contract/chat.ts';
import { OWN_RECORDS_SOURCE } from '../../data/model/own-records-source.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import { readBody } from '../request-input.ts';
import type { ReadProvenWallet } from '../wallet/proven-wallets.ts';
import { anonymizeQuestion } from './anonymize-question.ts';
import { answerLocally } from './answer.ts';
import type { ChatAnswer, LocalAnswer } from './compose-answer.ts';
import type { AskModel } from './model-answer.ts';
import { MAX_RECORDS } from './own-records.ts';
import { REQUESTED_FIGURES } from './question-kind.ts';
import { creditTeam, type ExtendedBook } from './team-additions.ts';

/** Maximum number of distinct unanswered questions that are stored. */
export const MAX_UNANSWERED = 1_000;
const DAY_MS = 86_400_000;

interface ChatContext {
  /** Null if the site is not built. */
  readonly openExtendedBook: (() => Promise<ExtendedBook>) | null;
  readonly figureInputs: () => FigureInputs;
  readonly store: Pick<AppStore, 'chat' | 'submissions'>;
  readonly now: () => number;
  readonly log: Logger;
  /** Null if no language model is configured. */
  readonly askModel: AskModel | null;
  readonly keepsTranscripts: boolean;
  readonly readProvenWallet: ReadProvenWallet;
}

/** The sources of answers that are not taken from a passage of the book. */
const OTHER_SOURCES = new Set([
  'unknown',
  'small-talk',
  'figure:wallet',
  OWN_RECORDS_SOURCE,
  ...REQUESTED_FIGURES.map((figure) => `figure:${figure}`),
  ...['advice', 'orders', 'secret', 'keepSecret'].map((guard) => `guard:${guard}`),
]);

/** Answers from these sources are about a wallet, so they are not stored. */
const PRIVATE_SOURCES = new Set(['figure:wallet', OWN_RECORDS_SOURCE]);

export function chatRoutes(context: ChatContext): readonly ApiRoute[] {
  const { openExtendedBook, figureInputs, now, log, askModel, keepsTranscripts, readProvenWallet } = context;
  const { chat: store, submissions } = context.store;

  /** Rewords an answer from the pages with the language model, if one is configured and its wording is usable. */
  async function reword(message: string, localAnswer: LocalAnswer, book: ExtendedBook): Promise<ChatAnswer> {
    const answer = creditTeam(localAnswer, book);
    const rewordedText =
      answer.kind === 'answer' && answer.by !== 'team' && askModel
        ? await askModel(message, localAnswer)
        : null;
    return rewordedText === null ? answer : { ...answer, response: rewordedText, by: 'model' };
  }

  /** The latest submissions that name a wallet; null if the store cannot be read. */
  const readRecords = (wallet: string) =>
    submissions.ofWallet(wallet, MAX_RECORDS).catch((error: unknown) => {
      log.error({ err: error }, 'could not read the submissions of a wallet');
      return null;
    });

  /** Stores an unanswered question, and a transcript if transcripts are enabled. Never stores a message with a secret. */
  async function recordQuestion(
    book: ExtendedBook,
    message: string,
    { kind, source, response }: ChatAnswer,
  ): Promise<void> {
    if (kind === 'warning') return;
    const isKnown = (word: string) => {
      const token = book.tokenizer.tokenOf(word);
      return token === null || book.passages.knows(token);
    };
    const question = anonymizeQuestion(message, isKnown);
    if (kind === 'unknown') await store.addUnanswered(question, now(), MAX_UNANSWERED);
    if (!keepsTranscripts) return;
    const answer = PRIVATE_SOURCES.has(source) ? '' : response;
    const keepSince = now() - PORTAL_LIMITS.chatTranscriptDays * DAY_MS;
    await store.addTranscript({ at: now(), question, answer, source }, keepSince);
  }

  return [
    callRoute(chatDuckling, { limit: 'questions' }, async (request, response) => {
      const { message, earlier = [] } = readBody(chatDuckling.body, request.body);
      if (!openExtendedBook) throw new ApiError('chat-not-built');
      const book = await openExtendedBook();
      const wallet = (await readProvenWallet(request))?.walletAddress ?? null;
      const records = wallet === null ? null : await readRecords(wallet);
      const context = { inputs: figureInputs(), now: now(), book, earlier, wallet, records };
      const localAnswer = answerLocally(message, context);
      const answer = await reword(message, localAnswer, book);
      response.json(answer);
      recordQuestion(book, message, answer).catch((error: unknown) =>
        log.error({ err: error }, 'could not record a chat question'),
      );
    }),
    callRoute(chatVerdict, { limit: 'questions' }, async (request, response) => {
      const { source, verdict } = readBody(chatVerdict.body, request.body);
      if (!OTHER_SOURCES.has(source) && !(await openExtendedBook?.())?.titles.has(source)) {
        throw new ApiError('invalid-body', { text: 'The assistant has no source with this name.' });
      }
      await store.addVerdict(source, verdict, now());
      response.json({ success: true });
    }),
  ];
}
