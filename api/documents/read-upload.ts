import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { Request } from 'express';
import { ApiError } from '../errors.ts';
import { freeBuffer } from '../free-buffer.ts';
import { takeTurn } from '../take-turn.ts';
import type { MasterKey } from './master-key.ts';
import type { SentFile } from './read-document.ts';
import { openDocument, type SealedDocument, sealDocument, startSealing } from './sealed-document.ts';
import type { SpooledUpload } from './upload-spool.ts';

export interface UploadForm {
  /** What error messages call the file in each field, such as `passport copy`. */
  readonly files: Readonly<Record<string, string>>;
  /** The maximum size of each file, in bytes. */
  readonly fileBytes: number;
  /** The maximum size of all text fields together, in bytes. It includes the separators between parts. */
  readonly textBytes: number;
}

/** An encrypted file in the spool. Its encryption is bound to `id`, which becomes the id of the stored document. */
export interface SpooledFile {
  readonly id: string;
  /** The client's file name. */
  readonly name: string;
  readonly path: string;
  readonly metadata: Omit<SealedDocument, 'content'>;
}

export interface Upload {
  readonly fields: Readonly<Record<string, string>>;
  /** By field, without empty files. */
  readonly files: ReadonlyMap<string, SpooledFile>;
}

/** More text fields than any form has. */
const MAX_FIELDS = 24;
/**
 * An upload that sends fewer than `MIN_BYTES_PER_WINDOW` within `WINDOW_MS` (8 kB per second) is stopped, so that stalled
 * uploads free their space.
 */
const WINDOW_MS = 15_000;
const MIN_BYTES_PER_WINDOW = 120_000;
const MULTIPART = /^multipart\/form-data\s*;/i;

const megabytes = (bytes: number) => Math.floor(bytes / 1_000_000);
const malformedError = (text: string) => new ApiError('malformed-upload', { text });

function createParser(request: Request, form: UploadForm): InstanceType<typeof Busboy> {
  const type = request.get('content-type') ?? '';
  if (!MULTIPART.test(type)) throw new ApiError('not-multipart');
  const fileCount = Object.keys(form.files).length;
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits: {
        fieldNameSize: 100,
        fieldSize: form.textBytes,
        fields: MAX_FIELDS,
        fileSize: form.fileBytes,
        files: fileCount + 1,
        parts: MAX_FIELDS + fileCount + 1,
        headerPairs: 16,
        headerSize: 4_096,
      },
    });
  } catch (error) {
    throw new ApiError('not-multipart', { cause: error });
  }
}

/** Writes a file to the spool, and encrypts it on the way. Null if the file is empty. */
async function spoolFile(
  master: MasterKey,
  spooledUpload: SpooledUpload,
  name: string,
  stream: AsyncIterable<Buffer>,
): Promise<SpooledFile | null> {
  const id = randomUUID();
  const sealing = startSealing(master, id);
  let metadata: SpooledFile['metadata'] | undefined;
  const path = await spooledUpload.write(
    (async function* () {
      yield sealing.start;
      for await (const piece of stream) {
        const sealed = sealing.update(piece);
        freeBuffer(piece);
        yield sealed;
        freeBuffer(sealed);
      }
      const finished = sealing.finish();
      metadata = finished.metadata;
      yield finished.end;
    })(),
  );
  return metadata && metadata.byteLength > 0 ? { id, name, path, metadata } : null;
}

/**
 * Reads a form with files as it arrives, and stops once it exceeds a limit. Files are written to the spool encrypted. The
 * caller releases `spooledUpload`.
 * @throws {ApiError} `not-multipart`, `malformed-upload`, `upload-too-large`, `uploads-full`, `documents-paused`,
 * `upload-too-slow`, `malformed-request`
 */
export async function readUpload(
  request: Request,
  form: UploadForm,
  { master, spooledUpload }: { readonly master: MasterKey; readonly spooledUpload: SpooledUpload },
): Promise<Upload> {
  const maxBytes = Object.keys(form.files).length * form.fileBytes + form.textBytes;
  const tooLarge = () => new ApiError('upload-too-large', { part: 'form', limit: megabytes(maxBytes) });
  const parser = createParser(request, form);
  if (Number(request.get('content-length') ?? 0) > maxBytes) throw tooLarge();

  const fields = new Map<string, string>();
  const pendingFiles = new Map<string, Promise<SpooledFile | null>>();
  const streams: Readable[] = [];
  let [bytesRead, isWaiting] = [0, true];
  const parsing = Promise.withResolvers<void>();
  const stop = (error: unknown) => {
    request.off('data', receive);
    request.pause();
    parsing.reject(error);
    for (const stream of streams) stream.destroy();
    parser.on('error', () => {});
    parser.destroy();
  };
  const runOrStop = (work: () => void) => {
    try {
      work();
    } catch (error) {
      stop(error);
    }
  };
  const receive = (chunk: Buffer) => {
    bytesRead += chunk.length;
    isWaiting = false;
    request.pause();
    runOrStop(() => {
      if (bytesRead > maxBytes) throw tooLarge();
      spooledUpload.reserve(chunk.length);
      // Waits for a later turn of the event loop. Otherwise a burst of pieces would be read into memory at once.
      setImmediate(takeTurn, () => {
        if (parser.destroyed) return;
        parser.write(chunk, (error) => {
          if (error) return;
          isWaiting = true;
          request.resume();
        });
      });
    });
  };
  let bytesAtLastCheck = 0;
  const throughputTimer = setInterval(() => {
    // While the portal itself lags, an upload does not count as stalled, because the client cannot send more.
    const isStalled = isWaiting && !request.complete;
    if (isStalled && bytesRead - bytesAtLastCheck < MIN_BYTES_PER_WINDOW)
      stop(new ApiError('upload-too-slow'));
    bytesAtLastCheck = bytesRead;
  }, WINDOW_MS);
  const isKnown = (name: string) => fields.has(name) || pendingFiles.has(name);
  parser.on('field', (sentName: string | undefined, value, isNameCut, isValueCut) =>
    runOrStop(() => {
      const name = sentName ?? '';
      if (isNameCut || isValueCut) throw malformedError('A field of the form is too long. Shorten it.');
      if (isKnown(name)) throw malformedError(`The form has ${name.slice(0, 40)} twice. Send it once.`);
      fields.set(name, value);
    }),
  );
  parser.on('file', (sentName: string | undefined, stream: Readable, fileName: string | undefined) => {
    const name = sentName ?? '';
    const label = Object.hasOwn(form.files, name) ? form.files[name] : undefined;
    streams.push(stream);
    stream.on('error', () => {});
    const refuseContent = (text: string) => stream.once('data', () => stop(malformedError(text)));
    if (label === undefined) refuseContent('The form has a file in a text field. Remove it.');
    else if (isKnown(name)) refuseContent(`The form has the ${label} twice. Send it once.`);
    else {
      stream.on('limit', () =>
        stop(new ApiError('upload-too-large', { part: label, limit: megabytes(form.fileBytes) })),
      );
      const pendingFile = spoolFile(master, spooledUpload, fileName ?? '', stream);
      pendingFile.catch(stop);
      pendingFiles.set(name, pendingFile);
    }
  });
  for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const) {
    parser.on(limit, () => stop(malformedError('The form has too many parts. Send each field once.')));
  }
  parser.on('error', (cause) => stop(new ApiError('malformed-upload', { cause })));
  parser.on('finish', () => parsing.resolve());
  request.on('data', receive);
  // Ends the parser after the last chunk, which may still be waiting for its turn.
  request.once('end', () => setImmediate(takeTurn, () => parser.end()));
  request.once('error', (cause) => stop(new ApiError('malformed-request', { cause })));
  request.once('close', () => {
    if (!request.complete) stop(new ApiError('malformed-request'));
  });
  try {
    await parsing.promise;
  } finally {
    clearInterval(throughputTimer);
    // All writes must end before the upload is released.
    await Promise.allSettled(pendingFiles.values());
  }
  const files = new Map<string, SpooledFile>();
  for (const [name, pendingFile] of pendingFiles) {
    const file = await pendingFile;
    if (file) files.set(name, file);
  }
  return { fields: Object.fromEntries(fields), files };
}

/**
 * Decrypts and checks a file from the spool.
 * @param check may return a changed file, such as a re-encoded image, which is then encrypted again
 */
export async function readSpooledFile<Checked extends object>(
  { id, name, path, metadata }: SpooledFile,
  master: MasterKey,
  check: (sent: SentFile) => Promise<Checked & { readonly bytes: Buffer }>,
): Promise<Omit<Checked, 'bytes'> & SealedDocument & { readonly id: string }> {
  const content = await readFile(path);
  const plaintext = openDocument(master, id, { ...metadata, content });
  const { bytes, ...checked } = await check({ name, bytes: plaintext });
  const sealed = bytes === plaintext ? { ...metadata, content } : sealDocument(master, id, bytes);
  return { ...checked, ...sealed, id };
}
