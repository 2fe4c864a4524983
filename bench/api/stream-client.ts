import { connect, type Socket } from 'node:net';
import { LIVE_PATH } from '../../data/contract/live.ts';

// Holds many event streams open, and tells the parent when all of them were told of something.

/** What the parent asks for: to open streams, or to watch for a text in what they are told. */
export type StreamOrder =
  | { readonly type: 'open'; readonly port: number; readonly streams: number }
  | { readonly type: 'watch'; readonly text: string };

export type StreamNews =
  | { readonly type: 'opened'; readonly streams: number; readonly refusal: string | null }
  | { readonly type: 'watching' }
  /** Milliseconds of Unix time at which the first and the last stream had the text. */
  | { readonly type: 'told'; readonly first: number; readonly last: number };

/** Connections being opened at a time: fewer than a listening socket lets wait. */
const OPENING = 64;

interface Stream {
  readonly socket: Socket;
  /** The end of what came, in which a text may begin. */
  rest: Buffer;
  hasText: boolean;
}

const streams: Stream[] = [];
let watched: { readonly text: Buffer; first: number; left: number } | null = null;

const send = (news: StreamNews) => process.send?.(news);
const now = () => performance.timeOrigin + performance.now();

function receive(stream: Stream, bytes: Buffer): void {
  if (!watched || stream.hasText) return;
  const { text } = watched;
  const told = Buffer.concat([stream.rest, bytes]);
  stream.rest = told.subarray(Math.max(0, told.length - text.length + 1));
  if (!told.includes(text)) return;
  stream.hasText = true;
  watched.left -= 1;
  watched.first ||= now();
  if (watched.left === 0) send({ type: 'told', first: watched.first, last: now() });
}

/** Opens a stream as a proxy on this machine would for a visitor of its own; rejects with the first line of a refusal. */
function open(port: number, number: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
    socket.write(`GET ${LIVE_PATH} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`);
    const stream: Stream = { socket, rest: Buffer.alloc(0), hasText: false };
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
  let next = 0;
  let refusal: string | null = null;
  const one = async () => {
    while (next < count && refusal === null) {
      next += 1;
      await open(port, next).catch((error: unknown) => {
        refusal ??= error instanceof Error ? error.message : String(error);
      });
    }
  };
  await Promise.all(Array.from({ length: OPENING }, one));
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
    stream.rest = Buffer.alloc(0);
  }
  watched = { text: Buffer.from(order.text), first: 0, left: streams.length };
  send({ type: 'watching' });
});
process.once('disconnect', () => process.exit());
