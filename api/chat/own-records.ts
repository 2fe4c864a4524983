import { utcMinuteText } from '../../data/model/format.ts';
import { OWN_RECORDS_SOURCE } from '../../data/model/own-records-source.ts';
import { plainText } from '../../data/model/search/tokenizer.ts';
import type { SubmissionKind } from '../../data/model/submission-status.ts';
import type { WalletSubmission } from '../../data/store/submission-port.ts';
import type { DucklingTexts } from './chat-book.ts';
import type { AnswerContext, LocalAnswer } from './compose-answer.ts';
import { fillIn } from './figure-answers.ts';
import type { FoundSubjects } from './find-answer.ts';

export const MAX_RECORDS = 5;

const STATUS_HREF = '/faq#status';
const STATUS_SECTIONS: ReadonlySet<string> = new Set([STATUS_HREF, '/application-status#about']);
const STATUS_PAGE = { title: 'Application Status', href: '/application-status' };
const CARD_PAGE = { title: 'Virtual Card', href: '/virtual-card' };

/**
 * How people refer to each kind of submission. Loan applications come first, because "loan application" also matches the
 * last pattern.
 */
const KIND_PATTERNS: readonly (readonly [SubmissionKind, RegExp])[] = [
  ['loan-application', /\b(?:loan|note|convertible|invest\w*)\b/],
  ['verification-request', /\bverif\w*|\bmanual\b/],
  ['contact-message', /\b(?:messages?|tickets?|support|wrote|contacted|emailed)\b/],
  ['card-application', /\b(?:cards?|appl\w+)\b/],
];

/**
 * The kind of submission in the latest question that names one.
 * @param questions latest first
 */
function findNamedKind(questions: readonly string[]): SubmissionKind | null {
  const kinds = questions.map((text) => KIND_PATTERNS.find(([, name]) => name.test(plainText(text)))?.[0]);
  return kinds.find((kind) => kind !== undefined) ?? null;
}

function lineOf(
  { kind, referenceNumber, status, changedAt }: WalletSubmission,
  texts: DucklingTexts['records'],
): string {
  const next: Readonly<Record<string, string>> = texts.next[kind];
  const name = texts.kinds[kind];
  return fillIn(texts.record, {
    kind: name.charAt(0).toUpperCase() + name.slice(1),
    reference: referenceNumber,
    state: texts.states[status],
    since: utcMinuteText(changedAt),
    next: next[status] ?? '',
  });
}

/**
 * Describes the status of a wallet's submissions, beginning with those of the named kind.
 * @param records newest first; null if unreadable
 */
function recordsText(
  records: readonly WalletSubmission[] | null,
  requestedKind: SubmissionKind | null,
  texts: DucklingTexts['records'],
): string {
  if (requestedKind === 'loan-application') return texts.loan;
  if (records === null) return texts.missing;
  if (records.length === 0) return texts.none;
  const recordsOfKind = records.filter(({ kind }) => kind === requestedKind);
  const otherRecords = records.filter((record) => !recordsOfKind.includes(record));
  const noneOfKind =
    requestedKind !== null && recordsOfKind.length === 0
      ? [fillIn(texts.noneOfKind, { kind: texts.kinds[requestedKind] })]
      : [];
  return [
    ...noneOfKind,
    texts.found,
    ...[...recordsOfKind, ...otherRecords].map((record) => lineOf(record, texts)),
  ].join('\n\n');
}

/**
 * Completes an answer about the status of submissions. If the visitor has proven a wallet, adds the wallet's submissions.
 * Otherwise adds how to look them up.
 * @param questions this question and the earlier ones, latest first
 */
export function addOwnRecords(
  answer: LocalAnswer,
  { answers }: Pick<FoundSubjects, 'answers'>,
  questions: readonly string[],
  { wallet, records = null, book }: AnswerContext,
): LocalAnswer {
  const texts = book.texts.records;
  if (answer.kind !== 'answer' || !answers.some(({ href }) => STATUS_SECTIONS.has(href))) return answer;
  if (!wallet) {
    const sources = [STATUS_PAGE, ...answer.sources, CARD_PAGE];
    return { ...answer, response: `${answer.response}\n\n${texts.prove}`, sources };
  }
  const requestedKind = findNamedKind(questions);
  const linkedRecord = records?.find(
    ({ kind }) => kind !== 'contact-message' && (requestedKind === null || kind === requestedKind),
  );
  const text = recordsText(records, requestedKind, texts);
  const isComplete = linkedRecord !== undefined && answers.every(({ href }) => href === STATUS_HREF);
  const page = linkedRecord
    ? { ...STATUS_PAGE, href: `${STATUS_PAGE.href}#reference=${linkedRecord.referenceNumber}` }
    : STATUS_PAGE;
  return {
    ...answer,
    response: isComplete ? text : `${text}\n\n${answer.response}`,
    kind: 'figure',
    sources: [page, ...answer.sources],
    source: OWN_RECORDS_SOURCE,
    passages: [],
  };
}
