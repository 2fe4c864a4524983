import { IDEMPOTENCY_HEADER } from '../../data/contract/paths.ts';
import { RequestError, request } from './request.ts';

/** Milliseconds to wait for the response: the server reads the chain before it accepts a form. */
const TIMEOUT = 30_000;

/** The outcome of sending a form. */
export type SubmitOutcome =
  | { readonly kind: 'accepted'; readonly referenceNumber: string }
  /** The server refused it, with its message if it sent one. */
  | { readonly kind: 'refused'; readonly message: string | null }
  /** No response arrived. The server may have accepted it; a retry with the same key is the same submission. */
  | { readonly kind: 'no-network' };

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The server's message in an error response; null if it has none that people can read. Like `serverMessage`, but without
 * the scripts of the live islands (18 kB gzip).
 */
export function refusalMessage(text: string): string | null {
  const message = field(parsed(text), 'error');
  return typeof message === 'string' && message !== '' ? message : null;
}

/** A key that identifies retries of one form. Unlike `crypto.randomUUID`, it works on pages without TLS. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The outcome of a form, from the status and text of the response. */
export function submitOutcomeOf(status: number, text: string): SubmitOutcome {
  const body = parsed(text);
  const referenceNumber = field(body, 'referenceNumber');
  return status === 200 && field(body, 'success') === true && typeof referenceNumber === 'string'
    ? { kind: 'accepted', referenceNumber }
    : { kind: 'refused', message: refusalMessage(text) };
}

/** Sends a form under a key. It never throws. */
export async function submitForm(path: string, payload: unknown, key: string): Promise<SubmitOutcome> {
  try {
    const response = await request('POST', path, {
      payload,
      headers: { [IDEMPOTENCY_HEADER]: key },
      signal: AbortSignal.timeout(TIMEOUT),
    });
    return submitOutcomeOf(response.status, await response.text());
  } catch (error) {
    return error instanceof RequestError ? submitOutcomeOf(error.status, error.body) : { kind: 'no-network' };
  }
}
