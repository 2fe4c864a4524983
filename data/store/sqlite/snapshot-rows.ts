import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { isAgeUnknown } from '../../model/value-state.ts';
import type { ChainSnapshot, MarketQuote, StakeEntryRow } from '../chain-rows.ts';
import type { EndpointHealth, HolderCount, Reconciliation } from '../ports.ts';
import type { EndpointReport } from '../rules/series.ts';
import { assertHolderCount, assertUniqueAddresses, countStakers } from '../rules/snapshots.ts';
import { equalsPlaceholder, rowPlaceholders } from './drizzle.ts';
import {
  chainSnapshot,
  endpointReport,
  endpoints,
  holderCounts,
  indexIdentity,
  marketQuote,
  reconciliations,
  stakeEntries,
} from './index-schema.ts';

const ONLY_ROW = 1;

function prepareReplace(db: BetterSQLite3Database, table: SQLiteTable): (row: object) => void {
  const remove = db.delete(table).prepare();
  const add = db.insert(table).values(rowPlaceholders(table)).prepare();
  return (row) => {
    remove.run();
    add.run({ ...row, id: ONLY_ROW });
  };
}

export function prepareSnapshotStatements(db: BetterSQLite3Database) {
  return {
    identity: db.select().from(indexIdentity).prepare(),
    replaceIdentity: prepareReplace(db, indexIdentity),
    snapshot: db
      .select({
        slot: chainSnapshot.slot,
        readAt: chainSnapshot.readAt,
        stakerCount: chainSnapshot.stakerCount,
        entryChanges: chainSnapshot.entryChanges,
      })
      .from(chainSnapshot)
      .prepare(),
    replaceSnapshot: prepareReplace(db, chainSnapshot),
    entries: db.select().from(stakeEntries).prepare(),
    removeEntry: db.delete(stakeEntries).where(equalsPlaceholder(stakeEntries.address, 'address')).prepare(),
    addEntry: db.insert(stakeEntries).values(rowPlaceholders(stakeEntries)).prepare(),
    holders: db.select({ slot: holderCounts.slot }).from(holderCounts).prepare(),
    replaceHolders: prepareReplace(db, holderCounts),
    quote: db.select({ readAt: marketQuote.readAt }).from(marketQuote).prepare(),
    replaceQuote: prepareReplace(db, marketQuote),
    reconciliation: db.select().from(reconciliations).prepare(),
    replaceReconciliation: prepareReplace(db, reconciliations),
    report: db.select({ reportedAt: endpointReport.reportedAt }).from(endpointReport).prepare(),
    replaceReport: prepareReplace(db, endpointReport),
    endpoints: db.select({ active: endpoints.active }).from(endpoints).prepare(),
    removeEndpoints: db.delete(endpoints).prepare(),
    addEndpoint: db.insert(endpoints).values(rowPlaceholders(endpoints, 'id')).prepare(),
  };
}
type SnapshotStatements = ReturnType<typeof prepareSnapshotStatements>;

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

/**
 * Writes only the entries that differ, because snapshots arrive several times a second and most change no entry.
 * @returns the number of entries that were added, removed or changed
 */
function replaceEntries(statements: SnapshotStatements, entries: readonly StakeEntryRow[]): number {
  let changes = 0;
  const remainingEntries = new Map(statements.entries.all().map((entry) => [entry.address, entry]));
  for (const entry of entries) {
    const stored = remainingEntries.get(entry.address);
    remainingEntries.delete(entry.address);
    if (stored !== undefined && isSameEntry(stored, entry)) continue;
    if (stored !== undefined) statements.removeEntry.run({ address: entry.address });
    statements.addEntry.run({ ...entry });
    changes += 1;
  }
  for (const address of remainingEntries.keys()) statements.removeEntry.run({ address });
  return changes + remainingEntries.size;
}

/**
 * Replaces the stored snapshot, unless the stored one is newer. Call it in a transaction.
 * @returns null when the stored snapshot is newer; otherwise the number of staking wallets, which is null if it is unknown
 */
export function replaceSnapshot(
  statements: SnapshotStatements,
  snapshot: ChainSnapshot,
): { readonly stakerCount: number | null } | null {
  const { entries, ...snapshotCells } = snapshot;
  const { vaultBalance, vaultLamports } = snapshotCells;
  const figures = { ...snapshotCells, vaultBalance: vaultBalance ?? 0n, vaultLamports: vaultLamports ?? 0n };
  assertUniqueAddresses(snapshot);
  const stored = statements.snapshot.get();
  if (stored !== undefined && stored.slot > snapshot.slot) return null;
  if (snapshot.stakesProblem !== null) {
    const { stakerCount = 0, entryChanges = 0 } = stored ?? {};
    statements.replaceSnapshot({ ...figures, stakerCount, entryChanges });
    return { stakerCount: null };
  }
  const stakerCount = countStakers(entries);
  const entryChanges = (stored?.entryChanges ?? 0) + replaceEntries(statements, entries);
  statements.replaceSnapshot({ ...figures, stakerCount, entryChanges });
  return { stakerCount };
}

/**
 * Replaces the stored market quote, unless the stored one is newer. A stored quote with a time in the future came from a wrong
 * clock and is always replaced. Call it in a transaction. @returns whether the stored quote was replaced
 */
export function replaceQuote(statements: SnapshotStatements, quote: MarketQuote, now: number): boolean {
  const stored = statements.quote.get();
  if (stored && stored.readAt > quote.readAt && !isAgeUnknown(now - stored.readAt)) return false;
  statements.replaceQuote(quote);
  return true;
}

/** Returns the host's time, or the chain's time if the host's clock is behind the chain and therefore wrong. */
export function latestTime(statements: SnapshotStatements, hostTime: number): number {
  return Math.max(hostTime, statements.snapshot.get()?.readAt ?? hostTime);
}

/** @see IndexWriter.commitHolders */
export function replaceHolders(statements: SnapshotStatements, holders: HolderCount): void {
  assertHolderCount(holders);
  const stored = statements.holders.get();
  if (stored !== undefined && stored.slot > holders.slot) return;
  statements.replaceHolders(holders);
}

/** Replaces the latest reconciliation, and keeps the slot and time of the latest one without differences. */
export function replaceReconciliation(statements: SnapshotStatements, latest: Reconciliation): void {
  const { slot, at, differences } = latest;
  const previous = statements.reconciliation.get();
  const agreement =
    differences.length === 0
      ? { agreedSlot: slot, agreedAt: at }
      : { agreedSlot: previous?.agreedSlot ?? null, agreedAt: previous?.agreedAt ?? null };
  statements.replaceReconciliation({ slot, at, differences, ...agreement });
}

/** @see IndexWriter.reportEndpoints. @returns the previous report */
export function replaceEndpoints(
  statements: SnapshotStatements,
  reported: readonly EndpointHealth[],
  reportedAt: number,
): EndpointReport | null {
  const previousReport = statements.report.get();
  const previousEndpoints = statements.endpoints.all();
  statements.removeEndpoints.run();
  for (const endpoint of reported) statements.addEndpoint.run({ ...endpoint });
  statements.replaceReport({ reportedAt });
  return previousReport ? { ...previousReport, endpoints: previousEndpoints } : null;
}
