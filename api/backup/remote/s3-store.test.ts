// @module-tag slow
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../data/store/testing/temporary-folder.ts';
import { startBucket, type TestBucket } from '../testing/bucket.ts';
import { createS3Store, type S3Store } from './s3-store.ts';
import type { SealedFile } from './sealed-file.ts';

/** The size of a part in bytes. A real bucket takes parts of at least 5 MiB; the test server takes parts of any size. */
const PART_BYTES = 64 * 1024;
const HOUR_MS = 3_600_000;
const COPY_NAME = 'app-20260102T030405Z.tar.age';

let bucket: TestBucket;
let store: S3Store;
let folder: string;
beforeEach(async () => {
  bucket = await startBucket();
  store = createS3Store(bucket.config, PART_BYTES);
  folder = temporaryFolder();
});

function fileOf(content: Buffer, name = COPY_NAME): SealedFile {
  const path = join(folder, name);
  writeFileSync(path, content);
  return { path, name, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}
const send = (file: SealedFile) => store.send(file, new AbortController().signal);
const isPart = (url = '') => url.includes('partNumber=');

describe('a bucket', () => {
  it('receives a large file in many parts, and returns the same bytes', async () => {
    const parts = new Set<string | undefined>();
    bucket.alterRequest = ({ url, method }, body) => {
      if (method === 'PUT') parts.add(url);
      return body;
    };
    const content = randomBytes(50 * PART_BYTES + 1);
    await send(fileOf(content));
    expect(parts.size).toBe(51);
    expect((await buffer(await store.open(COPY_NAME))).equals(content)).toBe(true);
    expect(await store.list()).toEqual([COPY_NAME]);
  });

  it('receives the whole file even if connections break while parts are sent', async () => {
    const brokenUrls = new Set<string>();
    bucket.alterRequest = ({ url = '' }, body) => {
      if (!isPart(url) || brokenUrls.has(url)) return body;
      brokenUrls.add(url);
      return null;
    };
    const content = randomBytes(2 * PART_BYTES + 1);
    await send(fileOf(content));
    expect(brokenUrls.size).toBe(3);
    expect((await buffer(await store.open(COPY_NAME))).equals(content)).toBe(true);
  });

  it.each([1, 3])('does not keep a file of %i part(s) that was corrupted in transit', async (partCount) => {
    bucket.alterRequest = ({ method }, body) => {
      if (method === 'PUT') body[0] = (body[0] ?? 0) ^ 1;
      return body;
    };
    await expect(send(fileOf(randomBytes(partCount * PART_BYTES)))).rejects.toThrow(
      'differs from the file that was sent',
    );
    expect(await store.list()).toEqual([]);
  });

  it('reports a damaged file that could not be deleted', async () => {
    bucket.alterRequest = ({ method }, body) => {
      if (method === 'DELETE') return null;
      if (method === 'PUT') body[0] = (body[0] ?? 0) ^ 1;
      return body;
    };
    await expect(send(fileOf(randomBytes(9)))).rejects.toThrow(
      /differs from the file that was sent.*could not be removed/,
    );
  });

  it('neither lists a file whose upload was stopped, nor waits for the upload', async () => {
    const stop = new AbortController();
    bucket.alterRequest = ({ url = '' }, body) => {
      if (!url.includes('partNumber=2')) return body;
      stop.abort();
      return null;
    };
    await expect(store.send(fileOf(randomBytes(4 * PART_BYTES)), stop.signal)).rejects.toThrow('stopped');
    expect(await store.list()).toEqual([]);
  });

  it('discards uploads that were interrupted a day ago, but not one that may still run', async () => {
    const upload = (key: string, at: number) =>
      `<Upload><Key>portal/${key}</Key><UploadId>${key}-id</UploadId><Initiated>${new Date(at).toISOString()}</Initiated></Upload>`;
    const uploads = `${upload('old', Date.now() - 25 * HOUR_MS)}${upload('new', Date.now() - 23 * HOUR_MS)}`;
    const realFetch = vi.fn(fetch);
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) =>
      init.method === 'GET' && url.includes('?prefix=') && url.includes('uploads')
        ? new Response(`<ListMultipartUploadsResult>${uploads}</ListMultipartUploadsResult>`)
        : realFetch(url, init),
    );
    onTestFinished(() => void vi.unstubAllGlobals());
    await send(fileOf(randomBytes(9)));
    // Other buckets are ignored: the upload that the test above stopped may still be discarding its parts there.
    const discarded = realFetch.mock.calls
      .filter(([url, init]) => init?.method === 'DELETE' && `${url}`.startsWith(bucket.config.bucketUrl))
      .map(([url]) => url);
    expect(discarded).toEqual([`${bucket.config.bucketUrl}/portal/old?uploadId=old-id`]);
    expect(await store.list()).toEqual([COPY_NAME]);
  });

  it('lists no files outside its prefix', async () => {
    await send(fileOf(randomBytes(9)));
    const other = createS3Store({ ...bucket.config, prefix: 'other/' });
    expect(await other.list()).toEqual([]);
    await store.remove(COPY_NAME);
    expect(await store.list()).toEqual([]);
  });

  it.each([
    ['the access key is unknown', { accessKeyId: 'NOBODY' }],
    ['it does not exist', { bucketUrl: 'http://127.0.0.1:9/none' }],
  ])('fails without revealing the secret key if %s', async (_case, changes) => {
    const wrong = createS3Store({ ...bucket.config, secretAccessKey: 'very-secret', ...changes });
    const error: unknown = await wrong.list().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    const { message, cause } = error as Error;
    expect(cause).toBeUndefined();
    expect(message).not.toMatch(/very-secret|StringToSign/);
  });
});
