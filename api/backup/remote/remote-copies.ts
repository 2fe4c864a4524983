import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { RemoteCopyConfig } from '../../../data/config/remote-copy-variables.ts';
import type { Logger } from '../../../data/runtime/log.ts';
import { ERASURE_LIST } from '../../retention/erasure-list.ts';
import { type BackupFile, backupsIn, backupTime } from '../backups.ts';
import { tagPath } from '../copy-tag.ts';
import { lockSending } from '../send-lock.ts';
import { createCommandStore } from './command-store.ts';
import { copyNameOf, erasureListName, surplusNames } from './remote-names.ts';
import { readRemoteState, sha256, writeRemoteState } from './remote-state.ts';
import { failureReason, type RemoteStore } from './remote-store.ts';
import { createS3Store } from './s3-store.ts';
import { checkRecipients, type SealedFile, seal, tarArchive } from './sealed-file.ts';

/** Milliseconds before a failed copy is retried. The time doubles with each failure, up to a limit. */
const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 3_600_000;

export interface RemoteCopyState {
  /** The time (Unix ms) of the newest backup that was copied elsewhere; null if none was copied. */
  readonly newestAt: number | null;
  /** How many copies are kept; null if the portal removes none. */
  readonly keep: number | null;
}

interface RemoteCopyOptions {
  readonly config: RemoteCopyConfig;
  /** The data folder. */
  readonly folder: string;
  readonly backupsFolder: string;
  readonly now: () => number;
  readonly log: Logger;
  /** The configured store by default. */
  readonly store?: RemoteStore;
}

const readErasureList = (folder: string): Promise<Buffer | null> =>
  readFile(join(folder, ERASURE_LIST)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

/** Sends the newest backup and the list of erasures to the remote store, unless they have already been sent. */
export class RemoteCopies {
  readonly #options: RemoteCopyOptions;
  readonly #store: RemoteStore;
  readonly #targetDigest: string;
  readonly #stopController = new AbortController();
  #running: Promise<void> | null = null;
  #isDue = false;
  #failures = 0;
  #problem: string | null = null;
  #retryTimer: NodeJS.Timeout | undefined;
  #onFailure = () => {};

  /** @throws {StartError} with code 78 if a public key is invalid */
  constructor(options: RemoteCopyOptions) {
    const { config, log } = options;
    checkRecipients(config.recipients);
    this.#options = options;
    const { target } = config;
    this.#store =
      options.store ?? (target.kind === 's3' ? createS3Store(target) : createCommandStore(target, log));
    this.#targetDigest = sha256(
      JSON.stringify(
        // If the keys change, everything is sent again, because the old files may have become unreadable.
        [
          config.recipients.toSorted(),
          target.kind === 's3' ? [target.bucketUrl, target.prefix] : [target.program, ...target.args],
        ],
      ),
    );
  }

  state(): RemoteCopyState {
    const { backup } = readRemoteState(this.#options.folder, this.#targetDigest);
    return {
      newestAt: backup === null ? null : backupTime(backup.name),
      keep: this.#store.keep,
    };
  }

  /** Why the last attempt failed; null if it did not fail. */
  get problem(): string | null {
    return this.#problem;
  }

  onFailure(count: () => void): void {
    this.#onFailure = count;
  }

  /**
   * Starts sending what is due. If a run is in progress, another run follows it. A failed run is repeated until it succeeds.
   * Never throws.
   */
  wake(): void {
    if (this.#stopController.signal.aborted) return;
    this.#isDue = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async stop(): Promise<void> {
    this.#stopController.abort();
    clearTimeout(this.#retryTimer);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log } = this.#options;
    clearTimeout(this.#retryTimer);
    while (this.#isDue && !this.#stopController.signal.aborted) {
      this.#isDue = false;
      try {
        await this.send();
        if (this.#problem !== null) log.info('backups can be copied elsewhere again');
        this.#failures = 0;
        this.#problem = null;
      } catch (error) {
        if (this.#stopController.signal.aborted) return;
        this.#fail(failureReason(error));
      }
    }
  }

  #fail(problem: string): void {
    const { log } = this.#options;
    const waitMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    if (problem !== this.#problem) {
      log.error(
        { to: this.#store.label, problem, retryIn: waitMs },
        'a backup could not be copied elsewhere',
      );
    }
    this.#problem = problem;
    this.#failures += 1;
    this.#onFailure();
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.wake(), waitMs).unref();
  }

  /**
   * Makes one attempt to send what is due and to remove old copies. Waits while another process does the same.
   * @throws {Error} if something could not be sent, or an old copy could not be removed
   */
  async send(): Promise<void> {
    const { folder, log } = this.#options;
    const release = await lockSending(folder, this.#stopController.signal, () =>
      log.info('another process is copying backups elsewhere; waiting for it'),
    );
    try {
      await this.#sendDue();
    } finally {
      release();
    }
  }

  async #sendDue(): Promise<void> {
    const { folder, backupsFolder, now } = this.#options;
    const list = await readErasureList(folder);
    const digest = list === null ? null : sha256(list);
    // A backup is complete once it has its tag.
    const newest = backupsIn(backupsFolder).find(({ path }) => existsSync(tagPath(path)));
    const { erasuresSha256, erasuresAt } = this.#readState();
    if (list !== null && digest !== erasuresSha256) {
      // `surplusNames` removes lists that are dated before all kept copies, except the list with the latest date. So
      // even if a clock was wrong, a new list is dated after the last list, and no earlier than the newest backup.
      const at = Math.max(now(), newest?.at ?? 0, erasuresAt + 1);
      await this.#sendSealed(erasureListName(at), Readable.from([list]));
      writeRemoteState(folder, { ...this.#readState(), erasuresSha256: digest, erasuresAt: at });
    }
    if (newest === undefined) return;
    const copyName = copyNameOf(newest.name);
    const isSent = newest.name === this.#readState().backup?.name;
    if (!isSent) await this.#sendBackup(newest, list);
    const storedNames = await this.#storedNames();
    if (storedNames === null) return;
    // Someone else may have removed the copy.
    if (isSent && !storedNames.includes(copyName)) await this.#sendBackup(newest, list);
    await this.#removeSurplus(storedNames, copyName);
  }

  async #sendBackup(newest: BackupFile, list: Buffer | null): Promise<void> {
    const content = tarArchive([
      { type: 'file', source: tagPath(newest.path), target: tagPath(newest.name) },
      ...(list === null ? [] : [{ type: 'content' as const, content: list, target: ERASURE_LIST }]),
      { type: 'file', source: newest.path, target: newest.name },
    ]);
    const { name, bytes, sha256: checksum } = await this.#sendSealed(copyNameOf(newest.name), content);
    const { folder, log } = this.#options;
    writeRemoteState(folder, {
      ...this.#readState(),
      backup: { name: newest.name, sha256: checksum, bytes },
    });
    log.info({ to: this.#store.label, name, bytes }, 'copied a backup elsewhere');
  }

  #readState() {
    return readRemoteState(this.#options.folder, this.#targetDigest);
  }

  /**
   * Encrypts content into a temporary file in the backups folder, then sends the file. A command needs a file. An upload needs
   * one too: a retried part must have the same bytes, and each encryption produces different bytes.
   */
  async #sendSealed(name: string, content: Readable): Promise<SealedFile> {
    const { config, backupsFolder } = this.#options;
    const { signal } = this.#stopController;
    const outgoingFolder = join(backupsFolder, `app-outgoing-${process.pid}.partial`);
    rmSync(outgoingFolder, { recursive: true, force: true });
    mkdirSync(outgoingFolder, { recursive: true, mode: 0o700 });
    try {
      const file = await seal(content, { path: join(outgoingFolder, name), name }, config.recipients, signal);
      await this.#store.send(file, signal);
      return file;
    } finally {
      rmSync(outgoingFolder, { recursive: true, force: true });
    }
  }

  /**
   * The names of the files stored elsewhere. Null if the destination cannot list them. Also null if the portal
   * removes nothing there, because the portal's key may then lack permission to list files.
   */
  async #storedNames(): Promise<readonly string[] | null> {
    const { keep, list } = this.#store;
    return keep === null || list === null ? null : list(this.#stopController.signal);
  }

  async #removeSurplus(storedNames: readonly string[], sentCopy: string): Promise<void> {
    const { keep } = this.#store;
    if (keep === null) return;
    const { signal } = this.#stopController;
    const names = surplusNames(storedNames, keep, sentCopy);
    for (const name of names) await this.#store.remove(name, signal);
    if (names.length > 0) this.#options.log.info({ names }, 'removed old copies of backups elsewhere');
  }
}
