import { IDEMPOTENCY_HEADER } from '../../data/contract/paths.ts';
import { bodyField, RequestError, request, serverMessage } from './request.ts';

/** Milliseconds to wait for the response: the server reads the chain before it accepts a form. */
const TIMEOUT_MS = 30_000;

export type SubmitOutcome =
  | { readonly kind: 'accepted'; readonly referenceNumber: string }
  /** The server refused the form. `message` is the server's own message, if there is one. */
  | { readonly kind: 'refused'; readonly message: string | null }
  /** No response arrived. The server may have accepted the form; a retry with the same key counts as the same submission. */
  | { readonly kind: 'no-network' };

/** A key by which the server recognizes retries. Unlike `crypto.randomUUID`, this also works on pages without TLS. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function submitOutcomeOf(status: number, body: string): SubmitOutcome {
  const referenceNumber = bodyField(body, 'referenceNumber');
  return status === 200 && bodyField(body, 'success') === true && typeof referenceNumber === 'string'
    ? { kind: 'accepted', referenceNumber }
    : { kind: 'refused', message: serverMessage(body) };
}

/** Never throws. */
export async function submitForm(path: string, payload: unknown, key: string): Promise<SubmitOutcome> {
  try {
    const response = await request('POST', path, {
      payload,
      headers: { [IDEMPOTENCY_HEADER]: key },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return submitOutcomeOf(response.status, await response.text());
  } catch (error) {
    return error instanceof RequestError ? submitOutcomeOf(error.status, error.body) : { kind: 'no-network' };
  }
}
