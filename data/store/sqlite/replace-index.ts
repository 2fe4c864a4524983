import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import type { IndexIdentity } from '../chain-rows.ts';
import { originOfPrice } from '../rules/series.ts';
import { drizzle, eq } from './drizzle.ts';
import { historyBeginnings, historyPoints, indexIdentity, marketQuote } from './index-schema.ts';
import { openIndexWriter } from './index-writer.ts';
import { openForWriting } from './open-database.ts';
import { INDEX_FILE } from './store-files.ts';

/** The file to which a new index is written until it is complete and replaces the old one. */
const nextFile = (file: string) => `${file}.next`;

async function removeLog(file: string): Promise<void> {
  for (const logFile of [`${file}-wal`, `${file}-shm`]) await rm(logFile, { force: true });
}

/**
 * Removes an index file and its write-ahead log, so that the indexer rebuilds the index from the chain. The writer must be
 * closed. Readers may stay open, because they switch to the new file.
 */
export async function discardIndex(file: string): Promise<void> {
  // The file is removed first: a log without its file has no effect, but a file without its log is an older state of the
  // index.
  await rm(file, { force: true });
  await removeLog(file);
}

/**
 * Undoes an interrupted replacement if the former index still exists; otherwise completes it. Call it before the file is
 * opened.
 */
export async function finishReplacement(file: string): Promise<void> {
  const next = nextFile(file);
  if (existsSync(file) || !existsSync(next)) {
    await discardIndex(next);
    return;
  }
  await removeLog(file);
  await rename(next, file);
}

/** The data that the chain cannot restore: past market prices. */
interface PastMarketData {
  readonly points: (typeof historyPoints.$inferSelect)[];
  readonly beginnings: (typeof historyBeginnings.$inferSelect)[];
  readonly quotes: (typeof marketQuote.$inferSelect)[];
}

const NO_PAST_DATA: PastMarketData = { points: [], beginnings: [], quotes: [] };

/**
 * Replaces an index with an empty one that is claimed for `identity`. Market prices are copied if they are for the same mint.
 * Even if the process is killed, either the former index or the complete new one exists, and `finishReplacement` undoes or
 * completes the replacement.
 * @returns the number of copied prices, and the error if the former prices could not be read, otherwise null
 * @throws {StoreUnavailableError} when the new index cannot be created. The former one is then unchanged.
 */
export async function replaceIndex(
  file: string,
  identity: IndexIdentity,
): Promise<{ readonly carriedPoints: number; readonly error: unknown }> {
  const next = nextFile(file);
  await discardIndex(next);
  let pastData = NO_PAST_DATA;
  let readError: unknown = null;
  try {
    pastData = readPastMarketData(file, identity.mint);
  } catch (error) {
    readError = error;
  }
  const writer = await openIndexWriter(next);
  try {
    await writer.claim(identity);
  } finally {
    await writer.close();
  }
  writePastMarketData(next, pastData);
  await discardIndex(file);
  await finishReplacement(file);
  return { carriedPoints: pastData.points.length, error: readError };
}

function withIndex<T>(file: string, work: (client: Database.Database) => T): T {
  const client = openForWriting(file, INDEX_FILE);
  try {
    return work(client);
  } finally {
    client.close();
  }
}

function readPastMarketData(file: string, mint: string): PastMarketData {
  if (!existsSync(file)) return NO_PAST_DATA;
  return withIndex(file, (client) => {
    const db = drizzle({ client });
    if (db.select().from(indexIdentity).get()?.mint !== mint) return NO_PAST_DATA;
    const quotes = db.select().from(marketQuote).all();
    return {
      points: db.select().from(historyPoints).where(eq(historyPoints.origin, 'market')).all(),
      beginnings: db.select().from(historyBeginnings).where(eq(historyBeginnings.origin, 'market')).all(),
      quotes: quotes.filter(({ source }) => originOfPrice(source) === 'market'),
    };
  });
}

function writePastMarketData(file: string, { points, beginnings, quotes }: PastMarketData): void {
  withIndex(file, (client) => {
    const db = drizzle({ client });
    client
      .transaction(() => {
        for (const point of points) db.insert(historyPoints).values(point).run();
        for (const beginning of beginnings) db.insert(historyBeginnings).values(beginning).run();
        for (const quote of quotes) db.insert(marketQuote).values(quote).run();
      })
      .immediate();
  });
}
