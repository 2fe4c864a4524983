import type Database from 'better-sqlite3';
import { LISTED_TABLES } from './listed-tables.ts';

/** How many records one transaction indexes. Each transaction blocks other calls for a few milliseconds. */
const BATCH_SIZE = 200;
const INDEX_DELAY_MS = 1_000;
const BATCH_PAUSE_MS = 20;

/**
 * Fills the word tables that searches read. A submission does not wait for this: records are indexed together a second later,
 * at a fifth of the cost of indexing them one by one. A search first indexes the missing records.
 */
export interface WordIndex {
  /** Indexes all records that are not indexed yet. Call it before a search, outside a transaction. */
  catchUp(): void;
  /** Indexes new records a second after the call. Ignores an error, because the next search reports it. */
  schedule(): void;
  stop(): void;
}

export function createWordIndex(client: Database.Database): WordIndex {
  const readProgress = client.prepare<[], { readonly upTo: number; readonly newest: number | null }>(
    'select upTo, (select max(sequence) from record_search) as newest from indexed_words',
  );
  const setIndexedUpTo = client.prepare('update indexed_words set upTo = ?');
  const inserts = Object.values(LISTED_TABLES).map(({ kind, wordTable }) => ({
    kind,
    insert: client.prepare(
      `insert into ${wordTable} (rowid, words) select s.sequence, s.words from record_search s join reference_numbers r on r.referenceNumber = s.referenceNumber where s.sequence > ? and s.sequence <= ? and r.kind = ?`,
    ),
  }));
  let timer: NodeJS.Timeout | undefined;

  const indexRange = client.transaction((upTo: number, rangeEnd: number): void => {
    for (const { kind, insert } of inserts) insert.run(upTo, rangeEnd, kind);
    setIndexedUpTo.run(rangeEnd);
  });
  /** Indexes the next records. @returns whether there are more to index */
  const indexBatch = (): boolean => {
    const { upTo, newest } = readProgress.get() ?? { upTo: 0, newest: null };
    if (newest === null || newest <= upTo) return false;
    // Deleted records leave gaps in the sequence numbers, so a range may contain fewer than `BATCH_SIZE` records.
    const rangeEnd = Math.min(newest, upTo + BATCH_SIZE);
    indexRange.immediate(upTo, rangeEnd);
    return rangeEnd < newest;
  };

  const scheduleBatch = (milliseconds: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      try {
        if (indexBatch()) scheduleBatch(BATCH_PAUSE_MS);
      } catch {
        // The next search reports the error.
      }
    }, milliseconds).unref();
  };

  return {
    catchUp: () => {
      for (let hasMore = true; hasMore; ) hasMore = indexBatch();
    },
    schedule: () => scheduleBatch(INDEX_DELAY_MS),
    stop: () => clearTimeout(timer),
  };
}
