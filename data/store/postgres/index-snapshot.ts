import type { ChainAlarm, IndexIdentity, MarketQuote } from '../chain-rows.ts';
import type { EndpointHealth, HolderCount, IndexReader, IndexSnapshot, IndexStatistics } from '../ports.ts';
import type { StoredReconciliation } from '../rules/snapshots.ts';
import { accountStatistics, historyState, type WatchedAccount } from '../rules/watched-accounts.ts';
import type { Database } from './database.ts';
import { EVENT_COLUMNS, type EventRow, eventFromRow, firstEventsSql, NEWEST_FIRST } from './event-rows.ts';

const MAX_ALARMS = 100;

type Chain = NonNullable<IndexSnapshot['chain']>;
type AmountName = 'vaultBalance' | 'vaultLamports' | 'totalStaked' | 'poolVaultBalance' | 'supply';

type ChainRow = Omit<Chain, AmountName | 'stakerCount'> & { readonly stakerCount: number } & {
  readonly [Name in AmountName]: Chain[Name] extends bigint ? string : string | null;
};

export type DifferenceRows = readonly {
  readonly what: string;
  readonly onChain: string;
  readonly indexed: string;
}[];
type ReconciliationRow = Omit<StoredReconciliation, 'differences'> & { readonly differences: DifferenceRows };

export type AddressedRow = EventRow & Pick<ReturnType<typeof eventFromRow>, 'account' | 'status'>;

interface SnapshotRow {
  readonly identity: IndexIdentity | null;
  readonly chain: ChainRow | null;
  readonly holders: HolderCount | null;
  readonly quote: MarketQuote | null;
  readonly report: { readonly reportedAt: number; readonly endpoints: readonly EndpointHealth[] } | null;
  readonly reconciliation: ReconciliationRow | null;
  readonly watched: readonly WatchedAccount[];
  readonly recentEvents: readonly AddressedRow[];
  readonly alarms: readonly ChainAlarm[];
  readonly quarantinedCount: number;
}

export const toDifferences = (rows: DifferenceRows) =>
  rows.map(({ what, onChain, indexed }) => ({ what, onChain: BigInt(onChain), indexed: BigInt(indexed) }));

export const toChainEvent = (row: AddressedRow) => eventFromRow(row, row.account, row.status);

const amountOrNull = (text: string | null) => (text === null ? null : BigInt(text));

function chainOf({
  vaultBalance,
  vaultLamports,
  totalStaked,
  poolVaultBalance,
  supply,
  ...row
}: ChainRow): Chain {
  return {
    ...row,
    vaultBalance: amountOrNull(vaultBalance),
    vaultLamports: amountOrNull(vaultLamports),
    totalStaked: BigInt(totalStaked),
    poolVaultBalance: BigInt(poolVaultBalance),
    supply: BigInt(supply),
    stakerCount: row.stakesProblem === null ? row.stakerCount : null,
  };
}

function reconciliationOf(
  row: ReconciliationRow | null,
): Pick<IndexSnapshot, 'reconciliation' | 'lastAgreement'> {
  if (row === null) return { reconciliation: null, lastAgreement: null };
  const { slot, at, differences, agreedSlot, agreedAt } = row;
  return {
    reconciliation: { slot, at, differences: toDifferences(differences) },
    lastAgreement: agreedSlot === null || agreedAt === null ? null : { slot: agreedSlot, at: agreedAt },
  };
}

const rowAsJsonSql = (columns: string, table: string) =>
  `(select row_to_json(stored) from (select ${columns} from $.${table}) stored)`;
const rowsAsJsonSql = (query: string, order: string) =>
  `(select coalesce(json_agg(stored order by ${order}), '[]') from (${query}) stored)`;

const WATCHED_QUERY = rowsAsJsonSql(
  `select account.address, "cursorSlot", "caughtUpAt", "hasBeginning", "eventCount", account.address = vault as "isVault"
  from $.accounts account join $.index_identity on account.address in (vault, "poolVault")`,
  'address',
);

/** Each read is one statement, so that all its data is from the same moment. */
export function prepareSnapshotReads(db: Database): Pick<IndexReader, 'latestSnapshot' | 'statistics'> {
  const snapshot = db.statement<SnapshotRow>(`
    select ${rowAsJsonSql('"genesisHash", mint, vault, "stakePool", "poolVault", decimals', 'index_identity')} as identity,
      ${rowAsJsonSql(
        `slot, "readAt", "clockDifference", "vaultBalance", "vaultLamports", "vaultProblem", "totalStaked",
        "poolVaultBalance", supply, "stakerCount", "unreadEntries", "entryChanges", "stakesProblem"`,
        'chain_snapshot',
      )} as chain,
      ${rowAsJsonSql('slot, wallets, "readAt"', 'holder_counts')} as holders,
      ${rowAsJsonSql('"priceUsd", "priceChange24h", "volume24h", liquidity, source, "readAt"', 'market_quote')} as quote,
      ${rowAsJsonSql('"reportedAt", endpoints', 'endpoint_report')} as report,
      ${rowAsJsonSql('slot, at, differences, "agreedSlot", "agreedAt"', 'reconciliations')} as reconciliation,
      ${WATCHED_QUERY} as watched,
      ${rowsAsJsonSql(
        `select event.*, address as account from $.accounts account
          cross join lateral (${firstEventsSql(EVENT_COLUMNS, '"accountId" = account.id', '$1')}) event
        order by ${NEWEST_FIRST.replaceAll('id', 'event.id')} limit $1`,
        NEWEST_FIRST,
      )} as "recentEvents",
      ${rowsAsJsonSql(
        `select alarm.id, signature, account.address as account, slot, "blockTime", kind,
          nullif(alarm.address, '') as address, status
        from $.alarms alarm join $.accounts account on account.id = "accountId"
        order by slot desc, alarm.id desc limit ${MAX_ALARMS}`,
        'slot desc, id desc',
      )} as alarms,
      (select count(*) from $.quarantined) as "quarantinedCount"`);
  const statistics = db.statement<
    { watched: readonly WatchedAccount[] } & Omit<IndexStatistics, 'events' | 'cursorSlot'>
  >(`
    select ${WATCHED_QUERY} as watched,
      (select count(*) from $.provisional_events) as "provisionalEvents",
      (select count(*) from $.quarantined) as quarantined,
      (select count(*) from $.alarms) as alarms`);

  return {
    async latestSnapshot(recentEventCount) {
      const row = await db.get(snapshot, Math.max(0, recentEventCount));
      if (row === null) throw new Error('The query for the snapshot returned no row.');
      const reconciliationFields = reconciliationOf(row.reconciliation);
      return {
        identity: row.identity,
        chain: row.chain && chainOf(row.chain),
        holders: row.holders,
        quote: row.quote,
        endpoints: row.report?.endpoints ?? [],
        endpointsReportedAt: row.report?.reportedAt ?? null,
        recentEvents: row.recentEvents.map(toChainEvent),
        ...historyState(row.watched, reconciliationFields.lastAgreement),
        ...reconciliationFields,
        alarms: row.alarms.map(({ signature, account, slot, blockTime, kind, address, status }) => {
          return { signature, account, slot, blockTime, kind, address, status };
        }),
        quarantinedCount: row.quarantinedCount,
      };
    },
    async statistics() {
      const row = await db.get(statistics);
      if (row === null) throw new Error('The query for the statistics returned no row.');
      const { watched, provisionalEvents, quarantined, alarms } = row;
      return { ...accountStatistics(watched), provisionalEvents, quarantined, alarms };
    },
  };
}
