import { connect, type Socket } from 'node:net';
import { applyForLoan, submitContactMessage } from '../../data/contract/submissions.ts';

/** Milliseconds between two bytes of a slow client. */
const BYTE_INTERVAL_MS = 1_000;
const BOUNDARY = 'xxBOUNDARYxx';
/** Bytes that a slow upload sends before it becomes slow. All slow uploads together must not fill the space for uploads. */
const UPLOAD_START = 1_000_000;

const head = (path: string, type: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: portal.example.com\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n`;

/** The text that a slow client sends before it becomes slow. */
const BEGINNINGS = {
  headers: `${head(submitContactMessage.path, 'application/json', 1_000)}X-Slow: `,
  body: `${head(submitContactMessage.path, 'application/json', 1_000)}\r\n{"name":"`,
  upload: `${head(applyForLoan.path, `multipart/form-data; boundary=${BOUNDARY}`, 19_000_000)}\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="passportCopy"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n${'a'.repeat(UPLOAD_START)}`,
} as const;
export type SlowKind = keyof typeof BEGINNINGS;
export const SLOW_KINDS = Object.keys(BEGINNINGS) as SlowKind[];

export interface SlowClients {
  /** Connections that the portal ended so far. Each was replaced. */
  readonly ended: Readonly<Record<SlowKind, number>>;
  close(): void;
}

/** Keeps a number of slow clients of each kind connected, each from a separate network. */
export function openSlowClients(
  port: number,
  clientsOfKind: Readonly<Record<SlowKind, number>>,
): SlowClients {
  const ended: Record<SlowKind, number> = { headers: 0, body: 0, upload: 0 };
  const open = new Set<Socket>();
  let isClosed = false;

  function connectSlowly(kind: SlowKind, number: number): void {
    const localAddress = `127.${100 + SLOW_KINDS.indexOf(kind)}.${1 + (number % 250)}.1`;
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    open.add(socket);
    socket.on('error', () => {});
    socket.resume();
    socket.write(BEGINNINGS[kind]);
    socket.once('close', () => {
      open.delete(socket);
      if (isClosed) return;
      ended[kind] += 1;
      setTimeout(() => isClosed || connectSlowly(kind, number), BYTE_INTERVAL_MS).unref();
    });
  }

  for (const kind of SLOW_KINDS) {
    for (let number = 0; number < clientsOfKind[kind]; number += 1) connectSlowly(kind, number);
  }
  const timer = setInterval(() => {
    for (const socket of open) socket.write('x');
  }, BYTE_INTERVAL_MS);
  return {
    ended,
    close() {
      isClosed = true;
      clearInterval(timer);
      for (const socket of open) socket.destroy();
    },
  };
}
