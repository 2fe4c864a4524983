import type { IncomingMessage, ServerResponse } from 'node:http';
import { FIGURE_HEADERS } from '../../data/contract/provenance.ts';
import { errorBodyOf } from '../error-handler.ts';
import type { ApiError } from '../errors.ts';
import { namesTag, strongTag } from '../etag.ts';
import type { HeaderList } from '../security/headers.ts';
import type { BodyText, ListProvenance } from './figure.ts';

/** An answer ready to be written: nothing is computed while a request waits. */
export interface CachedAnswer {
  readonly status: number;
  /** JSON text. A string, since Node then sends head and body in one write. */
  readonly body: string;
  /** Strong: another tag means other bytes. Null for an answer that is no figure. */
  readonly etag: string | null;
  /** All headers of the answer, names and values in turn, as `writeHead` takes them. */
  readonly headers: string[];
  /** Headers of 304, where the client holds these bytes already. */
  readonly notModifiedHeaders: string[];
}

function provenanceHeaders({ state, asOf, slot }: ListProvenance): string[] {
  return [FIGURE_HEADERS.state, state, FIGURE_HEADERS.asOf, asOf, FIGURE_HEADERS.slot, String(slot)];
}

/**
 * A success. `no-cache` lets a proxy or a browser keep it, and makes it ask each time whether it is still so. Of a list
 * the age is told in headers, with 304 as well: its bytes stay the same while it is read anew.
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

/** A failure that many requests meet alike. */
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
  // Node itself keeps the body from an answer to HEAD.
  response.end(answer.body);
}
