/**
 * The HTTP side: POST takes JSON-RPC at any path, GET /health answers `ok`, anything else is refused, and so is whoever is not
 * of this machine.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { stringifyJson } from './json.ts';
import { foreignFault } from './loopback-only.ts';
import { INTERNAL_ERROR, INVALID_REQUEST } from './rpc-error.ts';

/** Bytes that one request may have. */
export const MOST_BODY_BYTES = 5 * 1024 * 1024;
/** What a client may go on sending after it was refused; it reads the refusal only once it is done. */
const MOST_DISCARDED_BYTES = 4 * MOST_BODY_BYTES;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers one JSON-RPC message; null where there is nothing to answer. */
export type AnswerMessage = (text: string) => Promise<string | null>;

function reply(response: ServerResponse, status: number, type: string, text: string): void {
  const body = Buffer.from(text, 'utf8');
  response.writeHead(status, { 'content-length': body.length, 'content-type': type });
  response.end(body);
}

function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  reply(response, status, JSON_TYPE, stringifyJson({ jsonrpc: '2.0', error: { code, message }, id: null }));
}

/** The body as text, or null where it is larger than allowed; then the rest is read and thrown away. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_DISCARDED_BYTES) break;
    if (length <= MOST_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return length > MOST_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8');
}

function isJson(request: IncomingMessage): boolean {
  return /^application\/json\b/i.test(request.headers['content-type'] ?? '');
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  answer: AnswerMessage,
): Promise<void> {
  const foreign = foreignFault(request);
  if (foreign !== null) {
    reply(response, 403, 'text/plain; charset=utf-8', `${foreign}\n`);
    return;
  }
  const [pathname] = (request.url ?? '/').split('?', 1);
  if ((request.method === 'GET' || request.method === 'HEAD') && pathname === '/health') {
    reply(response, 200, 'text/plain; charset=utf-8', 'ok');
    return;
  }
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST');
    reply(response, 405, 'text/plain; charset=utf-8', 'Used HTTP Method is not allowed. POST is required\n');
    return;
  }
  // A second lock: a page can post text without asking the server first, but not JSON.
  if (!isJson(request)) {
    const text = 'Supplied content type is not allowed. Content-Type: application/json is required\n';
    reply(response, 415, 'text/plain; charset=utf-8', text);
    return;
  }
  const body = await readBody(request);
  if (body === null) {
    refuse(response, 413, INVALID_REQUEST, `Invalid request: a body has at most ${MOST_BODY_BYTES} bytes`);
    return;
  }
  const text = await answer(body);
  if (text === null) response.writeHead(204).end();
  else reply(response, 200, JSON_TYPE, text);
}

/** A listener for node:http that never throws. */
export function createHttpListener(
  answer: AnswerMessage,
  report: (where: string, fault: unknown) => void,
): RequestListener {
  return (request, response) => {
    handle(request, response, answer).catch((fault: unknown) => {
      // A client that hung up half-way is no fault of ours.
      if (request.destroyed && !request.complete) return;
      report('http', fault);
      if (response.headersSent) response.destroy();
      else refuse(response, 500, INTERNAL_ERROR, 'Internal error');
    });
  };
}
