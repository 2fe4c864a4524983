import { RequestError, serverMessage } from './request.ts';

/** Why a call failed. */
type CallError =
  /** The ownership proof is missing, too old, or for a different wallet. */
  | 'not-proven'
  | 'no-network'
  /** The server would refuse a retry as well. */
  | 'refused'
  /** The server, or a service behind it, is temporarily unavailable. */
  | 'failed';

export function callError(error: unknown): CallError {
  if (!(error instanceof RequestError)) return error instanceof TypeError ? 'no-network' : 'failed';
  if (error.status === 401) return 'not-proven';
  return error.status < 500 && error.status !== 429 ? 'refused' : 'failed';
}

/** The text for a failed call: the server's message, a notice about the connection, or `fallback`. */
export function errorText(error: unknown, fallback: string): string {
  if (callError(error) === 'no-network') return 'No connection. Check your network and try again.';
  return (error instanceof RequestError && serverMessage(error.body)) || fallback;
}
