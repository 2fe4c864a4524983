import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../errors.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

interface SpoolOptions {
  /** An existing folder. */
  readonly folder: string;
  /** The maximum size of all uploads in progress together, in bytes. */
  readonly maxBytes: number;
  /** The maximum number of uploads in progress from one network. */
  readonly maxPerNetwork: number;
  /** Whether the disk is short of space, or its free space is unknown. */
  readonly isDiskSpaceLow: () => boolean;
}

/** One upload's share of the spool, until it is released. */
export interface SpooledUpload {
  /**
   * @throws {ApiError} `uploads-full` if the bytes exceed the limit for all uploads; `documents-paused` if the disk is short of
   * space
   */
  reserve(bytes: number): void;
  /** @returns the path of the new file */
  write(pieces: AsyncIterable<Buffer>): Promise<string>;
  /** Removes the files and frees their space. Call this only after all writes have ended. */
  release(): Promise<void>;
}

/** Removes the files of uploads that a crash interrupted. Creates the folder if it is missing. */
export async function emptyUploadFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
}

/** Keeps uploads on the disk, not in memory, until they are stored. Callers encrypt what they write. */
export class UploadSpool {
  readonly #options: SpoolOptions;
  readonly #openUploadCounts = new Map<string, number>();
  #reservedBytes = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /**
   * @throws {ApiError} `too-many-uploads` if the network has reached its limit; `documents-paused` if the disk is short of
   * space
   */
  start(network: string): SpooledUpload {
    const { folder, maxBytes, maxPerNetwork, isDiskSpaceLow } = this.#options;
    const requireSpace = () => {
      if (isDiskSpaceLow()) throw new ApiError('documents-paused');
    };
    requireSpace();
    const openUploadCount = this.#openUploadCounts.get(network) ?? 0;
    if (openUploadCount >= maxPerNetwork) throw new ApiError('too-many-uploads');
    this.#openUploadCounts.set(network, openUploadCount + 1);
    const paths: string[] = [];
    let reservedBytes = 0;
    return {
      reserve: (bytes) => {
        requireSpace();
        if (this.#reservedBytes + bytes > maxBytes) throw new ApiError('uploads-full');
        this.#reservedBytes += bytes;
        reservedBytes += bytes;
      },
      write: async (pieces) => {
        const path = join(folder, randomUUID());
        paths.push(path);
        const file = await open(path, 'wx', FILE_MODE);
        try {
          for await (const piece of pieces) await file.writeFile(piece);
        } finally {
          await file.close();
        }
        return path;
      },
      release: async () => {
        await Promise.all(paths.map((path) => rm(path, { force: true })));
        this.#reservedBytes -= reservedBytes;
        reservedBytes = 0;
        const remaining = (this.#openUploadCounts.get(network) ?? 1) - 1;
        if (remaining > 0) this.#openUploadCounts.set(network, remaining);
        else this.#openUploadCounts.delete(network);
      },
    };
  }
}
