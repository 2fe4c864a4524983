// @module-tag slow
import type { RequestListener } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '../testing/fake-server.ts';
import { postJson } from './http-post.ts';

async function serve(answer: RequestListener): Promise<string> {
  const { url, close } = await startHttpServer(answer);
  onTestFinished(close);
  return url;
}

const neverAborted = new AbortController().signal;
const EMPTY_LIST = Buffer.from('[]');
const TEXT = JSON.stringify({ result: 'ü'.repeat(5_000) });

describe('a post', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('decompresses a %s response', async (encoding, pack) => {
    const url = await serve((request, response) => {
      expect(request.headers['accept-encoding']).toContain(encoding);
      response.setHeader('content-encoding', encoding).end(pack(TEXT));
    });
    const { body, release: _, ...head } = await postJson(url, EMPTY_LIST, neverAborted);
    expect(head).toEqual({ status: 200, retryAfter: null });
    expect(body.toString()).toBe(TEXT);
  });

  it('sends the JSON to the path and query of the URL', async () => {
    const url = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        response.end(JSON.stringify([request.method, request.url, request.headers['content-type'], body]));
      });
    });
    const { body } = await postJson(`${url}/rpc?api-key=k`, Buffer.from('["ü"]'), neverAborted);
    expect(JSON.parse(body.toString())).toEqual(['POST', '/rpc?api-key=k', 'application/json', '["ü"]']);
  });

  it('rejects a response that decompresses to more than the limit', async () => {
    const packed = gzipSync(Buffer.alloc(65 * 1024 * 1024), { level: 1 });
    const url = await serve((_request, response) => {
      response.setHeader('content-encoding', 'gzip').end(packed);
    });
    await expect(postJson(url, EMPTY_LIST, neverAborted)).rejects.toMatchObject({
      code: 'ERR_BUFFER_TOO_LARGE',
    });
  });

  it('rejects a response that is not compressed as declared', async () => {
    const url = await serve((_request, response) => {
      response.setHeader('content-encoding', 'gzip').end(TEXT);
    });
    await expect(postJson(url, EMPTY_LIST, neverAborted)).rejects.toMatchObject({ code: 'Z_DATA_ERROR' });
  });

  it.each([
    ['short', 'slow down', undefined, 'slow down'],
    ['short and compressed', gzipSync('slow down'), 'gzip', 'slow down'],
    ['long', 'x'.repeat(4_097), undefined, ''],
    ['not compressed as declared', 'slow down', 'gzip', ''],
  ])(
    'returns an error body only if it is short and readable: %s',
    async (_what, sent, encoding, expected) => {
      const url = await serve((_request, response) => {
        if (encoding) response.setHeader('content-encoding', encoding);
        response.writeHead(403).end(sent);
      });
      const { status, body } = await postJson(url, EMPTY_LIST, neverAborted);
      expect([status, body.toString()]).toEqual([403, expected]);
    },
  );

  it('returns an error response with its Retry-After, and without its endless body', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(429, { 'retry-after': '7' });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, 'x')));
      };
      response.on('drain', more);
      more();
    });
    const refused = { status: 429, retryAfter: '7', body: Buffer.alloc(0) };
    expect(await postJson(url, EMPTY_LIST, neverAborted)).toMatchObject(refused);
  });

  it('returns an error response with a truncated body', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(503, { 'content-length': 100 });
      response.write('overloa', () => response.destroy());
    });
    const refused = { status: 503, retryAfter: null, body: Buffer.alloc(0) };
    expect(await postJson(url, EMPTY_LIST, neverAborted)).toMatchObject(refused);
  });

  it('keeps concurrent and consecutive responses of any length apart', async () => {
    const url = await serve((request, response) => {
      const length = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('length'));
      response.end('x'.repeat(length - 1) + (length % 10));
    });
    const lengths = [1, 70_000, 300_000, 2_000_000, 12, 300_001];
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(
        lengths.map((length) => postJson(`${url}?length=${length}`, EMPTY_LIST, neverAborted)),
      );
      for (const [index, { body, release }] of answers.entries()) {
        const length = lengths[index] ?? 0;
        expect(body.toString()).toBe('x'.repeat(length - 1) + (length % 10));
        release();
      }
    }
  });

  it('fails with the reason for the abort if it is aborted during the response', async () => {
    const ending = new AbortController();
    const reason = new Error('enough');
    const url = await serve((_request, response) => {
      response.write('[');
      setImmediate(() => ending.abort(reason));
    });
    await expect(postJson(url, EMPTY_LIST, ending.signal)).rejects.toBe(reason);
  });
});
