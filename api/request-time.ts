import type { IncomingMessage, Server } from 'node:http';

/**
 * Ends a request whose body has not come whole within so many milliseconds, as the server itself does after its own,
 * longer time. A request without a body has come whole already.
 */
export function endRequestWithin(milliseconds: number, server: Server, request: IncomingMessage): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return;
  const { socket } = request;
  const timer = setTimeout(() => {
    if (request.complete) return;
    const fault = Object.assign(new Error('The request took too long.'), {
      code: 'ERR_HTTP_REQUEST_TIMEOUT',
    });
    server.emit('clientError', fault, socket);
  }, milliseconds);
  timer.unref();
  const clear = () => clearTimeout(timer);
  request.once('end', clear).once('close', clear);
}
