import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';

/** The longest answer that is taken, in bytes, packed or not: a batch of transactions is a hundredth of it. */
const LONGEST_ANSWER = 64 * 1024 * 1024;

// The transport below `fetch`, without its streams: those cost more than the rest of a request.
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
  /** Empty where the answer is no success. */
  readonly body: Buffer;
}

/**
 * Posts JSON and reads the whole answer, which may be compressed. Redirects are not followed; the body of an answer that
 * is no success is thrown away.
 *
 * @throws the system's, undici's or zlib's error where there is no connection, it breaks, or the answer is too long or badly
 * packed; the signal's reason where it aborts
 */
export async function postJson(url: string, json: string, signal: AbortSignal): Promise<HttpAnswer> {
  const response = await agent.request({
    ...target(url),
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': Object.keys(UNPACKED_BY).join(', ') },
    body: json,
    signal,
  });
  const status = response.statusCode;
  const isSuccess = status >= 200 && status < 300;
  if (!isSuccess) await response.body.dump();
  const header = response.headers['retry-after'];
  return {
    status,
    retryAfter: (Array.isArray(header) ? header[0] : header) ?? null,
    body: isSuccess ? await bytesOf(response) : Buffer.alloc(0),
  };
}

function target(url: string): Pick<Dispatcher.RequestOptions, 'origin' | 'path'> {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}` };
}

async function bytesOf({ headers, body }: Dispatcher.ResponseData): Promise<Buffer> {
  const encoding = headers['content-encoding'];
  const bytes = await body.bytes();
  if (encoding === 'gzip' || encoding === 'deflate' || encoding === 'br') {
    return UNPACKED_BY[encoding](bytes, { maxOutputLength: LONGEST_ANSWER });
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
