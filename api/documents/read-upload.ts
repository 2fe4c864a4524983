import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { Request } from 'express';
import { MalformedRequestError } from '../errors.ts';
import type { SentFile } from './read-document.ts';
import { MalformedUploadError, NotMultipartError, UploadTooLargeError } from './upload-errors.ts';
import type { UploadPlace } from './upload-room.ts';

/** What a form with files may send. */
export interface UploadForm {
  /** The fields that hold files, each in words, such as `passport copy`. */
  readonly files: Readonly<Record<string, string>>;
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Bytes of all its text fields, with what stands between the parts. */
  readonly textBytes: number;
}

export interface Upload {
  readonly fields: Readonly<Record<string, string>>;
  /** By field; a file of no bytes counts as none. */
  readonly files: ReadonlyMap<string, SentFile>;
}

/** Text fields at most: more than any form has. */
const FIELDS = 24;
const MULTIPART = /^multipart\/form-data\s*;/i;

const megabytes = (bytes: number) => `${Math.floor(bytes / 1_000_000)} MB`;

function parserOf(request: Request, form: UploadForm): InstanceType<typeof Busboy> {
  const type = request.get('content-type') ?? '';
  if (!MULTIPART.test(type)) throw new NotMultipartError();
  const files = Object.keys(form.files).length;
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits: {
        fieldNameSize: 100,
        fieldSize: form.textBytes,
        fields: FIELDS,
        // One more than may come, so that it is seen and told.
        fileSize: form.fileBytes + 1,
        files: files + 1,
        parts: FIELDS + files + 1,
        headerPairs: 16,
        headerSize: 4_096,
      },
    });
  } catch (error) {
    throw new NotMultipartError({ cause: error });
  }
}

/**
 * Reads a form with files as it comes, and stops where it is more than it may be: what follows is not read. What is held
 * counts in the room; whoever called gives the place back.
 * @throws {NotMultipartError} {MalformedUploadError} {UploadTooLargeError} {UploadsFullError} {MalformedRequestError}
 */
export async function readUpload(request: Request, form: UploadForm, place: UploadPlace): Promise<Upload> {
  const whole = Object.keys(form.files).length * form.fileBytes + form.textBytes;
  const tooLarge = () =>
    new UploadTooLargeError(
      `The form is larger than ${megabytes(whole)} in all. Each document may have ${megabytes(form.fileBytes)}.`,
    );
  const parser = parserOf(request, form);
  if (Number(request.get('content-length') ?? 0) > whole) throw tooLarge();

  const fields = new Map<string, string>();
  const files = new Map<string, SentFile>();
  let read = 0;
  await new Promise<void>((resolve, reject) => {
    const stop = (error: unknown) => {
      request.off('data', take);
      request.pause();
      reject(error);
      // What it still holds of the part under way is let go.
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
    const take = (chunk: Buffer) => {
      read += chunk.length;
      attempt(() => {
        if (read > whole) throw tooLarge();
        place.hold(chunk.length);
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
        if (isNameCut || isValueCut)
          throw new MalformedUploadError('A field of the form is too long. Shorten it.');
        if (isKnown(name))
          throw new MalformedUploadError(`The form holds ${name.slice(0, 40)} twice. Send it once.`);
        fields.set(name, value);
      }),
    );
    parser.on('file', (sent: string | undefined, stream: Readable, fileName: string | undefined) => {
      const name = sent ?? '';
      const what = Object.hasOwn(form.files, name) ? form.files[name] : undefined;
      const chunks: Buffer[] = [];
      stream.on('error', () => {});
      stream.on('limit', () =>
        stop(
          new UploadTooLargeError(
            `The ${what ?? 'file'} is larger than ${megabytes(form.fileBytes)}: choose a smaller file.`,
          ),
        ),
      );
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () =>
        attempt(() => {
          const bytes = Buffer.concat(chunks);
          if (bytes.length === 0) return;
          if (what === undefined) throw new MalformedUploadError('The form holds a file where none belongs.');
          if (isKnown(name))
            throw new MalformedUploadError(`The form holds the ${what} twice. Send it once.`);
          files.set(name, { name: fileName ?? '', bytes });
        }),
      );
    });
    for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const) {
      parser.on(limit, () => stop(new MalformedUploadError('The form holds more parts than it has fields.')));
    }
    parser.on('error', (cause) =>
      stop(
        new MalformedUploadError(
          'The form was cut off or is malformed. Send it again, whole.',
          {},
          { cause },
        ),
      ),
    );
    parser.on('finish', () => resolve());
    request.on('data', take);
    request.once('end', () => parser.end());
    request.once('error', (cause) => stop(new MalformedRequestError({ cause })));
    request.once('close', () => {
      if (!request.complete) stop(new MalformedRequestError());
    });
  });
  return { fields: Object.fromEntries(fields), files };
}
