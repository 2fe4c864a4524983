import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import type { IndexIdentity } from '../chain-rows.ts';
import { drizzle, eq } from './drizzle.ts';
import { originOfPrice } from './history-points.ts';
import { historyBeginnings, historyPoints, indexIdentity, marketQuote } from './index-schema.ts';
import { openIndexWriter } from './index-writer.ts';
import { openForWriting } from './open-database.ts';
import { INDEX_FILE } from './store-files.ts';

/** Where the index that takes another's place is made: at its own place only once it is whole. */
const nextOf = (file: string) => `${file}.next`;

async function removeLog(file: string): Promise<void> {
  for (const part of [`${file}-wal`, `${file}-shm`]) await rm(part, { force: true });
}

/**
 * Removes an index file with its log, so that the indexer builds it again from the chain. Its writer must be closed;
 * readers may stay open, and move to the new file by themselves.
 */
export async function discardIndex(file: string): Promise<void> {
  // The file first: a log without its file is nothing, a file without its log would be an older index.
  await rm(file, { force: true });
  await removeLog(file);
}

/**
 * Ends a replacement that was broken off, or undoes it: as long as the former index is there, it is the index. To be
 * called before the file is opened.
 */
export async function finishReplacement(file: string): Promise<void> {
  const next = nextOf(file);
  if (existsSync(file) || !existsSync(next)) {
    await discardIndex(next);
    return;
  }
  await removeLog(file);
  await rename(next, file);
}

/** What of an index no chain can give back: the prices that a market had. */
interface MarketPast {
  readonly points: (typeof historyPoints.$inferSelect)[];
  readonly beginnings: (typeof historyBeginnings.$inferSelect)[];
  readonly quotes: (typeof marketQuote.$inferSelect)[];
}

const NO_PAST: MarketPast = { points: [], beginnings: [], quotes: [] };

/**
 * Puts an empty index, claimed for `identity`, in an index's place. The prices of a market are carried over where they
 * are those of the same mint. At any moment there is either the former index or the whole next one: where the program
 * ends in between, `finishReplacement` goes on from there.
 * @returns the points carried over, or why they could not be read
 * @throws {StoreUnavailableError} where the next index cannot be made; the former one is then as it was
 */
export async function replaceIndex(
  file: string,
  identity: IndexIdentity,
): Promise<{ readonly carriedPoints: number; readonly fault: unknown }> {
  const next = nextOf(file);
  await discardIndex(next);
  let past = NO_PAST;
  let fault: unknown = null;
  try {
    past = readMarketPast(file, identity.mint);
  } catch (error) {
    fault = error;
  }
  const writer = await openIndexWriter(next);
  try {
    await writer.claim(identity);
  } finally {
    await writer.close();
  }
  writeMarketPast(next, past);
  await discardIndex(file);
  await finishReplacement(file);
  return { carriedPoints: past.points.length, fault };
}

function using<T>(file: string, work: (client: Database.Database) => T): T {
  const client = openForWriting(file, INDEX_FILE);
  try {
    return work(client);
  } finally {
    client.close();
  }
}

function readMarketPast(file: string, mint: string): MarketPast {
  if (!existsSync(file)) return NO_PAST;
  return using(file, (client) => {
    const db = drizzle({ client });
    if (db.select().from(indexIdentity).get()?.mint !== mint) return NO_PAST;
    return {
      points: db.select().from(historyPoints).where(eq(historyPoints.origin, 'market')).all(),
      beginnings: db.select().from(historyBeginnings).where(eq(historyBeginnings.origin, 'market')).all(),
      quotes: db
        .select()
        .from(marketQuote)
        .all()
        .filter(({ source }) => originOfPrice(source) === 'market'),
    };
  });
}

function writeMarketPast(file: string, { points, beginnings, quotes }: MarketPast): void {
  using(file, (client) => {
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
