import type { ResponseOf } from '../../../data/contract/call.ts';
import type { AnswerKind, chatDuckling, ANSWER_KINDS as DeclaredKinds } from '../../../data/contract/chat.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { RequestError, request, serverMessage } from '../../data/request.ts';

// A copy of the contract's list, checked against its type. Importing the list would load the contract's schemas in the browser.
const ANSWER_KINDS: typeof DeclaredKinds = [
  'answer',
  'figure',
  'small-talk',
  'unknown',
  'refusal',
  'warning',
];

const ANSWER_TIMEOUT_MS = 30_000;

/** Whether an answer helped the visitor. The API uses the same word and values. */
export type Verdict = 'up' | 'down';

export interface Source {
  readonly title: string;
  /** A path on this site. */
  readonly href: string;
}

export interface Answer {
  /** Paragraphs are separated by blank lines. */
  readonly text: string;
  readonly kind: AnswerKind;
  readonly sources: readonly Source[];
  /** If the portal has no answer to the question: the most similar questions that it can answer. */
  readonly closest: readonly string[];
  /** The id under which verdicts on this answer are counted; empty if the answer accepts no verdicts. */
  readonly source: string;
  readonly by: ResponseOf<typeof chatDuckling>['by'];
  /** When the team wrote the answer (ISO 8601). Absent if the team did not write it. */
  readonly writtenAt?: string;
}

export type AskOutcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'empty' }
  /** The server rejected the question. `message` is the server's reason. */
  | { readonly kind: 'rejected'; readonly message: string }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'offline' }
  | { readonly kind: 'failed' };

function readField(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** Whether a URL is a path on this site. `//host` and `/\host` lead to other sites. */
export function isSitePath(href: string): boolean {
  // Rejects white space, because browsers strip tabs and line breaks: a slash, a tab and `/host` would become `//host`.
  return /^\/(?![/\\])[^\s\\]*$/.test(href);
}

function sourcesOf(value: unknown): readonly Source[] {
  if (!Array.isArray(value)) return [];
  return value
    .map((one: unknown) => ({ title: textOf(readField(one, 'title')), href: textOf(readField(one, 'href')) }))
    .filter(({ title, href }) => title !== '' && isSitePath(href));
}

function closestQuestionsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf).filter((question) => question !== '') : [];
}

/** Checks an answer from the server or from storage. @returns null if it has no text */
export function readAnswer(body: unknown): Answer | null {
  const text = textOf(readField(body, 'response')) || textOf(readField(body, 'message'));
  if (text === '') return null;
  const kind = readField(body, 'kind');
  const by = readField(body, 'by');
  const writtenAt = textOf(readField(body, 'writtenAt'));
  return {
    text,
    kind: ANSWER_KINDS.find((one) => one === kind) ?? 'answer',
    sources: sourcesOf(readField(body, 'sources')),
    closest: closestQuestionsOf(readField(body, 'closest')),
    source: textOf(readField(body, 'source')),
    by: by === 'model' ? by : 'portal',
    ...(by === 'team' && Number.isFinite(Date.parse(writtenAt)) && { by, writtenAt }),
  };
}

function outcomeOf(error: unknown): AskOutcome {
  if (!navigator.onLine) return { kind: 'offline' };
  if (!(error instanceof RequestError)) return { kind: 'failed' };
  if (error.status === 429) return { kind: 'too-many' };
  const message = error.status === 400 ? serverMessage(error.body) : null;
  return message === null ? { kind: 'failed' } : { kind: 'rejected', message };
}

/** Never throws. @param earlier the visitor's previous questions, latest first */
export async function askDuckling(message: string, earlier: readonly string[] = []): Promise<AskOutcome> {
  let response: Response;
  try {
    response = await request('POST', PATHS.chatDuckling, {
      payload: { message, ...(earlier.length > 0 && { earlier }) },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
  } catch (error) {
    return outcomeOf(error);
  }
  const answer = readAnswer(await response.json().catch(() => null));
  return answer ? { kind: 'answered', answer } : { kind: 'empty' };
}

/** @returns whether the verdict was counted */
export async function judgeAnswer(source: string, verdict: Verdict): Promise<boolean> {
  try {
    await request('POST', PATHS.chatVerdict, { payload: { source, verdict }, keepalive: true });
    return true;
  } catch {
    return false;
  }
}
