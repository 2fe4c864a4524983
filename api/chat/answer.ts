import {
  type AnswerContext,
  composeAnswer,
  type LocalAnswer,
  suggestAnswers,
  walletStakeAnswer,
} from './compose-answer.ts';
import { findAnswer } from './find-answer.ts';
import { findGuard, type Guard } from './guard.ts';
import { readQuestion } from './language.ts';
import { addOwnRecords } from './own-records.ts';
import { findSmallTalk, findWalletAddress } from './question-kind.ts';

const DISCLAIMER = { title: 'Risk disclaimer', href: '/disclaimer' };
const SEED_PHRASE_HREF = '/faq#seed-phrase';
/** A message gets the most likely refusal if the probability that it should be refused is at least this high. */
const REFUSAL_THRESHOLD = 0.5;
/** A message gets suggestions, but no answer, if the probability that it should be refused is at least this high. */
const DOUBT_THRESHOLD = 0.15;
const REFUSALS = ['keepSecret', 'orders', 'advice'] as const;
/**
 * Some questions that the pages answer sound like a request for advice, such as "How much SOL should I keep for staking?" Such
 * a question gets an answer if the probability that the pages answer it is at least this high.
 */
const ANSWER_THRESHOLD = 0.97;

function refuse(guard: Guard, { book: { texts, titles } }: AnswerContext): LocalAnswer {
  const seedPhrase = { title: titles.get(SEED_PHRASE_HREF) ?? 'Seed phrase', href: SEED_PHRASE_HREF };
  const sources = { advice: [DISCLAIMER], orders: [], secret: [seedPhrase], keepSecret: [seedPhrase] };
  return {
    response: texts.refusals[guard],
    kind: guard === 'secret' ? 'warning' : 'refusal',
    sources: sources[guard],
    source: `guard:${guard}`,
    passages: [],
  };
}

/**
 * Answers from the portal's pages, live figures and the visitor's own records. The same message in the same context gets the
 * same answer.
 */
export function answerLocally(message: string, context: AnswerContext): LocalAnswer {
  const { texts, spelling, classifier } = context.book;
  const guard = findGuard(message);
  if (guard !== null && guard !== 'advice') return refuse(guard, context);
  const wallet = guard === null ? findWalletAddress(message) : null;
  if (wallet) return walletStakeAnswer(wallet, context);
  const talk = guard === null ? findSmallTalk(message) : null;
  if (talk) {
    return {
      response: texts.smallTalk[talk],
      kind: 'small-talk',
      sources: [],
      source: 'small-talk',
      passages: [],
    };
  }
  const { text: question, language } = readQuestion(message, spelling);
  const earlierQuestions = context.earlier?.map((turn) => readQuestion(turn, spelling).text) ?? [];
  const foundSubjects = findAnswer(question, {
    book: context.book,
    earlier: earlierQuestions,
    hasWallet: Boolean(context.wallet),
    isForeign: language !== null,
  });
  const [likeliestRefusal = 'orders'] = REFUSALS.toSorted(
    (one, other) => foundSubjects.kinds[other] - foundSubjects.kinds[one],
  );
  const refusalProbability = REFUSALS.reduce((sum, kind) => sum + foundSubjects.kinds[kind], 0);
  if (refusalProbability >= REFUSAL_THRESHOLD) return refuse(likeliestRefusal, context);
  // A question about keeping secrets is refused even at a low probability: an answer would give the same warning.
  if (foundSubjects.kinds.keepSecret >= DOUBT_THRESHOLD) return refuse('keepSecret', context);
  const composedAnswer =
    refusalProbability >= DOUBT_THRESHOLD
      ? suggestAnswers(foundSubjects, context)
      : composeAnswer(foundSubjects, context);
  const isAnswered = classifier !== null && foundSubjects.kinds.answered >= ANSWER_THRESHOLD;
  if (guard === 'advice' && !(isAnswered && composedAnswer.kind !== 'unknown')) return refuse(guard, context);
  const answer = addOwnRecords(composedAnswer, foundSubjects, [question, ...earlierQuestions], context);
  if (!language) return answer;
  const isFound = answer.kind !== 'unknown' || answer.response.startsWith(texts.didYouMean);
  const notice = isFound ? texts.languages[language] : texts.notFound[language];
  return { ...answer, response: `${notice}\n\n${answer.response}` };
}
