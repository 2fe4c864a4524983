import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { CollectedBody } from './collected-body.ts';

/** The longest answer that is taken, in bytes, packed or not: a batch of transactions is a hundredth of it. */
const LONGEST_ANSWER = 64 * 1024 * 1024;

// The transport below `fetch`, without its promises of chunks: those cost more than the rest of a request.
const agent = new Agent({ maxResponseSize: LONGEST_ANSWER });

const UNPACKED_BY = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const;

export interface HttpAnswer {
  readonly status: number;
  /** What `Retry-After` says; null where it is absent. */
  readonly retryAfter: string | null;
  /** Empty where the answer is no success. It may be written to. */
  readonly body: Buffer;
  /** To be called when the body has been read: its bytes are then used for other answers. */
  release(): void;
}

/**
 * Posts JSON and reads the whole answer, which may be compressed. Redirects are not followed; the body of an answer that
 * is no success is thrown away.
 *
 * @throws the system's, undici's or zlib's error where there is no connection, it breaks, or the answer is too long or badly
 * packed; the signal's reason where it aborts
 */
export async function postJson(url: string, json: string, signal: AbortSignal): Promise<HttpAnswer> {
  const collected = new CollectedBody();
  let head: Pick<Dispatcher.StreamFactoryData, 'statusCode' | 'headers'> = { statusCode: 0, headers: {} };
  await agent.stream(
    {
      ...target(url),
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': Object.keys(UNPACKED_BY).join(', ') },
      body: json,
      signal,
    },
    (begun) => {
      head = begun;
      return isSuccess(begun.statusCode) ? collected : nowhere();
    },
  );
  const { statusCode: status, headers } = head;
  const [retryAfter = null] = [headers['retry-after'] ?? []].flat();
  const release = () => collected.release();
  return { status, retryAfter, body: await unpacked(collected.bytes, headers['content-encoding']), release };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

function target(url: string): Pick<Dispatcher.RequestOptions, 'origin' | 'path'> {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}` };
}

async function unpacked(bytes: Buffer, encoding: string | readonly string[] | undefined): Promise<Buffer> {
  if (bytes.length > 0 && (encoding === 'gzip' || encoding === 'deflate' || encoding === 'br')) {
    return UNPACKED_BY[encoding](bytes, { maxOutputLength: LONGEST_ANSWER });
  }
  return bytes;
}
