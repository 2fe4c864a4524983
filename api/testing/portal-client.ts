import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export function sendForm(
  port: number,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return ask(port, path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Sends one request with exactly this path: dot segments are not resolved, and nothing is encoded. */
export function ask(
  port: number,
  path: string,
  { method = 'GET', headers, body }: AskOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers: { ...headers }, agent: false };
    const request = httpRequest(options, async (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** @returns everything that is received until the connection ends */
export async function askRaw(port: number, bytes: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.write(bytes, 'latin1');
  return text(socket);
}

interface StreamEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: unknown;
}

export interface EventStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Waits for the next event; null at the end of the stream. */
  next(): Promise<StreamEvent | null>;
  nextOf(kind: string): Promise<StreamEvent>;
  close(): void;
}

function parseEvent(block: string): StreamEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  const event = fields.get('event');
  if (event === undefined) return null;
  return { event, id: fields.get('id') ?? null, data: JSON.parse(fields.get('data') ?? 'null') };
}

async function* eventsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent, void> {
  let unparsed = '';
  for await (const chunk of chunks) {
    const blocks = (unparsed + chunk.toString('utf8')).split('\n\n');
    unparsed = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event) yield event;
    }
  }
}

export function openStream(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers: { ...headers }, agent: false };
    const request = httpRequest(options, (response) => {
      // A broken stream ends like a closed one.
      response.on('error', () => {});
      const events = eventsOf(response);
      const next = async () => {
        try {
          return (await events.next()).value ?? null;
        } catch {
          return null;
        }
      };
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        next,
        nextOf: async (kind) => {
          for (let event = await next(); event !== null; event = await next()) {
            if (event.event === kind) return event;
          }
          throw new Error(`The stream ended without a ${kind} event.`);
        },
        close: () => request.destroy(),
      });
    });
    request.on('error', reject);
    request.end();
  });
}
