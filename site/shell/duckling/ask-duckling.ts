import type { ResponseOf } from '../../../data/contract/call.ts';
import type {
  AnswerKind,
  chatDuckling,
  chatVerdict,
  ANSWER_KINDS as Declared,
} from '../../../data/contract/chat.ts';
import { RequestError, request } from '../../data/request.ts';

// Named by their types alone: the declaring module would bring its schemas into the browser.
const ASK: (typeof chatDuckling)['path'] = '/api/chat/duckling';
const JUDGE: (typeof chatVerdict)['path'] = '/api/chat/verdict';
const KINDS: typeof Declared = ['answer', 'figure', 'small-talk', 'unknown', 'refusal', 'warning'];

/** Milliseconds that a question waits for its answer. */
const ANSWER_WITHIN = 30_000;

export type Verdict = 'up' | 'down';

export interface Source {
  readonly title: string;
  /** A path of this site. */
  readonly href: string;
}

/** An answer as far as it can be shown. */
export interface Answer {
  /** Paragraphs with a blank line between them. */
  readonly text: string;
  readonly kind: AnswerKind;
  readonly sources: readonly Source[];
  /** What a verdict on it is counted for; empty where none can be. */
  readonly source: string;
  readonly by: ResponseOf<typeof chatDuckling>['by'];
}

/** What came of a question. */
export type AskOutcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** A reply came, and it has no text. */
  | { readonly kind: 'empty' }
  /** The server did not take it, in its own words: the same question again brings the same. */
  | { readonly kind: 'refused'; readonly words: string }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'offline' }
  | { readonly kind: 'failed' };

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** Whether an address is a path of this site: another site's could be dressed up as one (`//host`, `/\host`). */
export function isOwnPath(href: string): boolean {
  // A browser takes tabs and line ends out of an address before it reads it.
  return /^\/(?![/\\])[^\s\\]*$/.test(href);
}

function sourcesOf(value: unknown): readonly Source[] {
  if (!Array.isArray(value)) return [];
  return value
    .map((one: unknown) => ({ title: textOf(field(one, 'title')), href: textOf(field(one, 'href')) }))
    .filter(({ title, href }) => title !== '' && isOwnPath(href));
}

/**
 * Reads an answer, from the server or from what was kept: only what can be shown is taken over.
 * @returns null where it has no text.
 */
export function readAnswer(body: unknown): Answer | null {
  const text = textOf(field(body, 'response')) || textOf(field(body, 'message'));
  if (text === '') return null;
  const kind = field(body, 'kind');
  return {
    text,
    kind: KINDS.find((one) => one === kind) ?? 'answer',
    sources: sourcesOf(field(body, 'sources')),
    source: textOf(field(body, 'source')),
    by: field(body, 'by') === 'model' ? 'model' : 'portal',
  };
}

function wordsOf({ body }: RequestError): string {
  try {
    return textOf(field(JSON.parse(body), 'error'));
  } catch {
    return '';
  }
}

function outcomeOf(error: unknown): AskOutcome {
  if (!navigator.onLine) return { kind: 'offline' };
  if (!(error instanceof RequestError)) return { kind: 'failed' };
  if (error.status === 429) return { kind: 'too-many' };
  const words = error.status === 400 ? wordsOf(error) : '';
  return words === '' ? { kind: 'failed' } : { kind: 'refused', words };
}

/** Asks a question. Whatever happens is an outcome; nothing is thrown. */
export async function askDuckling(message: string): Promise<AskOutcome> {
  let response: Response;
  try {
    response = await request('POST', ASK, {
      payload: { message },
      signal: AbortSignal.timeout(ANSWER_WITHIN),
    });
  } catch (error) {
    return outcomeOf(error);
  }
  const answer = readAnswer(await response.json().catch(() => null));
  return answer ? { kind: 'answered', answer } : { kind: 'empty' };
}

/** Tells whether an answer helped. @returns whether it was counted. */
export async function judgeAnswer(source: string, verdict: Verdict): Promise<boolean> {
  try {
    await request('POST', JUDGE, { payload: { source, verdict }, keepalive: true });
    return true;
  } catch {
    return false;
  }
}
