import type { Request, RequestHandler } from 'express';
import { isPublicRead, isVisitorCall } from '../../data/contract/call.ts';
import { CALLS } from '../../data/contract/calls.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { applyHeaders, type SecurityHeaders } from './headers.ts';

const PUBLIC_READS: ReadonlySet<string> = new Set([
  PATHS.openApi,
  ...CALLS.filter(isPublicRead).map(({ path }) => path),
]);

const isPublic = ({ method, path }: Request) =>
  ANY_ORIGIN_PATHS.has(path) || ((method === 'GET' || method === 'HEAD') && PUBLIC_READS.has(path));

/** Calls that pages of any origin may make, including writes. */
const ANY_ORIGIN_PATHS: ReadonlySet<string> = new Set(
  CALLS.flatMap(({ path, allowsAnyOrigin }) => (allowsAnyOrigin ? [path] : [])),
);

export const isAnyOriginPath = (path: string) => ANY_ORIGIN_PATHS.has(path);

const VISITOR_METHODS = new Map<string, string>([
  [PATHS.live, 'GET'],
  [PATHS.verificationSteps, 'GET'],
  ...CALLS.filter(isVisitorCall).map(({ path, method }) => [path, method] as const),
]);

export const isVisitorPath = (path: string) => VISITOR_METHODS.has(path);

const VISITOR_REQUEST_HEADERS = ['Content-Type', PATHS.IDEMPOTENCY_HEADER].join(', ');
/** The request headers that clients of Solana Actions send. */
const ACTION_HEADERS =
  'Content-Type, Authorization, Content-Encoding, Accept-Encoding, X-Accept-Action-Version, X-Accept-Blockchain-Ids';
/** How long, in seconds, a browser remembers a preflight. Chromium allows at most two hours. */
const PREFLIGHT_AGE_SECONDS = '7200';

/**
 * Sets the headers of the API's answers, and answers preflights. If the site is on another origin, its pages may make visitor
 * calls, with the visitor's cookies, but not the team's calls. Pages of all other origins may only make public reads and the
 * calls in `ANY_ORIGIN_PATHS`, without cookies.
 */
export function apiHeaders({ data, publicData }: SecurityHeaders): RequestHandler {
  const { anyone, site } = publicData;
  return (request, response, next) => {
    const { origin, 'access-control-request-method': requestedMethod } = request.headers;
    const method = site !== null && origin === site.origin ? VISITOR_METHODS.get(request.path) : undefined;
    const isSite = site !== null && method !== undefined;
    applyHeaders(response, isSite ? site.headers : isPublic(request) ? anyone : data);
    // Routes whose answers may be cached replace this header.
    response.setHeader('Cache-Control', 'no-store');
    const isAnyOrigin = ANY_ORIGIN_PATHS.has(request.path);
    if (!(isSite || isAnyOrigin) || request.method !== 'OPTIONS' || requestedMethod === undefined)
      return next();
    response.setHeader('Access-Control-Allow-Methods', isAnyOrigin ? 'GET, POST' : (method ?? ''));
    response.setHeader(
      'Access-Control-Allow-Headers',
      isAnyOrigin ? ACTION_HEADERS : VISITOR_REQUEST_HEADERS,
    );
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_AGE_SECONDS);
    response.writeHead(204).end();
  };
}
