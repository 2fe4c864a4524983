import type { z } from 'zod';
import { retryAfter } from '../rpc/json-rpc.ts';
import { parseExactJson } from './exact-json.ts';
import { MarketFeedError } from './feed.ts';

/** Bytes of the longest answer that is read. */
const LONGEST_BODY = 2_000_000;
/** Seconds that a cache's age is counted as at most: far beyond what is of use. */
const OLDEST_SECONDS = 86_400;
const TOO_MANY_REQUESTS = 429;

interface MarketJson<T> {
  readonly value: T;
  /** When the feed made the answer (Unix ms): caches between say how long they have held it. */
  readonly madeAt: number;
}

interface MarketRequest<T> {
  readonly url: string;
  readonly shape: z.ZodType<T>;
  readonly timeoutMs: number;
  /** Unix ms. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/**
 * Asks a market's host and reads the answer as what it is to be. Numbers arrive as the digits they were written with.
 * @throws {MarketFeedError} where there is no such answer within the time
 * @throws the signal's reason where it aborts
 */
export async function readMarketJson<T>(request: MarketRequest<T>): Promise<MarketJson<T>> {
  const { url, shape, timeoutMs, now, signal } = request;
  const { host } = new URL(url);
  const timeout = AbortSignal.timeout(timeoutMs);
  const { text, madeAt } = await ask(url, host, AbortSignal.any([signal, timeout]), now).catch(
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
  throw new MarketFeedError('unusable', `${host} answers in another shape (${where})`);
}

async function ask(url: string, host: string, signal: AbortSignal, now: () => number) {
  // Followed, a redirect would lead to a host that nobody configured.
  const response = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal });
  const { status, headers } = response;
  if (!response.ok) {
    await response.body?.cancel();
    const retryAfterMs = retryAfter(headers.get('retry-after'), now());
    const isRefusal = status >= 300 && status < 500;
    const fault = status === TOO_MANY_REQUESTS ? 'limited' : isRefusal ? 'refused' : 'unreachable';
    throw new MarketFeedError(fault, `${host} answers HTTP ${status}`, { retryAfterMs });
  }
  const text = await readText(response, host);
  const age = /^\d+$/.exec(headers.get('age') ?? '');
  return { text, madeAt: now() - Math.min(Number(age?.[0] ?? 0), OLDEST_SECONDS) * 1_000 };
}

async function readText({ body }: Response, host: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST_BODY) throw new MarketFeedError('unusable', `${host} answers without end`);
  }
  return text + decoder.decode();
}

function parse(text: string, host: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    throw new MarketFeedError('unusable', `${host} does not answer with JSON`, { cause: error });
  }
}
