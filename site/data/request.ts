import type { QueryFunction } from '@tanstack/react-query';

/** An answer that is not a success. The message is the status code, a colon, a space, then the answer's text. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  /** The answer's text; empty where it had none. */
  readonly body: string;
  /** Seconds after which the server wants to be asked again; null where it did not say. */
  readonly retryAfter: number | null;

  constructor(status: number, statusText: string, body: string, retryAfter: number | null = null) {
    super(`${status}: ${body === '' ? statusText : body}`);
    this.status = status;
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

interface RequestOptions {
  /** Sent as JSON where given. */
  readonly payload?: unknown;
  /** Sent beside those of the payload. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Whether it is sent on when the page is left. */
  readonly keepalive?: boolean;
}

/** The wait that an answer asks for, where it asks for one in seconds. */
function secondsOf(headers: Headers): number | null {
  const told = headers.get('Retry-After');
  return told !== null && /^\d{1,6}$/.test(told) ? Number(told) : null;
}

/** What a read does when the visitor is not signed in: throw like any other failure, or answer null. */
export type On401 = 'throw' | 'null';

/**
 * Sends a request with the visitor's cookies.
 * @returns the answer, or null on 401 where `on401` is `'null'`. @throws {RequestError} on any other non-success.
 */
export async function request(method: string, path: string, options?: RequestOptions): Promise<Response>;
export async function request(
  method: string,
  path: string,
  options: RequestOptions & { readonly on401: On401 },
): Promise<Response | null>;
export async function request(
  method: string,
  path: string,
  options: RequestOptions & { readonly on401?: On401 } = {},
): Promise<Response | null> {
  const { payload, headers, signal, keepalive, on401 = 'throw' } = options;
  const response = await fetch(path, {
    method,
    credentials: 'include',
    ...(headers || payload !== undefined
      ? { headers: { ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers } }
      : {}),
    ...(payload === undefined ? {} : { body: JSON.stringify(payload) }),
    ...(signal ? { signal } : {}),
    ...(keepalive ? { keepalive } : {}),
  });
  if (response.status === 401 && on401 === 'null') return null;
  if (!response.ok) {
    const body = await response.text().catch(() => '');
    throw new RequestError(response.status, response.statusText, body, secondsOf(response.headers));
  }
  return response;
}

/**
 * The default data read: GET the path in the first element of the query key and parse its JSON.
 * @throws {RequestError} from the returned function, as `request`.
 */
export function defaultRead(on401: On401 = 'throw'): QueryFunction<unknown> {
  return async ({ queryKey, signal }) => {
    const response = await request('GET', String(queryKey[0]), { on401, signal });
    return response === null ? null : response.json();
  };
}
