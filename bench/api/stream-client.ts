import { connect, type Socket } from 'node:net';
import * as PATHS from '../../data/contract/paths.ts';

// Keeps many event streams open, and reports to the parent when all of them have received a given string.

export type StreamOrder =
  | { readonly type: 'open'; readonly port: number; readonly streams: number }
  | { readonly type: 'watch'; readonly text: string };

export type StreamReport =
  | { readonly type: 'opened'; readonly streams: number; readonly refusal: string | null }
  | { readonly type: 'watching' }
  /** The times (Unix ms) at which the first and the last stream received the string. */
  | { readonly type: 'received'; readonly first: number; readonly last: number };

/** How many connections are opened in parallel: fewer than a listening socket's backlog. */
const MAX_CONNECTING = 64;

interface Stream {
  readonly socket: Socket;
  /** The last bytes received. The string may begin in them and end in the next bytes. */
  tail: Buffer;
  hasText: boolean;
}

const streams: Stream[] = [];
let watch: { readonly text: Buffer; first: number; streamsLeft: number } | null = null;

const send = (report: StreamReport) => process.send?.(report);
const now = () => performance.timeOrigin + performance.now();

function receive(stream: Stream, bytes: Buffer): void {
  if (!watch || stream.hasText) return;
  const { text } = watch;
  const recent = Buffer.concat([stream.tail, bytes]);
  stream.tail = recent.subarray(Math.max(0, recent.length - text.length + 1));
  if (!recent.includes(text)) return;
  stream.hasText = true;
  watch.streamsLeft -= 1;
  watch.first ||= now();
  if (watch.streamsLeft === 0) send({ type: 'received', first: watch.first, last: now() });
}

/**
 * Opens a stream with a client address of its own, sent in `X-Forwarded-For` as a local proxy would.
 * @throws {Error} with the status line if the stream is refused
 */
function open(port: number, number: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    const address = `10.${number >> 8}.${number & 255}.1`;
    socket.write(`GET ${PATHS.live} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`);
    const stream: Stream = { socket, tail: Buffer.alloc(0), hasText: false };
    socket.once('data', (head) => {
      const [line = ''] = head.toString('latin1').split('\r\n');
      if (!line.includes(' 200 ')) {
        socket.destroy();
        reject(new Error(line));
        return;
      }
      streams.push(stream);
      socket.on('data', (bytes) => receive(stream, bytes));
      resolve();
    });
    socket.once('error', reject);
  });
}

async function openAll(port: number, count: number): Promise<string | null> {
  let startedCount = 0;
  let refusal: string | null = null;
  const openInTurn = async () => {
    while (startedCount < count && refusal === null) {
      startedCount += 1;
      await open(port, startedCount).catch((error: unknown) => {
        refusal ??= error instanceof Error ? error.message : String(error);
      });
    }
  };
  await Promise.all(Array.from({ length: MAX_CONNECTING }, openInTurn));
  return refusal;
}

process.on('message', async (order: StreamOrder) => {
  if (order.type === 'open') {
    const refusal = await openAll(order.port, order.streams);
    send({ type: 'opened', streams: streams.length, refusal });
    return;
  }
  for (const stream of streams) {
    stream.hasText = false;
    stream.tail = Buffer.alloc(0);
  }
  watch = { text: Buffer.from(order.text), first: 0, streamsLeft: streams.length };
  send({ type: 'watching' });
});
process.once('disconnect', () => process.exit());
