import { join } from 'node:path';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import type { Logger } from '../data/runtime/log.ts';
import type { IndexIdentity, MarketQuote } from '../data/store/chain-rows.ts';
import type { IndexWriter } from '../data/store/ports.ts';
import { discardIndex, finishReplacement, replaceIndex } from '../data/store/sqlite/discard-index.ts';
import { type FilePlace, holdPlace } from '../data/store/sqlite/file-place.ts';
import { openIndexReader } from '../data/store/sqlite/index-reader.ts';
import { openIndexWriter } from '../data/store/sqlite/index-writer.ts';
import { isStoreDamage } from '../data/store/sqlite/store-damage.ts';
import { takeWritersPlace } from '../data/store/sqlite/writer-lock.ts';
import { StoreIdentityError, StoreUnavailableError } from '../data/store/store-errors.ts';

export interface IndexFileOptions {
  /** Put an empty index of this in place of what is there; null to go on with what is there. */
  readonly rebuildFor: IndexIdentity | null;
  /** What the configuration names: an index of other accounts is refused before anything is written. */
  readonly addresses: Pick<IndexIdentity, 'mint' | 'vault' | 'stakePool'>;
  /**
   * The chain is the embedded ledger, which is begun anew whenever its file is deleted: an index of an earlier
   * ledger is then discarded instead of refused.
   */
  readonly isOfLedger: boolean;
  readonly log: Logger;
}

export interface OpenedIndex {
  readonly writer: IndexWriter;
  /** Whether it is claimed for the configured accounts: before that, nothing that is of a mint may be written. */
  readonly isClaimed: boolean;
  /** The market quote that it holds. */
  readonly quote: MarketQuote | null;
}

interface Opened {
  readonly writer: IndexWriter;
  readonly place: FilePlace;
}

/**
 * Opens `index.db` in a folder as its only writer. Besides what the port says, every call of the writer throws
 * a `StartError` (code 75) once the file is damaged; and `reportEndpoints`, which is called all the time, does
 * so where the file was deleted or replaced, since what is written would be read by no one.
 * @throws {StartError} code 75 where another indexer writes it, or the file cannot be used; code 78 where it is the index
 * of other accounts than those configured
 */
export async function openIndexFile(dataDir: string, options: IndexFileOptions): Promise<OpenedIndex> {
  const file = join(dataDir, 'index.db');
  let giveBack: (() => void) | undefined;
  let opened: Opened | undefined;
  try {
    giveBack = takeWritersPlace(file);
    await finishReplacement(file);
    if (options.rebuildFor) await rebuild(file, options.rebuildFor, options.log);
    opened = await openAt(file);
    const { identity, quote } = await heldIn(file);
    // The identity that is held, with the configured accounts: told apart by what the claim itself compares.
    if (identity !== null) await opened.writer.claim({ ...identity, ...options.addresses });
    const writer = openedWriter(file, opened, giveBack, options);
    return { writer, isClaimed: identity !== null, quote };
  } catch (error) {
    await opened?.writer.close();
    giveBack?.();
    if (error instanceof StoreIdentityError) {
      throw new StartError(error.message, EXIT.configuration, { cause: error });
    }
    throw error instanceof StoreUnavailableError ? unusable(file, error) : error;
  }
}

async function rebuild(file: string, identity: IndexIdentity, log: Logger): Promise<void> {
  const { carriedPoints, fault } = await replaceIndex(file, identity);
  if (fault === null) {
    log.info({ file, carriedPoints }, 'the index is built anew; the prices of a market were carried over');
  } else {
    const reason = fault instanceof Error ? fault.message : String(fault);
    log.warn({ file, reason }, 'the index is built anew; its market prices cannot be read, and are lost');
  }
}

async function heldIn(file: string) {
  const reader = openIndexReader(file);
  try {
    return await reader.latestSnapshot(0);
  } finally {
    await reader.close();
  }
}

async function openAt(file: string): Promise<Opened> {
  const writer = await openIndexWriter(file);
  try {
    // Writes nothing, but needs the write lock: where another process holds it, that is waited for and told once, here,
    // and not by each of the first writes.
    await writer.settleEvents({ finalized: [], vanished: [] });
  } catch (error) {
    await writer.close();
    throw error;
  }
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
    finalEvent: (account, upToSlot) => using(({ writer }) => writer.finalEvent(account, upToSlot)),
    quarantined: () => using(({ writer }) => writer.quarantined()),
    releaseQuarantined: (transaction, found) =>
      using(({ writer }) => writer.releaseQuarantined(transaction, found)),
    settleEvents: (outcome) => using(({ writer }) => writer.settleEvents(outcome)),
    commitSnapshot: (snapshot) => using(({ writer }) => writer.commitSnapshot(snapshot)),
    commitHolders: (holders) => using(({ writer }) => writer.commitHolders(holders)),
    commitQuote: (quote) => using(({ writer }) => writer.commitQuote(quote)),
    eventSums: (account, upToSlot) => using(({ writer }) => writer.eventSums(account, upToSlot)),
    commitReconciliation: (reconciliation) =>
      using(({ writer }) => writer.commitReconciliation(reconciliation)),
    rollUpHistory: (now) => using(({ writer }) => writer.rollUpHistory(now)),
    fillHistory: (pastPrices) => using(({ writer }) => writer.fillHistory(pastPrices)),
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
