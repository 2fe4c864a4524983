import { connect, type Socket } from 'node:net';
import { applyForLoan, submitContactMessage } from '../../data/contract/submissions.ts';

const BYTE_INTERVAL_MS = 1_000;
const BOUNDARY = 'xxBOUNDARYxx';
/** How many bytes a slow upload sends before it becomes slow. All slow uploads together must not fill the upload space. */
const UPLOAD_START_BYTES = 1_000_000;

const requestHead = (path: string, type: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: portal.example.com\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n`;

/** The text that a slow client sends before it becomes slow. */
const BEGINNINGS = {
  headers: `${requestHead(submitContactMessage.path, 'application/json', 1_000)}X-Slow: `,
  body: `${requestHead(submitContactMessage.path, 'application/json', 1_000)}\r\n{"name":"`,
  upload: `${requestHead(applyForLoan.path, `multipart/form-data; boundary=${BOUNDARY}`, 19_000_000)}\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="passportCopy"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n${'a'.repeat(UPLOAD_START_BYTES)}`,
} as const;
export type SlowKind = keyof typeof BEGINNINGS;
const SLOW_KINDS = Object.keys(BEGINNINGS) as SlowKind[];

export interface SlowClients {
  /** How many connections of each kind the portal has ended so far. Each of these was replaced by a new one. */
  readonly endedCounts: Readonly<Record<SlowKind, number>>;
  close(): void;
}

/** Opens clients that send one byte a second, each from a separate network. */
export function openSlowClients(
  port: number,
  clientsOfKind: Readonly<Record<SlowKind, number>>,
): SlowClients {
  const endedCounts: Record<SlowKind, number> = { headers: 0, body: 0, upload: 0 };
  const openSockets = new Set<Socket>();
  let isClosed = false;

  function connectSlowly(kind: SlowKind, number: number): void {
    const localAddress = `127.${100 + SLOW_KINDS.indexOf(kind)}.${1 + (number % 250)}.1`;
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    openSockets.add(socket);
    socket.on('error', () => {});
    socket.resume();
    socket.write(BEGINNINGS[kind]);
    socket.once('close', () => {
      openSockets.delete(socket);
      if (isClosed) return;
      endedCounts[kind] += 1;
      setTimeout(() => isClosed || connectSlowly(kind, number), BYTE_INTERVAL_MS).unref();
    });
  }

  for (const kind of SLOW_KINDS) {
    for (let number = 0; number < clientsOfKind[kind]; number += 1) connectSlowly(kind, number);
  }
  const timer = setInterval(() => {
    for (const socket of openSockets) socket.write('x');
  }, BYTE_INTERVAL_MS);
  return {
    endedCounts,
    close() {
      isClosed = true;
      clearInterval(timer);
      for (const socket of openSockets) socket.destroy();
    },
  };
}
