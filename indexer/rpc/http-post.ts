import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { CollectedBody } from './collected-body.ts';

/** The longest answer that is taken, in bytes, packed or not: a batch of transactions is a hundredth of it. */
const LONGEST_ANSWER = 64 * 1024 * 1024;
/** Bytes of an answer that is no success that are read past, so that its connection serves the next request. */
const LONGEST_REFUSAL = 128 * 1024;

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
 * @throws the system's, undici's or zlib's error where there is no connection, or where a success breaks off, is too long or
 * badly packed; the signal's reason where it aborts
 */
export async function postJson(url: string, json: Buffer, signal: AbortSignal): Promise<HttpAnswer> {
  let head: Pick<Dispatcher.StreamFactoryData, 'statusCode' | 'headers'> = { statusCode: 0, headers: {} };
  let collected: CollectedBody | null = null;
  const request = {
    ...target(url),
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': Object.keys(UNPACKED_BY).join(', ') },
    body: json,
    signal,
  } as const;
  try {
    await agent.stream(request, (begun) => {
      head = begun;
      collected = isSuccess(begun.statusCode) ? new CollectedBody() : null;
      return collected ?? nowhere();
    });
  } catch (error) {
    // Of a refusal the status says what there is to know, whatever becomes of its body.
    if (signal.aborted || head.statusCode === 0 || isSuccess(head.statusCode)) throw error;
  }
  return answerOf(head, collected);
}

async function answerOf(
  { statusCode: status, headers }: Pick<Dispatcher.StreamFactoryData, 'statusCode' | 'headers'>,
  collected: CollectedBody | null,
): Promise<HttpAnswer> {
  const [retryAfter = null] = [headers['retry-after'] ?? []].flat();
  const body = collected ? await unpacked(collected.bytes, headers['content-encoding']) : Buffer.alloc(0);
  return { status, retryAfter, body, release: () => collected?.release() };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Takes the body of a refusal, and fails where it is long: its connection is then given up. */
function nowhere(): Writable {
  let length = 0;
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      length += chunk.length;
      done(length > LONGEST_REFUSAL ? new Error('The refusal is too long to be read past.') : null);
    },
  });
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
