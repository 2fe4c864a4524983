import { RequestError } from './request.ts';

/** The kinds of failed calls that screens distinguish. */
type CallError =
  /** The ownership proof is missing, too old, or for a different wallet. */
  | 'not-proven'
  | 'no-network'
  /** The server refused the request. A retry would be refused as well. */
  | 'refused'
  /** The server, or a service behind it, is temporarily unavailable. */
  | 'failed';

export function callError(error: unknown): CallError {
  if (!(error instanceof RequestError)) return error instanceof TypeError ? 'no-network' : 'failed';
  if (error.status === 401) return 'not-proven';
  return error.status < 500 && error.status !== 429 ? 'refused' : 'failed';
}

/** The server's message about a failed call; null if the response has none that people can read. */
export function serverMessage(error: unknown): string | null {
  if (!(error instanceof RequestError)) return null;
  try {
    const body: unknown = JSON.parse(error.body);
    const message = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
    return typeof message === 'string' && message !== '' ? message : null;
  } catch {
    return null;
  }
}

/** The text for a failed call: the server's message, a notice about the connection, or `fallback`. */
export function errorText(error: unknown, fallback: string): string {
  if (callError(error) === 'no-network') return 'No connection. Check your network and try again.';
  return serverMessage(error) ?? fallback;
}
