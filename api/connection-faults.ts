import { type Server, STATUS_CODES } from 'node:http';
import { type ApiError, HeadersTooLargeError, MalformedRequestError, RequestTimeoutError } from './errors.ts';
import { errorAnswer } from './metrics/cached-answer.ts';
import type { HeaderList } from './security/headers.ts';

function rawAnswer(error: ApiError, security: HeaderList): string {
  const { status, headers, body } = errorAnswer(error, security);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, 'Connection: close'];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    lines.push(`${headers[index]}: ${headers[index + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Answers what the HTTP parser refuses, where no request exists yet, with the same body and headers as any other error. */
export function answerConnectionFaults(server: Server, security: HeaderList): void {
  const malformed = rawAnswer(new MalformedRequestError(), security);
  const byCode = new Map([
    ['HPE_HEADER_OVERFLOW', rawAnswer(new HeadersTooLargeError(), security)],
    ['ERR_HTTP_REQUEST_TIMEOUT', rawAnswer(new RequestTimeoutError(), security)],
  ]);
  server.on('clientError', (fault: NodeJS.ErrnoException, socket) => {
    if (fault.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(byCode.get(fault.code ?? '') ?? malformed, () => socket.destroy());
  });
}
