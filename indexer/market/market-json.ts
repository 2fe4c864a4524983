import { z } from 'zod';
import { scaledDecimal } from '../../data/model/amounts.ts';
import { parseRetryAfterMs } from '../rpc/json-rpc.ts';
import { MarketFeedError } from './feed.ts';

// Numbers from market hosts stay text with all their digits, because a floating-point number would round them.

/** The reviver's third argument has no type in TypeScript yet. */
type ParseVerbatim = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;
const parseVerbatim = JSON.parse as ParseVerbatim;

/** Parses JSON with numbers as text. @throws {SyntaxError} */
export function parseExactJson(text: string): unknown {
  return parseVerbatim(text, (_key, value, { source }) => (typeof value === 'number' ? source : value));
}

const NUMBER = /^(-?)(\d{1,40})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,3}))?$/;
const MAX_DIGITS = 60;

/** Writes a JSON number without an exponent: `1.2e-5` becomes `0.000012`. Null for other text, and for too many digits. */
export function plainDecimal(text: string): string | null {
  const match = NUMBER.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const point = whole.length + Number(exponent);
  if (point < -MAX_DIGITS || point > MAX_DIGITS) return null;
  const digits = (whole + fraction).padEnd(point, '0');
  const integer = point > 0 ? digits.slice(0, point).replace(/^0+(?=\d)/, '') : '0';
  const rest = (point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits).replace(/0+$/, '');
  const magnitude = rest === '' ? integer : `${integer}.${rest}`;
  return magnitude === '0' ? '0' : sign + magnitude;
}

export function sumDecimals(texts: readonly string[]): string {
  const scale = Math.max(0, ...texts.map((text) => text.split('.')[1]?.length ?? 0));
  const sum = texts.reduce((total, text) => total + scaledDecimal(text, scale), 0n);
  const digits = (sum < 0n ? -sum : sum).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${sum < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0*$/, '');
}

/** For documents from `parseExactJson`: a number, with or without quotes, as plain decimal text. */
export const exactNumber = z.string().transform((text, context) => {
  const plain = plainDecimal(text);
  if (plain !== null) return plain;
  context.addIssue('is not a plausible number');
  return z.NEVER;
});

const MAX_BODY_CHARACTERS = 2_000_000;
/** The maximum `Age` in seconds. A higher value counts as this one, so that a cache cannot report an absurd time. */
const MAX_AGE_SECONDS = 86_400;
const TOO_MANY_REQUESTS = 429;

interface MarketRequest<T> {
  readonly url: string;
  readonly shape: z.ZodType<T>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * @returns the answer and when the host made it (Unix ms), computed from the `Age` header of caches
 * @throws {MarketFeedError} if there is no usable answer in time
 * @throws the signal's reason if it aborts
 */
export async function readMarketJson<T>(
  request: MarketRequest<T>,
): Promise<{ readonly value: T; readonly madeAt: number }> {
  const { url, shape, timeoutMs, signal } = request;
  const { host } = new URL(url);
  const timeout = AbortSignal.timeout(timeoutMs);
  const { text, madeAt } = await fetchText(url, host, AbortSignal.any([signal, timeout])).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof MarketFeedError) throw error;
      if (timeout.aborted) {
        throw new MarketFeedError('timed-out', `${host} did not answer within ${timeoutMs / 1_000} s`);
      }
      throw new MarketFeedError('unreachable', `${host} cannot be reached`, { cause: error });
    },
  );
  const parsed = shape.safeParse(parse(text, host), { reportInput: false });
  if (parsed.success) return { value: parsed.data, madeAt };
  const [issue] = parsed.error.issues;
  const where = issue ? `${issue.path.join('.') || 'the answer'}: ${issue.message}` : 'the answer';
  throw new MarketFeedError('unusable', `${host} sent an answer with an unexpected shape (${where})`);
}

async function fetchText(url: string, host: string, signal: AbortSignal) {
  // A redirect could lead to a host that the operator has not configured.
  const response = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal });
  const { status, headers } = response;
  if (!response.ok) {
    await response.body?.cancel();
    const retryAfterMs = parseRetryAfterMs(headers.get('retry-after'), Date.now());
    const isRefusal = status >= 300 && status < 500;
    const failure = status === TOO_MANY_REQUESTS ? 'limited' : isRefusal ? 'refused' : 'unreachable';
    throw new MarketFeedError(failure, `${host} returned HTTP ${status}`, { retryAfterMs });
  }
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BODY_CHARACTERS)
      throw new MarketFeedError('unusable', `${host} sent an answer that is too long`);
  }
  const age = /^\d+$/.exec(headers.get('age') ?? '');
  const madeAt = Date.now() - Math.min(Number(age?.[0] ?? 0), MAX_AGE_SECONDS) * 1_000;
  return { text: text + decoder.decode(), madeAt };
}

function parse(text: string, host: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    throw new MarketFeedError('unusable', `${host} did not return JSON`, { cause: error });
  }
}
