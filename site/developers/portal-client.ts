/**
 * A client for the public calls of the BlackDuck portal. It has no dependencies.
 *
 *     import { createPortalClient, toUnits } from './portal-client.js';
 *     const portal = createPortalClient('https://portal.example');
 *     const { data } = await portal.get('/api/vault/live-balance');
 *     const units = toUnits(data.vaultBalance, 6);
 */

/** The version of the API that this client was made for. */
export const API_VERSION = '0.0.0';

/** The public calls by path, with their parameters and responses. */
export type PublicReads = Readonly<Record<string, { readonly query?: object; readonly data: unknown }>>;

/** The paths of the public calls. */
export type PublicPath = keyof PublicReads;

type QueryOf<Path extends PublicPath> = PublicReads[Path] extends { query: infer Query } ? Query : undefined;
type DataOf<Path extends PublicPath> = PublicReads[Path] extends { data: infer Data } ? Data : never;
type Arguments<Path extends PublicPath> =
  QueryOf<Path> extends undefined
    ? [query?: undefined, options?: CallOptions]
    : [query: QueryOf<Path>, options?: CallOptions];

export interface CallOptions {
  /** Aborts the call, even while it waits for a retry. */
  readonly signal?: AbortSignal;
}

export interface Answer<Data> {
  readonly data: Data;
  /** If `data` is a list, these headers say how current it is: X-Figure-State, X-Figure-As-Of and X-Figure-Slot. */
  readonly headers: Headers;
  /** Whether the portal answered 304: `data` has not changed. Always false in a browser, which revalidates by itself. */
  readonly isUnchanged: boolean;
}

/** An error that the portal returned. */
export class PortalError extends Error {
  override readonly name = 'PortalError';
  /** The HTTP status. */
  readonly status: number;
  /** The error code, such as `not-indexed-yet`; null if a proxy answered. */
  readonly code: string | null;
  /** Seconds to wait before a retry; null if the portal does not say. */
  readonly retryAfter: number | null;

  constructor(message: string, status: number, code: string | null, retryAfter: number | null) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export interface ClientOptions {
  /** The maximum number of retries after a 429 or 503 with Retry-After; 2 by default. */
  readonly retries?: number;
  /** The longest wait before a retry, in seconds; 30 by default. If the portal asks for more, the call fails. */
  readonly longestWait?: number;
  readonly fetch?: typeof fetch;
}

export interface PortalClient {
  /**
   * @throws {PortalError} if the portal returns an error
   * @throws the error of `fetch` if there is no connection
   */
  get<Path extends PublicPath>(path: Path, ...rest: Arguments<Path>): Promise<Answer<DataOf<Path>>>;
}

const MAX_STORED = 100;

const pause = (seconds: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', stop, { once: true });
  });

/** @param origin the portal's origin: `https://portal.example` */
export function createPortalClient(origin: string, options: ClientOptions = {}): PortalClient {
  const { retries = 2, longestWait = 30, fetch: send = fetch } = options;
  const stored = new Map<string, { readonly etag: string; readonly data: unknown }>();
  // ETags are sent only outside a browser. Browsers revalidate by themselves, and a cross-origin request with
  // If-None-Match would need a preflight, which the portal refuses.
  const sendsEtags = globalThis.location === undefined;

  const request = async (url: URL, signal: AbortSignal | undefined): Promise<Answer<unknown>> => {
    const storedAnswer = sendsEtags ? stored.get(url.href) : undefined;
    for (let tries = 0; ; tries += 1) {
      const response = await send(url, {
        headers: storedAnswer ? { 'If-None-Match': storedAnswer.etag } : {},
        credentials: 'omit',
        signal: signal ?? null,
      });
      const { status, headers } = response;
      if (storedAnswer && status === 304) return { data: storedAnswer.data, headers, isUnchanged: true };
      if (response.ok) {
        const data: unknown = await response.json();
        const etag = headers.get('etag');
        const [oldest] = stored.keys();
        if (stored.size >= MAX_STORED && oldest !== undefined) stored.delete(oldest);
        if (sendsEtags && etag !== null) stored.set(url.href, { etag, data });
        return { data, headers, isUnchanged: false };
      }
      const body = await response.json().catch(() => null);
      const waitSeconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
      const retryAfter = Number.isNaN(waitSeconds) ? null : waitSeconds;
      const isTemporary = status === 429 || status === 503;
      if (!isTemporary || retryAfter === null || retryAfter > longestWait || tries >= retries)
        throw new PortalError(
          body?.error ?? `The portal answered with ${status}.`,
          status,
          body?.code ?? null,
          retryAfter,
        );
      await pause(retryAfter, signal);
    }
  };

  return {
    get: (path, ...[query, { signal } = {}]) => {
      const url = new URL(path, origin);
      for (const [name, value] of Object.entries(query ?? {}))
        if (value !== undefined) url.searchParams.set(name, String(value));
      return request(url, signal) as Promise<Answer<never>>;
    },
  };
}

/**
 * An amount as a whole number of base units: `toUnits('1.5', 6)` is `1500000n`.
 * @throws {RangeError} if the text is not a decimal number, or has a fraction of a base unit
 */
export function toUnits(amount: string, decimals: number): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const digits = fraction.replace(/0+$/, '');
  if (sign === undefined || digits.length > decimals)
    throw new RangeError(`"${amount}" is not an amount with ${decimals} decimals.`);
  return BigInt(sign + whole + digits.padEnd(decimals, '0'));
}

/** Base units as an amount: `toAmount(1500000n, 6)` is `'1.5'`. */
export function toAmount(units: bigint, decimals: number): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}
