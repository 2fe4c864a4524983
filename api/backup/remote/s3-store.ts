import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { S3mini } from 's3mini';
import { z } from 'zod';
import type { S3Config } from '../../../data/config/remote-copy-variables.ts';
import { failureReason, type RemoteStore } from './remote-store.ts';
import type { SealedFile } from './sealed-file.ts';

/** The size of a part in bytes; S3 requires at least 5 MiB. Four parts are sent at a time. */
const PART_BYTES = 8 * 1024 * 1024;
/** S3 accepts at most 10,000 parts; the rest is a margin. */
const MAX_PARTS = 9_000;
const DISCARD_AFTER_MS = 86_400_000;
/** How long (ms) a request other than a download may take: enough for a part at 110 kbit/s. */
const REQUEST_TIMEOUT_MS = 600_000;

export interface S3Store extends RemoteStore {
  readonly list: (signal?: AbortSignal) => Promise<readonly string[]>;
  listFiles(signal?: AbortSignal): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  /** @throws {Error} if there is no such file */
  open(name: string): Promise<ReadableStream<Uint8Array>>;
}

/** Rethrows errors without the response, which may contain the access key's id and the text that was signed. */
async function withReason<T>(failedAction: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new Error(`${failedAction}: ${failureReason(error)}`);
  }
}

const uploadSchema = z.object({ Key: z.string(), UploadId: z.string(), Initiated: z.string() });
const uploadListSchema = z.object({
  ListMultipartUploadsResult: z.object({
    Upload: z.union([z.array(uploadSchema), uploadSchema.transform((one) => [one])]).default([]),
  }),
});
const parseUnfinishedUploads = (answer: unknown) =>
  uploadListSchema.parse(answer).ListMultipartUploadsResult.Upload;

/** Rejects when the signal aborts, and never resolves. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(new Error('stopped'));
    signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
  });
}

export function createS3Store(config: S3Config, partBytes = PART_BYTES): S3Store {
  const { bucketUrl, region, prefix, keep, accessKeyId, secretAccessKey } = config;

  const createClient = (stopSignal?: AbortSignal, minPartSize = partBytes) =>
    new S3mini({
      endpoint: bucketUrl,
      region,
      accessKeyId,
      secretAccessKey,
      minPartSize,
      fetch: (input, init) => {
        // Stopping must not abort the request that discards the parts already sent.
        const stopSignals = stopSignal && init?.method !== 'DELETE' ? [stopSignal] : [];
        const timeoutSignals = init?.method === 'GET' ? [] : [AbortSignal.timeout(REQUEST_TIMEOUT_MS)];
        return fetch(input, { ...init, signal: AbortSignal.any([...stopSignals, ...timeoutSignals]) });
      },
    });

  const open = async (name: string, s3 = createClient()) => {
    const { body } = await s3.getObjectRaw(`${prefix}${name}`);
    if (body === null) throw new Error(`${name} is empty`);
    return body;
  };

  /** Reads a file back, because not every server checks received data against a checksum. */
  const verify = async ({ name, bytes, sha256 }: SealedFile, s3: S3mini) => {
    const digest = createHash('sha256');
    let bytesRead = 0;
    for await (const chunk of await open(name, s3)) {
      digest.update(chunk);
      bytesRead += chunk.length;
    }
    if (bytesRead === bytes && digest.digest('hex') === sha256) return;
    const problem = `the stored file differs from the file that was sent (${bytesRead} of ${bytes} bytes)`;
    const isRemoved = await createClient()
      .deleteObject(`${prefix}${name}`)
      .catch(() => false);
    throw new Error(isRemoved ? problem : `${problem}, and it could not be removed`);
  };

  /** Discards the parts of uploads that a crash interrupted. Listings do not show them, but they are stored. */
  const discardUnfinished = async (s3: S3mini) => {
    const unfinished = parseUnfinishedUploads(await s3.listMultipartUploads('/', '', 'GET', { prefix }));
    for (const { Key: key, UploadId: id, Initiated: at } of unfinished) {
      if (Date.now() - Date.parse(at) > DISCARD_AFTER_MS) await s3.abortMultipartUpload(key, id);
    }
  };

  const listFiles = (signal?: AbortSignal) =>
    withReason('the bucket cannot be listed', async () => {
      const objects = await createClient(signal).listObjects('/', prefix);
      if (objects === null) throw new Error('it does not exist');
      return objects.map(({ Key: key, Size: bytes }) => ({ name: key.slice(prefix.length), bytes }));
    });

  return {
    keep,
    listFiles,
    label: `${bucketUrl}/${prefix}`,
    send: (file, signal) =>
      withReason(`${file.name} was not copied to the bucket`, async () => {
        const size = Math.max(partBytes, Math.ceil(file.bytes / MAX_PARTS));
        const s3 = createClient(signal, size);
        // Not every server or key can list unfinished uploads. The bucket's lifecycle rules can discard them instead.
        await discardUnfinished(s3).catch(() => {});
        const upload = s3.putAnyObject(`${prefix}${file.name}`, await openAsBlob(file.path));
        // The library retries failed parts, and stopping must not wait for the retries.
        await Promise.race([upload, rejectOnAbort(signal)]);
        await verify(file, s3);
      }),
    list: async (signal) => (await listFiles(signal)).map(({ name }) => name),
    remove: (name, signal) =>
      withReason(`${name} was not removed from the bucket`, async () => {
        await createClient(signal).deleteObject(`${prefix}${name}`);
      }),
    open: (name) => withReason(`${name} cannot be read from the bucket`, () => open(name)),
  };
}
