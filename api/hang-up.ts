import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';

/** Bytes of a body that are read to their end after a refusal, so that the connection can be used again. */
const LITTLE = 1_000_000;
/** Bytes that are read and dropped after a refusal, before the client is left to itself. */
const DROPPED = 4_000_000;
/** Milliseconds that a client gets to take its answer and to stop sending. */
const LINGER = 3_000;

/** Whether a request that is refused goes on to send more than it is worth to read. */
export function hasMuchToCome(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || Number(length ?? 0) > LITTLE;
}

/**
 * Answers a request whose body is still being sent, reads no more of it than a little, and ends the connection. Ended at
 * once, with bytes that nobody read, it would be reset, and the client would lose the answer: so the whole answer goes
 * out first, and the connection ends when the client has stopped, or after a moment.
 * @param body JSON
 */
export function answerAndHangUp(request: IncomingMessage, response: Response, body: string): void {
  const { socket } = request;
  let dropped = 0;
  const end = () => {
    clearTimeout(timer);
    request.off('data', drop);
    response.end();
    socket.destroySoon();
  };
  const timer = setTimeout(end, LINGER);
  const drop = (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > DROPPED) request.pause();
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
