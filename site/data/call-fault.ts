import { RequestError } from './request.ts';

/** Why a call failed, as far as a screen treats it differently. */
export type CallFault =
  /** No wallet is proved, another one is, or the proof is too old. */
  | 'not-proved'
  | 'no-network'
  /** The server refused what was asked, and asking the same again brings the same. */
  | 'refused'
  /** The server, or what it asks, does not answer now. */
  | 'failed';

export function callFault(error: unknown): CallFault {
  if (!(error instanceof RequestError)) return error instanceof TypeError ? 'no-network' : 'failed';
  if (error.status === 401) return 'not-proved';
  return error.status < 500 && error.status !== 429 ? 'refused' : 'failed';
}

/** What the server says of a failed call in its own words; null where it says nothing that was meant for people. */
export function serverWords(error: unknown): string | null {
  if (!(error instanceof RequestError)) return null;
  try {
    const body: unknown = JSON.parse(error.body);
    const told = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
    return typeof told === 'string' && told !== '' ? told : null;
  } catch {
    return null;
  }
}

/** What to say of a failed call: the server's words, that there is no connection, or `otherwise`. */
export function faultText(error: unknown, otherwise: string): string {
  if (callFault(error) === 'no-network')
    return 'No connection to the portal. Check your network and try again.';
  return serverWords(error) ?? otherwise;
}
