import {
  createServer,
  type IncomingMessage,
  METHODS,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Express } from 'express';
import { CALLS } from '../data/contract/calls.ts';
import * as PATHS from '../data/contract/paths.ts';
import { PORTAL_LIMITS } from '../data/model/portal-terms.ts';
import { type OpenSpan, openSpan } from '../data/runtime/tracing.ts';
import { ApiError } from './errors.ts';
import { answerFromCache, type CachedAnswer, errorAnswer, sendAnswer } from './metrics/cached-answer.ts';
import { OPERATIONS_PATHS } from './operations/operations-routes.ts';
import { CLIENT_LEFT, type RequestCounts, type RouteClass } from './operations/request-counts.ts';
import { routeLabel, type TimeRequest } from './operations/request-metrics.ts';
import type { HeaderList } from './security/headers.ts';
import { takeTurn } from './take-turn.ts';

/** How long (ms) a client has to send the headers of a request, the whole request, or an upload. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 30_000;
const UPLOAD_TIMEOUT_MS = PORTAL_LIMITS.uploadMinutes * 60_000;
/** How long an idle connection stays open. Pages poll more often than that, so they can reuse their connection. */
const KEEP_ALIVE_MS = 65_000;
const UPLOAD_PATHS: ReadonlySet<string> = new Set(
  CALLS.filter(({ files }) => files !== undefined).map(({ path }) => path),
);

/** Not called for requests that are answered from memory: those are counted as figures. */
function routeClassOf(path: string): RouteClass {
  if (path === PATHS.live || path === PATHS.adminLive) return 'stream';
  if (PATHS.isApiPath(path)) return 'call';
  return OPERATIONS_PATHS.includes(path) ? 'operations' : 'page';
}

/**
 * The path and query of a request target, or null if it has none. A proxy may send the absolute form
 * (`http://host/path`, RFC 9112 section 3.2.2), whose host is ignored.
 */
function originForm(target: string): string | null {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  return url.pathname + url.search;
}

/**
 * Ends a request whose body has not fully arrived after `REQUEST_TIMEOUT_MS`. Node itself would wait for `UPLOAD_TIMEOUT_MS`.
 */
function limitRequestTime(server: Server, request: IncomingMessage): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return;
  const { socket } = request;
  const timer = setTimeout(() => {
    if (request.complete) return;
    const code = 'ERR_HTTP_REQUEST_TIMEOUT';
    server.emit('clientError', Object.assign(new Error('The request took too long.'), { code }), socket);
  }, REQUEST_TIMEOUT_MS);
  timer.unref();
  const clear = () => clearTimeout(timer);
  request.once('end', clear).once('close', clear);
}

function rawAnswer(error: ApiError, security: HeaderList): string {
  const { status, headers, body } = errorAnswer(error, { anyone: security, site: null });
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, 'Connection: close'];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    lines.push(`${headers[index]}: ${headers[index + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Answers requests that the HTTP parser rejects before Express sees them. The errors have the same form as all other errors. */
function answerConnectionErrors(server: Server, security: HeaderList): void {
  const malformed = rawAnswer(new ApiError('malformed-request'), security);
  const answerByCode = new Map([
    ['HPE_HEADER_OVERFLOW', rawAnswer(new ApiError('headers-too-large'), security)],
    ['ERR_HTTP_REQUEST_TIMEOUT', rawAnswer(new ApiError('request-timeout'), security)],
  ]);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(answerByCode.get(error.code ?? '') ?? malformed, () => socket.destroy());
  });
}

/** Starts the span of a request; null if tracing is off. */
function requestSpan(
  { method = '', headers, socket }: IncomingMessage,
  route: string,
  isTrusted: (address: string | undefined) => boolean,
): OpenSpan | null {
  return openSpan(() => {
    const methodLabel = METHODS.includes(method) ? method : '_OTHER';
    return {
      name: `${methodLabel} ${route}`,
      kind: 'server',
      attributes: { 'http.request.method': methodLabel, 'http.route': route },
      // Only trusted proxies may continue a trace. Otherwise, anyone could add spans to other clients' traces.
      caller: isTrusted(socket.remoteAddress) ? headers : {},
    };
  });
}

function endRequestSpan(span: OpenSpan, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
  span.end();
}

/** The HTTP server. It answers requests for figures from memory, and passes all other requests to the Express app. */
export function createHttpServer(options: {
  readonly app: Express;
  readonly answers: ReadonlyMap<string, CachedAnswer>;
  readonly requests: RequestCounts;
  readonly timeRequest: TimeRequest;
  readonly security: HeaderList;
  /** Whether an address belongs to a trusted proxy, whose trace headers are accepted. */
  readonly isTrusted: (address: string | undefined) => boolean;
}): Server {
  const { app, answers, requests, timeRequest, security, isTrusted } = options;
  const publicHeaders = { anyone: security, site: null };
  const malformedTarget = errorAnswer(new ApiError('malformed-target'), publicHeaders);
  const missingHost = errorAnswer(new ApiError('missing-host'), publicHeaders);

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.host === undefined && request.httpVersion === '1.1')
      return sendAnswer(missingHost, request, response);
    if (answerFromCache(answers, request, response)) {
      requests.count('figure', response.statusCode);
      return;
    }
    const target = originForm(request.url ?? '');
    if (target === null) return sendAnswer(malformedTarget, request, response);
    request.url = target;
    const [path = ''] = target.split('?');
    const routeClass = routeClassOf(path);
    const startedAt = performance.now();
    const span =
      routeClass === 'stream' ? null : requestSpan(request, routeLabel(routeClass, path), isTrusted);
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : CLIENT_LEFT;
      requests.count(routeClass, status);
      if (span) endRequestSpan(span, status);
      timeRequest(routeClass, path, (performance.now() - startedAt) / 1_000);
    });
    if (!UPLOAD_PATHS.has(path)) limitRequestTime(server, request);
    if (span) takeTurn(() => span.run(() => app(request, response)));
    else takeTurn(() => app(request, response));
  };
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: UPLOAD_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node's own check of the Host header sends an error without a body. `listener` sends an API error instead.
      requireHostHeader: false,
      optimizeEmptyRequests: true,
    },
    listener,
  );
  server.on('checkExpectation', listener);
  answerConnectionErrors(server, security);
  return server;
}
