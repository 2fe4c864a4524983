import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { Request } from 'express';
import { ApiError } from '../errors.ts';
import type { SentFile } from './read-document.ts';

export interface UploadForm {
  /** Each file's name in error messages by its field, such as `passport copy`. */
  readonly files: Readonly<Record<string, string>>;
  /** Maximum bytes per file. */
  readonly fileBytes: number;
  /** Maximum bytes of all text fields, including the separators between parts. */
  readonly textBytes: number;
}

export interface Upload {
  readonly fields: Readonly<Record<string, string>>;
  /** By field, without empty files. */
  readonly files: ReadonlyMap<string, SentFile>;
}

/** More text fields than any form has. */
const MAX_FIELDS = 24;
const MULTIPART = /^multipart\/form-data\s*;/i;

const megabytes = (bytes: number) => Math.floor(bytes / 1_000_000);
const malformed = (text: string) => new ApiError('malformed-upload', { text });

function createParser(request: Request, form: UploadForm): InstanceType<typeof Busboy> {
  const type = request.get('content-type') ?? '';
  if (!MULTIPART.test(type)) throw new ApiError('not-multipart');
  const files = Object.keys(form.files).length;
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits: {
        fieldNameSize: 100,
        fieldSize: form.textBytes,
        fields: MAX_FIELDS,
        // One byte above the limit, to detect larger files.
        fileSize: form.fileBytes + 1,
        files: files + 1,
        parts: MAX_FIELDS + files + 1,
        headerPairs: 16,
        headerSize: 4_096,
      },
    });
  } catch (error) {
    throw new ApiError('not-multipart', { cause: error });
  }
}

/**
 * Reads a form with files as it arrives, and stops at its limits. It reserves the bytes in the slot, which the caller has to
 * release.
 * @throws {ApiError} `not-multipart`, `malformed-upload`, `upload-too-large`, `uploads-full`, `malformed-request`
 */
export async function readUpload(request: Request, form: UploadForm, slot: UploadSlot): Promise<Upload> {
  const maxBytes = Object.keys(form.files).length * form.fileBytes + form.textBytes;
  const tooLarge = () => new ApiError('upload-too-large', { part: 'form', limit: megabytes(maxBytes) });
  const parser = createParser(request, form);
  if (Number(request.get('content-length') ?? 0) > maxBytes) throw tooLarge();

  const fields = new Map<string, string>();
  const files = new Map<string, SentFile>();
  let read = 0;
  await new Promise<void>((resolve, reject) => {
    const stop = (error: unknown) => {
      request.off('data', receive);
      request.pause();
      reject(error);
      // The rest of the current part is dropped.
      parser.removeAllListeners('file');
      parser.on('error', () => {});
      parser.destroy();
    };
    const attempt = (work: () => void) => {
      try {
        work();
      } catch (error) {
        stop(error);
      }
    };
    const receive = (chunk: Buffer) => {
      read += chunk.length;
      attempt(() => {
        if (read > maxBytes) throw tooLarge();
        slot.reserve(chunk.length);
        if (!parser.write(chunk)) {
          request.pause();
          parser.once('drain', () => request.resume());
        }
      });
    };
    const isKnown = (name: string) => fields.has(name) || files.has(name);
    parser.on('field', (sent: string | undefined, value, isNameCut, isValueCut) =>
      attempt(() => {
        const name = sent ?? '';
        if (isNameCut || isValueCut) throw malformed('A field of the form is too long. Shorten it.');
        if (isKnown(name)) throw malformed(`The form has ${name.slice(0, 40)} twice. Send it once.`);
        fields.set(name, value);
      }),
    );
    parser.on('file', (sent: string | undefined, stream: Readable, fileName: string | undefined) => {
      const name = sent ?? '';
      const noun = Object.hasOwn(form.files, name) ? form.files[name] : undefined;
      const chunks: Buffer[] = [];
      stream.on('error', () => {});
      stream.on('limit', () =>
        stop(new ApiError('upload-too-large', { part: noun ?? 'file', limit: megabytes(form.fileBytes) })),
      );
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () =>
        attempt(() => {
          const bytes = Buffer.concat(chunks);
          if (bytes.length === 0) return;
          if (noun === undefined) throw malformed('The form has a file in a text field. Remove it.');
          if (isKnown(name)) throw malformed(`The form has the ${noun} twice. Send it once.`);
          files.set(name, { name: fileName ?? '', bytes });
        }),
      );
    });
    for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const) {
      parser.on(limit, () => stop(malformed('The form has too many parts. Send each field once.')));
    }
    parser.on('error', (cause) => stop(new ApiError('malformed-upload', { cause })));
    parser.on('finish', () => resolve());
    request.on('data', receive);
    request.once('end', () => parser.end());
    request.once('error', (cause) => stop(new ApiError('malformed-request', { cause })));
    request.once('close', () => {
      if (!request.complete) stop(new ApiError('malformed-request'));
    });
  });
  return { fields: Object.fromEntries(fields), files };
}

interface UploadLimiterOptions {
  /** Maximum bytes of all uploads in progress. */
  readonly bytes: number;
  /** Maximum uploads in progress from one network address. */
  readonly perAddress: number;
}

interface UploadSlot {
  /** @throws {ApiError} `uploads-full` if the bytes exceed the limit for all uploads */
  reserve(bytes: number): void;
  release(): void;
}

/** Limits the memory of all uploads in progress. */
export class UploadLimiter {
  readonly #limits: UploadLimiterOptions;
  readonly #counts = new Map<string, number>();
  #reserved = 0;

  constructor(limits: UploadLimiterOptions) {
    this.#limits = limits;
  }

  /** @throws {ApiError} `too-many-uploads` if the address has reached its limit */
  start(address: string): UploadSlot {
    const present = this.#counts.get(address) ?? 0;
    if (present >= this.#limits.perAddress) throw new ApiError('too-many-uploads');
    this.#counts.set(address, present + 1);
    let reserved = 0;
    return {
      reserve: (bytes) => {
        if (this.#reserved + bytes > this.#limits.bytes) throw new ApiError('uploads-full');
        this.#reserved += bytes;
        reserved += bytes;
      },
      release: () => {
        this.#reserved -= reserved;
        reserved = 0;
        const others = (this.#counts.get(address) ?? 1) - 1;
        if (others > 0) this.#counts.set(address, others);
        else this.#counts.delete(address);
      },
    };
  }
}
