import type { IncomingMessage, ServerResponse } from 'node:http';
import { FIGURE_HEADERS } from '../../data/contract/paths.ts';
import { errorBodyOf } from '../error-handler.ts';
import type { ApiError } from '../errors.ts';
import { namesTag, strongTag } from '../etag.ts';
import type { HeaderList } from '../security/headers.ts';
import type { BodyText, ListProvenance } from './figure.ts';

/** An answer that is ready to write. */
export interface CachedAnswer {
  readonly status: number;
  /** JSON text. A string, because Node then sends head and body in one write. */
  readonly body: string;
  /** Strong. Null for an error. */
  readonly etag: string | null;
  /** Alternating names and values, for `writeHead`. */
  readonly headers: string[];
  /** Headers of a 304. */
  readonly notModifiedHeaders: string[];
}

function provenanceHeaders({ state, asOf, slot }: ListProvenance): string[] {
  return [FIGURE_HEADERS.state, state, FIGURE_HEADERS.asOf, asOf, FIGURE_HEADERS.slot, String(slot)];
}

/**
 * A success. `no-cache` makes browsers and proxies revalidate it each time. The age of a list is in headers, also with
 * 304: its bytes do not change with a new read.
 */
export function figureAnswer(
  { json: body, long, provenance }: BodyText & { readonly provenance?: ListProvenance },
  security: HeaderList,
): CachedAnswer {
  const etag = strongTag(long?.mark ?? body);
  const caching = ['Cache-Control', 'no-cache', 'ETag', etag];
  if (provenance) caching.push(...provenanceHeaders(provenance));
  return {
    status: 200,
    body,
    etag,
    headers: [
      'Content-Type',
      'application/json; charset=utf-8',
      'Content-Length',
      String(long?.bytes ?? Buffer.byteLength(body)),
      ...caching,
      ...security,
    ],
    notModifiedHeaders: [...caching, ...security],
  };
}

/** An error as a cached answer. */
export function errorAnswer(error: ApiError, security: HeaderList): CachedAnswer {
  const body = JSON.stringify(errorBodyOf(error));
  const headers = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Cache-Control',
    'no-store',
    ...Object.entries(error.headers).flat(),
    ...security,
  ];
  return { status: error.status, body, etag: null, headers, notModifiedHeaders: headers };
}

/** Writes a cached answer to GET or HEAD. */
export function sendAnswer(answer: CachedAnswer, request: IncomingMessage, response: ServerResponse): void {
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch !== undefined && answer.etag !== null && namesTag(ifNoneMatch, answer.etag)) {
    response.writeHead(304, answer.notModifiedHeaders);
    response.end();
    return;
  }
  response.writeHead(answer.status, answer.headers);
  // Node sends no body in answer to HEAD.
  response.end(answer.body);
}

/** Answers a request from the cache. @returns whether it did */
type HotReads = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Answers GET and HEAD of cached paths before Express, whose routing costs more than the answer
 * (docs/decisions/express-bypass.md). A query is ignored: no live call takes one.
 */
export function createHotReads(answers: ReadonlyMap<string, CachedAnswer>): HotReads {
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const url = request.url ?? '';
    let answer = answers.get(url);
    if (answer === undefined) {
      const query = url.indexOf('?');
      if (query === -1) return false;
      answer = answers.get(url.slice(0, query));
      if (answer === undefined) return false;
    }
    sendAnswer(answer, request, response);
    return true;
  };
}
