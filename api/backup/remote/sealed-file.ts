import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { Decrypter, Encrypter } from 'age-encryption';
import { packTar, type TarSource, unpackTar } from 'modern-tar/fs';
import { EXIT, StartError } from '../../../data/runtime/exit-codes.ts';

/*
 * Files in the format of `age` (https://age-encryption.org/v1): encrypted to public keys and authenticated piece by piece. The
 * public tools `age` and `tar` can read them too.
 */

const MODE = 0o600;

export interface SealedFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the encrypted file, in hex. */
  readonly sha256: string;
}

/** Converts a Node stream to a web stream. Node and the library declare different types for the same class. */
export const toWebStream = (content: Readable) =>
  Readable.toWeb(content) as unknown as ReadableStream<Uint8Array>;

/** @throws {StartError} with code 78 if one of the public keys is invalid */
export function checkRecipients(recipients: readonly string[]): void {
  for (const recipient of recipients) {
    try {
      new Encrypter().addRecipient(recipient);
    } catch (error) {
      throw new StartError(
        `BACKUP_RECIPIENT is not an age public key: ${recipient}. Copy the line that age-keygen prints.`,
        EXIT.configuration,
        { cause: error },
      );
    }
  }
}

/** How many bytes are encrypted at a time. A piece takes about a millisecond, and the portal answers requests in between. */
const PIECE_BYTES = 65_536;

async function* splitIntoPieces(content: Readable): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      yield chunk.subarray(start, start + PIECE_BYTES);
      await setImmediate();
    }
  }
}

export async function seal(
  content: Readable,
  target: { readonly path: string; readonly name: string },
  recipients: readonly string[],
  signal: AbortSignal,
): Promise<SealedFile> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  const sha256 = createHash('sha256');
  let bytes = 0;
  const sealed = Readable.from(
    await encrypter.encrypt(toWebStream(Readable.from(splitIntoPieces(content), { highWaterMark: 1 }))),
  );
  const measure = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      sha256.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  await pipeline(sealed, measure, createWriteStream(target.path, { mode: MODE, flush: true }), { signal });
  return { ...target, bytes, sha256: sha256.digest('hex') };
}

export const tarArchive = (files: readonly TarSource[]): Readable => packTar(files);

/**
 * @param identities private keys, each as a line of the file that `age-keygen` writes
 * @throws if none of the keys can decrypt the content, or if it was changed or is incomplete. Missing content is detected only
 * at the end.
 */
export async function unseal(
  content: ReadableStream<Uint8Array>,
  identities: readonly string[],
): Promise<Readable> {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  return Readable.from(await decrypter.decrypt(content));
}

/** Extracts the files with these names from an archive into a new folder. Ignores other entries. */
export async function unpack(archive: Readable, folder: string, names: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const filter = ({ name, type }: { readonly name: string; readonly type?: string }) =>
    type === 'file' && names.includes(name);
  await pipeline(archive, unpackTar(folder, { filter, fmode: MODE, strict: true }));
}
