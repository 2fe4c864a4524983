import type Database from 'better-sqlite3';
import { LISTED_TABLES } from './listed-tables.ts';

/** Records that are indexed in one transaction: some milliseconds, in which nothing else is answered. */
const AT_ONCE = 200;
/** Milliseconds between a submission and its words being indexed, and between two parts of very many. */
const SOON = 1_000;
const BETWEEN_PARTS = 20;

/**
 * Keeps the word tables that searches ask. Nobody who sends a form waits for its words to be indexed: many are together,
 * a moment later, for a fifth of what each would take alone, and whatever is not yet is when somebody searches.
 */
export interface WordIndex {
  /** Indexes the words of all records. To be called, outside a transaction, before the word tables are asked. */
  catchUp(): void;
  /** Has it done soon. A fault is left to the search that follows. */
  schedule(): void;
  stop(): void;
}

export function createWordIndex(client: Database.Database): WordIndex {
  const pending = client.prepare<[], { readonly upTo: number; readonly newest: number | null }>(
    'select upTo, (select max(sequence) from record_search) as newest from indexed_words',
  );
  const move = client.prepare('update indexed_words set upTo = ?');
  const inserts = Object.values(LISTED_TABLES).map(({ kind, words }) => ({
    kind,
    // A reference number tells the kind; rows that were deleted since leave gaps.
    insert: client.prepare(
      `insert into ${words} (rowid, words) select s.sequence, s.words from record_search s join reference_numbers r on r.referenceNumber = s.referenceNumber where s.sequence > ? and s.sequence <= ? and r.kind = ?`,
    ),
  }));
  let timer: NodeJS.Timeout | undefined;

  const index = client.transaction((upTo: number, next: number): void => {
    for (const { kind, insert } of inserts) insert.run(upTo, next, kind);
    move.run(next);
  });
  /** @returns whether there are more */
  const indexSome = (): boolean => {
    const { upTo, newest } = pending.get() ?? { upTo: 0, newest: null };
    if (newest === null || newest <= upTo) return false;
    const next = Math.min(newest, upTo + AT_ONCE);
    index.immediate(upTo, next);
    return next < newest;
  };

  const after = (milliseconds: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      try {
        if (indexSome()) after(BETWEEN_PARTS);
      } catch {
        // The search that needs it meets the same fault, and can say so to somebody.
      }
    }, milliseconds).unref();
  };

  return {
    catchUp: () => {
      while (indexSome()) {
        // One part after another.
      }
    },
    schedule: () => after(SOON),
    stop: () => clearTimeout(timer),
  };
}
