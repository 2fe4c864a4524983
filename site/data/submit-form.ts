import type { IDEMPOTENCY_HEADER as DeclaredHeader } from '../../data/contract/applications.ts';
import { RequestError, request } from './request.ts';

// Named by its type alone: the declaring module would bring its schemas into the browser.
const IDEMPOTENCY_HEADER: typeof DeclaredHeader = 'Idempotency-Key';

/** Milliseconds that a form waits for its answer: the server reads the chain while it takes one. */
const ANSWER_WITHIN = 30_000;

/** What came of sending a form. */
export type SubmitOutcome =
  | { readonly kind: 'accepted'; readonly referenceNumber: string }
  /** The server answered and did not take it; its own words where it had some. */
  | { readonly kind: 'refused'; readonly words: string | null }
  /** No answer came. It may have been taken: sent again with the same key, it is the same submission. */
  | { readonly kind: 'no-network' };

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

function wordsOf(body: unknown): string | null {
  const words = field(body, 'error');
  return typeof words === 'string' && words !== '' ? words : null;
}

/** What the server says in the body of a refusal; null where it says nothing that can be shown. */
export function wordsOfRefusal({ body }: RequestError): string | null {
  try {
    return wordsOf(JSON.parse(body));
  } catch {
    return null;
  }
}

/** A key under which a form is known when it is sent again. It is made on pages without TLS, too. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Sends a form under a key. Whatever happens is an outcome; nothing is thrown. */
export async function submitForm(path: string, payload: unknown, key: string): Promise<SubmitOutcome> {
  let response: Response;
  try {
    response = await request('POST', path, {
      payload,
      headers: { [IDEMPOTENCY_HEADER]: key },
      signal: AbortSignal.timeout(ANSWER_WITHIN),
    });
  } catch (error) {
    return error instanceof RequestError
      ? { kind: 'refused', words: wordsOfRefusal(error) }
      : { kind: 'no-network' };
  }
  const body: unknown = await response.json().catch(() => null);
  const referenceNumber = field(body, 'referenceNumber');
  return field(body, 'success') === true && typeof referenceNumber === 'string'
    ? { kind: 'accepted', referenceNumber }
    : { kind: 'refused', words: wordsOf(body) };
}

/** What came of a form, by the status and the text of its answer. */
export function submitOutcomeOf(status: number, text: string): SubmitOutcome {
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // What is no JSON has no words to show.
  }
  const referenceNumber = field(body, 'referenceNumber');
  return status === 200 && field(body, 'success') === true && typeof referenceNumber === 'string'
    ? { kind: 'accepted', referenceNumber }
    : { kind: 'refused', words: wordsOf(body) };
}
