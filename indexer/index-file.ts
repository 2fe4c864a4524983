import { join } from 'node:path';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import type { Logger } from '../data/runtime/log.ts';
import type { IndexIdentity, MarketQuote } from '../data/store/chain-rows.ts';
import { openIndexReader, openIndexWriter } from '../data/store/open-stores.ts';
import type { IndexWriter } from '../data/store/ports.ts';
import { discardIndex, finishReplacement, replaceIndex } from '../data/store/sqlite/replace-index.ts';
import { isStoreDamage } from '../data/store/sqlite/store-files.ts';
import { type WatchedFile, watchFile } from '../data/store/sqlite/watched-file.ts';
import { acquireWriterLock } from '../data/store/sqlite/writer-lock.ts';
import { StoreIdentityError, StoreUnavailableError } from '../data/store/store-errors.ts';

export interface IndexFileOptions {
  /** If set, the index is replaced with an empty one for this identity. */
  readonly rebuildFor: IndexIdentity | null;
  /** An index for accounts other than these is rejected before anything is written. */
  readonly addresses: Pick<IndexIdentity, 'mint' | 'vault' | 'stakePool'>;
  /**
   * Whether the chain is the embedded ledger. Deleting the ledger's file starts a new chain, so an index of an earlier ledger
   * is discarded instead of rejected.
   */
  readonly isEmbeddedLedger: boolean;
  readonly log: Logger;
}

export interface OpenedIndex {
  readonly writer: IndexWriter;
  /** Whether the index has been claimed for the configured accounts. Until then, nothing about a mint may be stored in it. */
  readonly isClaimed: boolean;
  readonly quote: MarketQuote | null;
}

interface WatchedIndex {
  readonly writer: IndexWriter;
  readonly watchedFile: WatchedFile;
}

/**
 * Opens `index.db` in a folder as its only writer. If the file is damaged, calls to the writer throw a `StartError` (code
 * 75). If the file was deleted, replaced or overwritten, readers would not see what is written, so
 * `reportEndpoints`, which is called every few seconds, also throws a `StartError` (code 75).
 * @throws {StartError} code 75 if another indexer is writing to the file, or the file cannot be used; code 78 if the file is an
 * index for accounts other than the configured ones
 */
export async function openIndexFile(dataDir: string, options: IndexFileOptions): Promise<OpenedIndex> {
  const file = join(dataDir, 'index.db');
  let releaseLock: (() => void) | undefined;
  let opened: WatchedIndex | undefined;
  try {
    releaseLock = acquireWriterLock(file);
    await finishReplacement(file);
    if (options.rebuildFor) await rebuild(file, options.rebuildFor, options.log);
    opened = await openWatchedIndex(file);
    const { identity, quote } = await readSnapshot(file);
    // `claim` compares the configured accounts with the stored ones. The other fields keep their stored values.
    if (identity !== null) await opened.writer.claim({ ...identity, ...options.addresses });
    const writer = guardedWriter(file, opened, releaseLock, options);
    return { writer, isClaimed: identity !== null, quote };
  } catch (error) {
    if (opened) await closeWatchedIndex(opened);
    releaseLock?.();
    throw startErrorOf(file, error);
  }
}

async function rebuild(file: string, identity: IndexIdentity, log: Logger): Promise<void> {
  const { carriedPoints, error } = await replaceIndex(file, identity);
  if (error === null) {
    log.info({ file, carriedPoints }, 'rebuilding the index; market prices were carried over');
  } else {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ file, reason }, 'rebuilding the index; its market prices cannot be read and are lost');
  }
}

async function readSnapshot(file: string) {
  const reader = await openIndexReader(file);
  try {
    return await reader.latestSnapshot(0);
  } finally {
    await reader.close();
  }
}

async function openWatchedIndex(file: string): Promise<WatchedIndex> {
  const writer = await openIndexWriter(file);
  try {
    // Changes nothing, but needs the write lock. If another process holds the lock, the error is thrown here, before the first
    // writes.
    await writer.releaseQuarantined({ signature: '', account: '' }, { events: [], alarms: [] });
  } catch (error) {
    await writer.close();
    throw error;
  }
  return { writer, watchedFile: watchFile(file) };
}

async function closeWatchedIndex({ writer, watchedFile }: WatchedIndex): Promise<void> {
  await writer.close();
  watchedFile.close();
}

function startErrorOf(file: string, error: unknown): unknown {
  if (error instanceof StoreIdentityError) {
    return new StartError(error.message, EXIT.configuration, { cause: error });
  }
  const isDamaged = isStoreDamage(error);
  if (!(error instanceof Error && (isDamaged || error instanceof StoreUnavailableError))) return error;
  const hint = isDamaged ? ` Deleting ${file} works too, but loses its market prices.` : '';
  return new StartError(`${error.message}${hint}`, EXIT.tryAgain, { cause: error });
}

function guardedWriter(
  file: string,
  initialIndex: WatchedIndex,
  releaseLock: () => void,
  { isEmbeddedLedger, log }: IndexFileOptions,
): IndexWriter {
  // Calls wait while the file is being replaced.
  let currentIndex = Promise.resolve(initialIndex);
  const withOpenIndex = async <T>(work: (index: WatchedIndex) => Promise<T>): Promise<T> => {
    try {
      return await work(await currentIndex);
    } catch (error) {
      throw isStoreDamage(error) ? startErrorOf(file, error) : error;
    }
  };
  const recreateIndex = (): Promise<WatchedIndex> => {
    currentIndex = currentIndex.then(async (previousIndex) => {
      await closeWatchedIndex(previousIndex);
      await discardIndex(file);
      return openWatchedIndex(file);
    });
    return currentIndex;
  };
  const claim = async (identity: IndexIdentity): Promise<void> => {
    try {
      await (await currentIndex).writer.claim(identity);
    } catch (error) {
      const isOfEarlierLedger =
        isEmbeddedLedger && error instanceof StoreIdentityError && error.differing.join() === 'genesisHash';
      if (!isOfEarlierLedger) throw error;
      const { genesisHash } = identity;
      log.warn({ file, genesisHash }, 'the index belongs to an earlier embedded ledger; rebuilding it');
      await (await recreateIndex()).writer.claim(identity);
    }
  };
  return {
    claim: (identity) =>
      claim(identity).catch((error: unknown) => {
        throw startErrorOf(file, error);
      }),
    cursor: (account) => withOpenIndex(({ writer }) => writer.cursor(account)),
    beginning: (account) => withOpenIndex(({ writer }) => writer.beginning(account)),
    commitEvents: (batch) => withOpenIndex(({ writer }) => writer.commitEvents(batch)),
    quarantined: () => withOpenIndex(({ writer }) => writer.quarantined()),
    releaseQuarantined: (transaction, rows) =>
      withOpenIndex(({ writer }) => writer.releaseQuarantined(transaction, rows)),
    commitSnapshot: (snapshot) => withOpenIndex(({ writer }) => writer.commitSnapshot(snapshot)),
    commitHolders: (holders) => withOpenIndex(({ writer }) => writer.commitHolders(holders)),
    commitQuote: (quote) => withOpenIndex(({ writer }) => writer.commitQuote(quote)),
    eventSums: (account, upToSlot) => withOpenIndex(({ writer }) => writer.eventSums(account, upToSlot)),
    commitReconciliation: (reconciliation) =>
      withOpenIndex(({ writer }) => writer.commitReconciliation(reconciliation)),
    deleteOldHistory: (now) => withOpenIndex(({ writer }) => writer.deleteOldHistory(now)),
    fillHistory: (pastPrices) => withOpenIndex(({ writer }) => writer.fillHistory(pastPrices)),
    reportEndpoints: (endpoints, at) =>
      withOpenIndex(async ({ writer, watchedFile }) => {
        if (watchedFile.loss() !== null) {
          watchedFile.clearLog();
          throw new StartError(
            `${file} was deleted, replaced or overwritten while it was in use. ` +
              'Restart the indexer. It will use the new file, or create one.',
            EXIT.tryAgain,
          );
        }
        await writer.reportEndpoints(endpoints, at);
      }),
    async close() {
      await closeWatchedIndex(await currentIndex);
      releaseLock();
    },
  };
}
