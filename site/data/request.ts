import type { QueryFunction } from '@tanstack/react-query';

/** An error response. The message is `<status>: <response text>`, with the status text if the response is empty. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  /** The response text; may be empty. */
  readonly body: string;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, statusText: string, body: string, retryAfterSeconds: number | null = null) {
    super(`${status}: ${body === '' ? statusText : body}`);
    this.status = status;
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The API's origin on pages that are built for a static host (scripts/static-site.ts); empty if the API serves the page. */
const API_ORIGIN =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name=api-origin]')?.content ?? '';

export const apiUrl = (path: string): string => API_ORIGIN + path;

export interface RequestOptions {
  /** Sent as JSON. */
  readonly payload?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly keepalive?: boolean;
}

function retryAfterSecondsOf(headers: Headers): number | null {
  const seconds = headers.get('Retry-After');
  return seconds !== null && /^\d{1,6}$/.test(seconds) ? Number(seconds) : null;
}

/** @returns undefined if the body has no such field or is not JSON */
export function bodyField(body: string, name: string): unknown {
  try {
    return Reflect.get(Object(JSON.parse(body)), name);
  } catch {
    return undefined;
  }
}

/** @returns null if the response has no readable message */
export function serverMessage(body: string): string | null {
  const message = bodyField(body, 'error');
  return typeof message === 'string' && message !== '' ? message : null;
}

/**
 * Sends a request with the visitor's cookies. If `on401` is `'null'`, returns null for status 401.
 * @throws {RequestError} on any other error status
 */
export async function request(method: string, path: string, options?: RequestOptions): Promise<Response>;
export async function request(
  method: string,
  path: string,
  options: RequestOptions & { readonly on401: 'null' },
): Promise<Response | null>;
export async function request(
  method: string,
  path: string,
  options: RequestOptions & { readonly on401?: 'null' } = {},
): Promise<Response | null> {
  const { payload, headers, signal, keepalive, on401 } = options;
  const response = await fetch(apiUrl(path), {
    method,
    credentials: 'include',
    ...(payload === undefined
      ? headers && { headers }
      : { headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(payload) }),
    ...(signal ? { signal } : {}),
    ...(keepalive ? { keepalive } : {}),
  });
  if (response.status === 401 && on401 === 'null') return null;
  if (!response.ok) {
    const body = await response.text().catch(() => '');
    throw new RequestError(response.status, response.statusText, body, retryAfterSecondsOf(response.headers));
  }
  return response;
}

/** Without a limit, a connection that is lost without an error would keep the visitor waiting for minutes. */
const POST_TIMEOUT_MS = 30_000;

/**
 * Sends a payload and reads the JSON of the response. A response that does not arrive in time counts as a lost connection.
 * @throws {RequestError | TypeError}
 */
export async function post<Body>(path: string, payload: unknown, timeoutMs = POST_TIMEOUT_MS): Promise<Body> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await (await request('POST', path, { payload, signal })).json();
  } catch (cause) {
    throw signal.aborted ? new TypeError('The portal did not respond in time.', { cause }) : cause;
  }
}

export const defaultQueryFunction: QueryFunction<unknown> = async ({ queryKey, signal }) => {
  const response = await request('GET', String(queryKey[0]), { signal });
  return response.json();
};
