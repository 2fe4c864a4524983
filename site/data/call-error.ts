import { RequestError, serverMessage } from './request.ts';

type CallError =
  /** The ownership proof is missing, too old, or for a different wallet. */
  | 'not-proven'
  /** The portal could not be reached: there is no connection, or the portal is down. */
  | 'no-network'
  /** The server refused the call, and would refuse a retry as well. */
  | 'refused'
  /** A retry may succeed: the server or a service behind it failed, or a rate limit was reached. */
  | 'failed';

export function callError(error: unknown): CallError {
  if (!(error instanceof RequestError)) return error instanceof TypeError ? 'no-network' : 'failed';
  if (error.status === 401) return 'not-proven';
  return error.status < 500 && error.status !== 429 ? 'refused' : 'failed';
}

/**
 * The text for a call without a response. A missing response does not prove that the device is offline: if the
 * portal is down, a page on another origin cannot read the proxy's error.
 */
const unreachableText = () =>
  navigator.onLine === false
    ? 'No connection. Check your network and try again.'
    : 'Could not reach the portal. Check your connection, or try again in a moment.';

/** @returns the server's message, a note that the portal could not be reached, or `fallback` */
export function errorText(error: unknown, fallback: string): string {
  if (callError(error) === 'no-network') return unreachableText();
  return (error instanceof RequestError && serverMessage(error.body)) || fallback;
}
