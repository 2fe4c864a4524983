import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { isAgeUnknown } from '../../model/value-state.ts';
import type { ChainSnapshot, MarketQuote, StakeEntryRow } from '../chain-rows.ts';
import type { EndpointHealth } from '../ports.ts';
import { eq, sql } from './drizzle.ts';
import { chainSnapshot, endpointReport, endpoints, marketQuote, stakeEntries } from './index-schema.ts';

/** The id of the row in a table of one row. */
export const ONLY_ROW = 1;

const value = (name: string) => sql.placeholder(name);

/** The prepared statements by which the writer replaces what is known of one moment only. */
export function prepareSnapshotStatements(db: BetterSQLite3Database) {
  return {
    held: db
      .select({ slot: chainSnapshot.slot, entryChanges: chainSnapshot.entryChanges })
      .from(chainSnapshot)
      .prepare(),
    removeSnapshot: db.delete(chainSnapshot).prepare(),
    addSnapshot: db
      .insert(chainSnapshot)
      .values({
        id: ONLY_ROW,
        slot: value('slot'),
        readAt: value('readAt'),
        vaultBalance: value('vaultBalance'),
        vaultLamports: value('vaultLamports'),
        totalStaked: value('totalStaked'),
        poolVaultBalance: value('poolVaultBalance'),
        supply: value('supply'),
        stakerCount: value('stakerCount'),
        entryChanges: value('entryChanges'),
      })
      .prepare(),
    allEntries: db.select().from(stakeEntries).prepare(),
    removeEntry: db
      .delete(stakeEntries)
      .where(eq(stakeEntries.address, value('address')))
      .prepare(),
    addEntry: db
      .insert(stakeEntries)
      .values({
        address: value('address'),
        wallet: value('wallet'),
        nonce: value('nonce'),
        amount: value('amount'),
        effectiveAmount: value('effectiveAmount'),
        createdAt: value('createdAt'),
        unlocksAt: value('unlocksAt'),
        closedAt: value('closedAt'),
      })
      .prepare(),
    heldQuote: db.select({ readAt: marketQuote.readAt }).from(marketQuote).prepare(),
    removeQuote: db.delete(marketQuote).prepare(),
    addQuote: db
      .insert(marketQuote)
      .values({
        id: ONLY_ROW,
        priceUsd: value('priceUsd'),
        priceChange24h: value('priceChange24h'),
        volume24h: value('volume24h'),
        liquidity: value('liquidity'),
        source: value('source'),
        readAt: value('readAt'),
      })
      .prepare(),
    removeReport: db.delete(endpointReport).prepare(),
    addReport: db
      .insert(endpointReport)
      .values({ id: ONLY_ROW, reportedAt: value('reportedAt') })
      .prepare(),
    removeEndpoints: db.delete(endpoints).prepare(),
    addEndpoint: db
      .insert(endpoints)
      .values({
        name: value('name'),
        active: value('active'),
        state: value('state'),
        latencyMs: value('latencyMs'),
        slot: value('slot'),
        slotLag: value('slotLag'),
        requestCount: value('requestCount'),
        errorCount: value('errorCount'),
        lastError: value('lastError'),
      })
      .prepare(),
  };
}
export type SnapshotStatements = ReturnType<typeof prepareSnapshotStatements>;

function isSameEntry(left: StakeEntryRow, right: StakeEntryRow): boolean {
  return (
    left.wallet === right.wallet &&
    left.nonce === right.nonce &&
    left.amount === right.amount &&
    left.effectiveAmount === right.effectiveAmount &&
    left.createdAt === right.createdAt &&
    left.unlocksAt === right.unlocksAt &&
    left.closedAt === right.closedAt
  );
}

/** Wallets with at least one open entry. */
function countStakers(entries: readonly StakeEntryRow[]): number {
  return new Set(entries.filter((entry) => entry.closedAt === null).map((entry) => entry.wallet)).size;
}

/**
 * Writes only the entries that differ: snapshots come several times a second and mostly change none.
 * @returns how many came, went or changed
 */
function replaceEntries(statements: SnapshotStatements, entries: readonly StakeEntryRow[]): number {
  let changes = 0;
  const gone = new Map(statements.allEntries.all().map((entry) => [entry.address, entry]));
  for (const entry of entries) {
    const stored = gone.get(entry.address);
    gone.delete(entry.address);
    if (stored !== undefined && isSameEntry(stored, entry)) continue;
    if (stored !== undefined) statements.removeEntry.run({ address: entry.address });
    statements.addEntry.run({ ...entry });
    changes += 1;
  }
  for (const address of gone.keys()) statements.removeEntry.run({ address });
  return changes + gone.size;
}

/**
 * Replaces the chain snapshot unless a newer one is stored; to be run in a transaction.
 * @returns how many wallets stake by it, or null where it is older than the stored one
 */
export function replaceSnapshot(statements: SnapshotStatements, snapshot: ChainSnapshot): number | null {
  const { entries, ...figures } = snapshot;
  if (new Set(entries.map((entry) => entry.address)).size !== entries.length) {
    throw new RangeError(`The snapshot of slot ${snapshot.slot} holds two stake entries of one address.`);
  }
  const stored = statements.held.get();
  if (stored !== undefined && stored.slot > snapshot.slot) return null;
  const stakerCount = countStakers(entries);
  const entryChanges = (stored?.entryChanges ?? 0) + replaceEntries(statements, entries);
  statements.removeSnapshot.run();
  statements.addSnapshot.run({ ...figures, stakerCount, entryChanges });
  return stakerCount;
}

/**
 * Replaces the market quote unless a newer one is stored; to be run in a transaction. A stored one that lies in the future
 * was told by a clock that is wrong, and gives way.
 * @returns whether it was replaced
 */
export function replaceQuote(statements: SnapshotStatements, quote: MarketQuote, now: number): boolean {
  const stored = statements.heldQuote.get();
  if (stored && stored.readAt > quote.readAt && !isAgeUnknown(now - stored.readAt)) return false;
  statements.removeQuote.run();
  statements.addQuote.run({ ...quote });
  return true;
}

/** Replaces the endpoints' health; to be run in a transaction. */
export function replaceEndpoints(
  statements: SnapshotStatements,
  reported: readonly EndpointHealth[],
  at: number,
): void {
  statements.removeEndpoints.run();
  for (const endpoint of reported) statements.addEndpoint.run({ ...endpoint });
  statements.removeReport.run();
  statements.addReport.run({ reportedAt: at });
}
