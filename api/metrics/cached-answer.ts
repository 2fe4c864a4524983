import type { IncomingMessage, ServerResponse } from 'node:http';
import { FIGURE_HEADERS } from '../../data/contract/paths.ts';
import { errorBodyOf } from '../error-handler.ts';
import type { ApiError } from '../errors.ts';
import { matchesTag, strongTag } from '../etag.ts';
import type { HeaderList, PublicHeaders } from '../security/headers.ts';
import type { BodyText, ListProvenance } from './figure.ts';

/** Alternating names and values, for `writeHead`. */
interface AnswerHeaders {
  readonly headers: string[];
  readonly notModifiedHeaders: string[];
}

export interface CachedAnswer extends AnswerHeaders {
  readonly status: number;
  /** JSON, as a string, because Node then sends headers and body in one write. */
  readonly body: string;
  /** A strong ETag; null for an error. */
  readonly etag: string | null;
  /** The headers for requests from the site's origin; null if they are the same as for requests from other origins. */
  readonly site: (AnswerHeaders & { readonly origin: string }) | null;
}

function headersFor(
  { anyone, site }: PublicHeaders,
  compute: (security: HeaderList) => AnswerHeaders,
): Pick<CachedAnswer, keyof AnswerHeaders | 'site'> {
  return { ...compute(anyone), site: site && { origin: site.origin, ...compute(site.headers) } };
}

function jsonHeaders(bytes: number): string[] {
  return ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(bytes)];
}

/**
 * `no-cache` makes browsers and proxies revalidate the answer each time. The age of a list is sent in headers, because the bytes
 * of an unchanged list must stay the same. A 304 repeats these headers.
 */
export function cachedFigureAnswer(
  { json: body, precomputed, provenance }: BodyText & { readonly provenance?: ListProvenance },
  security: PublicHeaders,
): CachedAnswer {
  const etag = strongTag(precomputed?.contentId ?? body);
  const caching = ['Cache-Control', 'no-cache', 'ETag', etag];
  if (provenance) {
    const { state, asOf, slot } = provenance;
    caching.push(FIGURE_HEADERS.state, state, FIGURE_HEADERS.asOf, asOf, FIGURE_HEADERS.slot, String(slot));
  }
  const bodyHeaders = jsonHeaders(precomputed?.bytes ?? Buffer.byteLength(body));
  return {
    status: 200,
    body,
    etag,
    ...headersFor(security, (securityHeaders) => ({
      headers: [...bodyHeaders, ...caching, ...securityHeaders],
      notModifiedHeaders: [...caching, ...securityHeaders],
    })),
  };
}

export function errorAnswer(error: ApiError, security: PublicHeaders): CachedAnswer {
  const body = JSON.stringify(errorBodyOf(error));
  const errorHeaders = ['Cache-Control', 'no-store', ...Object.entries(error.headers).flat()];
  const bodyHeaders = jsonHeaders(Buffer.byteLength(body));
  const compute = (securityHeaders: HeaderList) => {
    const headers = [...bodyHeaders, ...errorHeaders, ...securityHeaders];
    return { headers, notModifiedHeaders: headers };
  };
  return { status: error.status, body, etag: null, ...headersFor(security, compute) };
}

export function sendAnswer(answer: CachedAnswer, request: IncomingMessage, response: ServerResponse): void {
  const { site } = answer;
  const { headers, notModifiedHeaders } =
    site !== null && request.headers.origin === site.origin ? site : answer;
  if (answer.etag !== null && matchesTag(request.headers['if-none-match'], answer.etag)) {
    response.writeHead(304, notModifiedHeaders).end();
    return;
  }
  response.writeHead(answer.status, headers);
  // Node does not send the body in response to HEAD.
  response.end(answer.body);
}

/**
 * Answers GET and HEAD requests for cached paths before they reach Express, because its routing costs more than the answer
 * (docs/decisions/express-bypass.md). A query is ignored: no live call takes one.
 * @returns whether the request was answered
 */
export function answerFromCache(
  answers: ReadonlyMap<string, CachedAnswer>,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const url = request.url ?? '';
  const queryIndex = url.indexOf('?');
  const answer = answers.get(queryIndex === -1 ? url : url.slice(0, queryIndex));
  if (answer) sendAnswer(answer, request, response);
  return answer !== undefined;
}
