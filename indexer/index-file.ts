import { join } from 'node:path';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import type { Logger } from '../data/runtime/log.ts';
import {
  type IndexIdentity,
  type IndexWriter,
  StoreIdentityError,
  StoreUnavailableError,
} from '../data/store/ports.ts';
import { discardIndex } from '../data/store/sqlite/discard-index.ts';
import { type FilePlace, holdPlace } from '../data/store/sqlite/file-place.ts';
import { openIndexWriter } from '../data/store/sqlite/index-writer.ts';
import { isStoreDamage } from '../data/store/sqlite/store-damage.ts';
import { takeWritersPlace } from '../data/store/sqlite/writer-lock.ts';

export interface IndexFileOptions {
  /** Put an empty index in place of what is there. */
  readonly rebuild: boolean;
  /**
   * The chain is the embedded ledger, which is begun anew whenever its file is deleted: an index of an earlier
   * ledger is then discarded instead of refused.
   */
  readonly isOfLedger: boolean;
  readonly log: Logger;
}

interface Opened {
  readonly writer: IndexWriter;
  readonly place: FilePlace;
}

/**
 * Opens `index.db` in a folder as its only writer. Besides what the port says, every call of the writer throws
 * a `StartError` (code 75) once the file is damaged; and `reportEndpoints`, which is called all the time, does
 * so where the file was deleted or replaced, since what is written would be read by no one.
 * @throws {StartError} code 75 where another indexer writes it, or the file cannot be used
 */
export async function openIndexFile(dataDir: string, options: IndexFileOptions): Promise<IndexWriter> {
  const file = join(dataDir, 'index.db');
  let giveBack: (() => void) | undefined;
  try {
    giveBack = takeWritersPlace(file);
    if (options.rebuild) await discardIndex(file);
    return openedWriter(file, await openAt(file), giveBack, options);
  } catch (error) {
    giveBack?.();
    throw error instanceof StoreUnavailableError ? unusable(file, error) : error;
  }
}

async function openAt(file: string): Promise<Opened> {
  const writer = await openIndexWriter(file);
  return { writer, place: holdPlace(file) };
}

function unusable(file: string, error: Error): StartError {
  const more = isStoreDamage(error) ? ` Deleting ${file} does the same.` : '';
  return new StartError(`${error.message}${more}`, EXIT.tryAgain, { cause: error });
}

function openedWriter(
  file: string,
  first: Opened,
  giveBackPlace: () => void,
  { isOfLedger, log }: IndexFileOptions,
): IndexWriter {
  // Calls made while another file is put in place wait for it.
  let opened = Promise.resolve(first);
  const using = async <T>(work: (index: Opened) => Promise<T>): Promise<T> => {
    try {
      return await work(await opened);
    } catch (error) {
      throw error instanceof Error && isStoreDamage(error) ? unusable(file, error) : error;
    }
  };
  const beginAnew = (): Promise<Opened> => {
    opened = opened.then(async ({ writer }) => {
      await writer.close();
      await discardIndex(file);
      return openAt(file);
    });
    return opened;
  };
  const claim = async ({ writer }: Opened, identity: IndexIdentity): Promise<void> => {
    try {
      await writer.claim(identity);
    } catch (error) {
      const isOfEarlierLedger =
        isOfLedger && error instanceof StoreIdentityError && error.differing.join() === 'genesisHash';
      if (!isOfEarlierLedger) throw error;
      const { genesisHash } = identity;
      log.warn({ file, genesisHash }, 'the index was of an earlier embedded ledger; it is built anew');
      await (await beginAnew()).writer.claim(identity);
    }
  };
  return {
    claim: (identity) => using((index) => claim(index, identity)),
    cursor: (account) => using(({ writer }) => writer.cursor(account)),
    commitEvents: (batch) => using(({ writer }) => writer.commitEvents(batch)),
    provisionalEvents: (upToSlot, limit) => using(({ writer }) => writer.provisionalEvents(upToSlot, limit)),
    settleEvents: (outcome) => using(({ writer }) => writer.settleEvents(outcome)),
    commitSnapshot: (snapshot) => using(({ writer }) => writer.commitSnapshot(snapshot)),
    commitQuote: (quote) => using(({ writer }) => writer.commitQuote(quote)),
    reportEndpoints: (endpoints, at) =>
      using(async ({ writer, place }) => {
        if (!place.isHeld()) {
          place.clearLog();
          throw new StartError(
            `${file} was deleted or replaced while it was being written. Start the indexer again; ` +
              'it goes on with the file that is there, or makes a new one.',
            EXIT.tryAgain,
          );
        }
        await writer.reportEndpoints(endpoints, at);
      }),
    async close() {
      const { writer } = await opened;
      await writer.close();
      giveBackPlace();
    },
  };
}
