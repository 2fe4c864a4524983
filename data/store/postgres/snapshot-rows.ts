import { isAgeUnknown } from '../../model/value-state.ts';
import type { ChainSnapshot, IndexIdentity, MarketQuote } from '../chain-rows.ts';
import type { HolderCount, Reconciliation } from '../ports.ts';
import { type EndpointReport, originOfPrice } from '../rules/series.ts';
import { assertHolderCount, assertUniqueAddresses, countStakers } from '../rules/snapshots.ts';
import type { Database, Queries } from './database.ts';

const jsonWithTextAmounts = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? part.toString() : part));

/** SQL that replaces the only row of a table. */
function replaceRowSql(table: string, columns: readonly string[]): string {
  const names = columns.map((column) => `"${column}"`);
  return `insert into $.${table} (${names.join(', ')}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})
    on conflict (id) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`;
}

const SNAPSHOT_COLUMNS = [
  ...(['slot', 'readAt', 'clockDifference', 'vaultBalance', 'vaultLamports', 'vaultProblem'] as const),
  ...(['totalStaked', 'poolVaultBalance', 'supply', 'stakerCount', 'unreadEntries', 'entryChanges'] as const),
  'stakesProblem',
] as const;

export function prepareSnapshotRows({ statement }: Database) {
  const statements = {
    identity: statement<IndexIdentity>(
      'select "genesisHash", mint, vault, "stakePool", "poolVault", decimals from $.index_identity',
    ),
    claim: statement(`
      insert into $.index_identity ("genesisHash", mint, vault, "stakePool", "poolVault", decimals)
      values ($1, $2, $3, $4, $5, $6)`),
    snapshot: statement<{ slot: number; readAt: number; stakerCount: number; entryChanges: number }>(
      'select slot, "readAt", "stakerCount", "entryChanges" from $.chain_snapshot',
    ),
    replaceSnapshot: statement(replaceRowSql('chain_snapshot', SNAPSHOT_COLUMNS)),
    // Writes only the entries that differ, because snapshots come several times a second and most change no entry.
    replaceEntries: statement<{ changes: number }>(`
      with entry as materialized (
        select address, wallet, nonce, amount, "effectiveAmount", "createdAt", "unlocksAt", "closedAt"
        from json_populate_recordset(null::$.stake_entries, $1)),
      removed as (
        delete from $.stake_entries stored where not exists (select from entry where entry.address = stored.address)
        returning 1),
      put as (
        insert into $.stake_entries (address, wallet, nonce, amount, "effectiveAmount", "createdAt", "unlocksAt", "closedAt")
        select entry.* from entry left join $.stake_entries stored on stored.address = entry.address
        where stored.address is null
          or (stored.wallet, stored.nonce, stored.amount, stored."effectiveAmount", stored."createdAt", stored."unlocksAt")
            <> (entry.wallet, entry.nonce, entry.amount, entry."effectiveAmount", entry."createdAt", entry."unlocksAt")
          or stored."closedAt" is distinct from entry."closedAt"
        on conflict (address) do update set wallet = excluded.wallet, nonce = excluded.nonce, amount = excluded.amount,
          "effectiveAmount" = excluded."effectiveAmount", "createdAt" = excluded."createdAt",
          "unlocksAt" = excluded."unlocksAt", "closedAt" = excluded."closedAt"
        returning 1)
      select (select count(*) from removed) + (select count(*) from put) as changes`),
    replaceHolders: statement(`
      ${replaceRowSql('holder_counts', ['slot', 'wallets', 'readAt'])} where holder_counts.slot <= excluded.slot`),
    quote: statement<{ readAt: number }>('select "readAt" from $.market_quote'),
    replaceQuote: statement(
      replaceRowSql('market_quote', [
        ...['priceUsd', 'priceChange24h', 'volume24h', 'liquidity', 'source', 'origin', 'readAt'],
      ]),
    ),
    replaceReconciliation: statement(`
      insert into $.reconciliations as stored (slot, at, differences, "agreedSlot", "agreedAt") values ($1, $2, $3, $4, $5)
      on conflict (id) do update set slot = excluded.slot, at = excluded.at, differences = excluded.differences,
        "agreedSlot" = coalesce(excluded."agreedSlot", stored."agreedSlot"),
        "agreedAt" = coalesce(excluded."agreedAt", stored."agreedAt")`),
    report: statement<EndpointReport>('select "reportedAt", endpoints from $.endpoint_report'),
    replaceReport: statement(replaceRowSql('endpoint_report', ['reportedAt', 'endpoints'])),
  };

  return {
    identity: (on: Queries): Promise<IndexIdentity | null> => on.get(statements.identity),
    async claim(on: Queries, identity: IndexIdentity): Promise<void> {
      const { genesisHash, mint, vault, stakePool, poolVault, decimals } = identity;
      await on.run(statements.claim, genesisHash, mint, vault, stakePool, poolVault, decimals);
    },
    /**
     * Replaces the stored snapshot, unless the stored one is newer.
     * @returns null when the stored one is newer; otherwise the number of staking wallets, which is null if unknown
     */
    async replaceSnapshot(
      on: Queries,
      snapshot: ChainSnapshot,
    ): Promise<{ readonly stakerCount: number | null } | null> {
      assertUniqueAddresses(snapshot);
      const stored = await on.get(statements.snapshot);
      if (stored !== null && stored.slot > snapshot.slot) return null;
      const areStakesKnown = snapshot.stakesProblem === null;
      const entries = jsonWithTextAmounts(snapshot.entries);
      const changes = areStakesKnown ? ((await on.get(statements.replaceEntries, entries))?.changes ?? 0) : 0;
      const row = {
        ...snapshot,
        stakerCount: areStakesKnown ? countStakers(snapshot.entries) : (stored?.stakerCount ?? 0),
        entryChanges: (stored?.entryChanges ?? 0) + changes,
      };
      const values = SNAPSHOT_COLUMNS.map((column) => row[column]);
      await on.run(
        statements.replaceSnapshot,
        ...values.map((value) => (typeof value === 'bigint' ? value.toString() : value)),
      );
      return { stakerCount: areStakesKnown ? row.stakerCount : null };
    },
    /** The host's time or, if that is behind the chain, the time of the stored snapshot. */
    async latestTime(on: Queries, hostTime: number): Promise<number> {
      return Math.max(hostTime, (await on.get(statements.snapshot))?.readAt ?? hostTime);
    },
    /** @see IndexWriter.commitHolders */
    async replaceHolders(on: Queries, holders: HolderCount): Promise<void> {
      assertHolderCount(holders);
      await on.run(statements.replaceHolders, holders.slot, holders.wallets, holders.readAt);
    },
    /**
     * Replaces the stored quote, unless the stored one is newer. A stored quote from the future is always
     * replaced, because it is due to a wrong clock.
     * @returns whether the quote was replaced
     */
    async replaceQuote(on: Queries, quote: MarketQuote, now: number): Promise<boolean> {
      const stored = await on.get(statements.quote);
      if (stored && stored.readAt > quote.readAt && !isAgeUnknown(now - stored.readAt)) return false;
      const { priceUsd, priceChange24h, volume24h, liquidity, source, readAt } = quote;
      const figures = [priceUsd, priceChange24h, volume24h, liquidity];
      await on.run(statements.replaceQuote, ...figures, source, originOfPrice(source), readAt);
      return true;
    },
    /** Replaces the latest reconciliation, and keeps the slot and time of the latest one without differences. */
    async replaceReconciliation(on: Queries, { slot, at, differences }: Reconciliation): Promise<void> {
      const agreement = differences.length === 0 ? [slot, at] : [null, null];
      await on.run(
        statements.replaceReconciliation,
        slot,
        at,
        jsonWithTextAmounts(differences),
        ...agreement,
      );
    },
    /** @see IndexWriter.reportEndpoints. @returns the previous report */
    async replaceReport(
      on: Queries,
      { reportedAt, endpoints }: EndpointReport,
    ): Promise<EndpointReport | null> {
      const previousReport = await on.get(statements.report);
      await on.run(statements.replaceReport, reportedAt, JSON.stringify(endpoints));
      return previousReport;
    },
  };
}
