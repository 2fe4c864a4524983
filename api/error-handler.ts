import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ErrorRequestHandler, Request, Response } from 'express';
import type { ErrorBody } from '../data/contract/call.ts';
import type { Logger } from '../data/runtime/log.ts';
import { isWriteError, StoreUnavailableError } from '../data/store/store-errors.ts';
import { ApiError } from './errors.ts';
import { freeBuffer } from './free-buffer.ts';
import { isAnyOriginPath } from './security/site-access.ts';
import { takeTurn } from './take-turn.ts';

/** A rejected body of up to this many bytes is read to its end, so that the connection can be reused. */
const MAX_DRAINED_BYTES = 1_000_000;
/** The server stops reading a longer body after this many bytes. */
const MAX_DROPPED_BYTES = 4_000_000;
/** How long (ms) the client has to read the answer and stop sending. */
const LINGER_MS = 3_000;

function isTooLongToDrain(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > MAX_DRAINED_BYTES;
}

/**
 * Answers a request whose body is still arriving, then closes the connection. Closing at once with unread bytes would
 * reset the connection and lose the answer. So the whole answer goes out first, and the connection closes when the client
 * stops sending, or after `LINGER_MS`.
 * @param body JSON
 */
function answerAndHangUp(request: IncomingMessage, response: Response, body: string): void {
  const { socket } = request;
  let droppedBytes = 0;
  const end = () => {
    clearTimeout(timer);
    request.off('data', drop);
    response.end();
    socket.destroySoon();
  };
  const timer = setTimeout(end, LINGER_MS);
  const drop = (chunk: Buffer) => {
    droppedBytes += chunk.length;
    freeBuffer(chunk);
    request.pause();
    if (droppedBytes <= MAX_DROPPED_BYTES) takeTurn(() => request.resume());
  };
  request.on('error', () => {});
  request.once('end', end);
  socket.once('close', end);
  response.setHeader('Connection', 'close');
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.write(body);
  request.on('data', drop);
  request.resume();
}

export function errorBodyOf(error: ApiError): ErrorBody {
  return { success: false, error: error.message, code: error.code };
}

/**
 * The error that the client gets. An `ApiError` is returned unchanged, and a store that cannot be used has its own errors. Any
 * other error is logged under an id, and the client gets only the id.
 */
export function clientError(
  thrown: unknown,
  { method, path }: Pick<Request, 'method' | 'path'>,
  log: Logger,
): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof StoreUnavailableError) {
    // `StoreWatch` logs each store problem once, when it notices the problem.
    if (thrown.problem !== null) return new ApiError(`store-${thrown.problem.kind}`, { cause: thrown });
    log.warn({ err: thrown, method, path }, 'the store cannot be used');
    return new ApiError('store-unreachable', { cause: thrown });
  }
  if (isWriteError(thrown)) return new ApiError('store-full', { cause: thrown });
  const error = new ApiError('internal', { id: randomUUID(), cause: thrown });
  // Only the path is logged, because a query may carry personal data.
  log.error({ err: thrown, answer: error.message, method, path }, 'request failed');
  return error;
}

export function errorHandler(log: Logger): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    const error = clientError(thrown, request, log);
    if (response.headersSent) return next(thrown);
    response.status(error.status).set({ ...error.headers, 'Cache-Control': 'no-store' });
    const body = errorBodyOf(error);
    // Clients of Solana Actions show the field `message`.
    if (isAnyOriginPath(request.path)) Object.assign(body, { message: error.message });
    if (isTooLongToDrain(request)) answerAndHangUp(request, response, JSON.stringify(body));
    else response.json(body);
  };
}
