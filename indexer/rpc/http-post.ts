import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';

/** The longest accepted response, compressed or not: about a hundred times the length of a batch of transactions. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** An error response of up to this many bytes is read to its end, so that the connection can be reused. */
const MAX_ERROR_BYTES = 128 * 1024;
/**
 * The longest error response that is returned. Longer ones are dropped, not truncated, because truncation could split an
 * API key, and part of a key is not redacted.
 */
const MAX_REASON_BYTES = 4 * 1024;
/** About the size of a hundred transactions. */
const INITIAL_BYTES = 256 * 1024;
const MAX_POOLED_BYTES = 1024 * 1024;
const MAX_POOLED_BUFFERS = 16;

// `fetch` is not used, because its promise for each chunk costs more than the rest of a request.
const agent = new Agent({ maxResponseSize: MAX_RESPONSE_BYTES });

const DECOMPRESSORS = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const;

export interface HttpResponse {
  readonly status: number;
  /** The `Retry-After` header; null if it is absent. */
  readonly retryAfter: string | null;
  /** Empty for an error response that is long or truncated. The caller may change the bytes. */
  readonly body: Buffer;
  /** Lets a later response reuse the body's buffer. Call it after reading the body. */
  release(): void;
}

/**
 * Posts JSON and reads the response, which may be compressed. Does not follow redirects.
 *
 * @throws an error of the system, undici or zlib if there is no connection, or if a successful response is truncated, too long
 * or has corrupt compression; the signal's reason if it aborts
 */
export async function postJson(url: string, json: Buffer, signal: AbortSignal): Promise<HttpResponse> {
  let head: Pick<Dispatcher.StreamFactoryData, 'statusCode' | 'headers'> = { statusCode: 0, headers: {} };
  let pooledBody: PooledBody | null = null;
  let errorChunks: readonly Buffer[] = [];
  const { origin, pathname, search } = new URL(url);
  const request = {
    origin,
    path: `${pathname}${search}`,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': Object.keys(DECOMPRESSORS).join(', ') },
    body: json,
    signal,
  } as const;
  try {
    await agent.stream(request, (streamData) => {
      head = streamData;
      pooledBody = isSuccess(streamData.statusCode) ? new PooledBody() : null;
      return (
        pooledBody ??
        createDiscardStream((chunks) => {
          errorChunks = chunks;
        })
      );
    });
  } catch (error) {
    // For an error response the status is enough, even if the body is truncated.
    if (signal.aborted || head.statusCode === 0 || isSuccess(head.statusCode)) throw error;
  }
  return readResponse(head, pooledBody, Buffer.concat(errorChunks));
}

async function readResponse(
  { statusCode: status, headers }: Pick<Dispatcher.StreamFactoryData, 'statusCode' | 'headers'>,
  pooledBody: PooledBody | null,
  errorBody: Buffer,
): Promise<HttpResponse> {
  const [retryAfter = null] = [headers['retry-after'] ?? []].flat();
  const encoding = headers['content-encoding'];
  const body = pooledBody
    ? await decompress(pooledBody.bytes, encoding)
    : await decompress(errorBody, encoding).catch(() => Buffer.alloc(0));
  return { status, retryAfter, body, release: () => pooledBody?.release() };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Discards a body unless it is short. A very long body makes the stream fail, which closes the connection. */
function createDiscardStream(onShortBody: (chunks: readonly Buffer[]) => void): Writable {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      length += chunk.length;
      if (length <= MAX_REASON_BYTES) chunks.push(Buffer.from(chunk));
      done(length > MAX_ERROR_BYTES ? new Error('The error response is too long to discard.') : null);
    },
    final: (done) => {
      if (length <= MAX_REASON_BYTES) onShortBody(chunks);
      done();
    },
  });
}

async function decompress(bytes: Buffer, encoding: string | readonly string[] | undefined): Promise<Buffer> {
  if (bytes.length > 0 && (encoding === 'gzip' || encoding === 'deflate' || encoding === 'br')) {
    return DECOMPRESSORS[encoding](bytes, { maxOutputLength: MAX_RESPONSE_BYTES });
  }
  return bytes;
}

const freeBuffers: Buffer[] = [];

/**
 * Collects a response body in a pooled buffer. A new buffer for each response would make the garbage collector run
 * several times as often.
 */
class PooledBody extends Writable {
  #buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #length = 0;

  constructor() {
    // Chunks are copied immediately, so no backpressure is needed.
    super({ highWaterMark: Number.MAX_SAFE_INTEGER });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length);
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
    done();
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  release(): void {
    const buffer = this.#buffer;
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
    const isPoolable = buffer.length > 0 && buffer.length <= MAX_POOLED_BYTES;
    if (isPoolable && freeBuffers.length < MAX_POOLED_BUFFERS) freeBuffers.push(buffer);
  }
}
