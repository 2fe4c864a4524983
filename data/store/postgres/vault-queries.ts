import type { IndexReader } from '../ports.ts';
import { ZERO_TOTALS } from '../rules/running-totals.ts';
import type { StoredReconciliation } from '../rules/snapshots.ts';
import {
  balanceAt,
  movementsSince,
  NO_MOVEMENTS,
  netAmount,
  type VaultFacts,
  vaultHistory,
} from '../rules/vault-history.ts';
import type { Database } from './database.ts';
import { firstEventsSql, TOTALS_COLUMNS, type TotalsRow, totalsFromRow } from './event-rows.ts';
import { type DifferenceRows, toDifferences } from './index-snapshot.ts';

interface VaultRow {
  readonly caughtUpAt: number | null;
  readonly newest: TotalsRow | null;
  readonly undated: TotalsRow | null;
  readonly chain: {
    readonly readAt: number;
    readonly vaultBalance: string | null;
    readonly vaultProblem: string | null;
    readonly indexed: TotalsRow | null;
  } | null;
  readonly reconciliation:
    | (Pick<StoredReconciliation, 'agreedSlot'> & {
        readonly differences: DifferenceRows;
        readonly indexed: TotalsRow | null;
      })
    | null;
  readonly quarantined: VaultFacts['quarantined'];
  readonly moments: readonly { readonly totals: TotalsRow | null }[];
}

const COLUMNS = `slot, position, id, ${TOTALS_COLUMNS}`;
const BY_TIME = '"historyTime" desc, slot desc, position desc, id desc';

const newestTotalsSql = (condition: string, order?: string) =>
  `(select row_to_json(newest) from (${firstEventsSql(COLUMNS, `"accountId" = vault.id ${condition}`, '1', order)}) newest)`;

/** One statement, so that all its data is from the same moment. */
const VAULT_QUERY = `
  with vault as (
    select account.id, account."caughtUpAt" from $.accounts account
    join $.index_identity identity on identity.vault = account.address)
  select vault."caughtUpAt",
    ${newestTotalsSql('')} as newest,
    ${newestTotalsSql('and "historyTime" is null', BY_TIME)} as undated,
    (select row_to_json(chain) from (
      select "readAt", "vaultBalance", "vaultProblem", ${newestTotalsSql('and slot <= snapshot.slot')} as indexed
      from $.chain_snapshot snapshot) chain) as chain,
    (select row_to_json(reconciliation) from (
      select differences, "agreedSlot", ${newestTotalsSql('and slot <= reconciled.slot')} as indexed
      from $.reconciliations reconciled) reconciliation) as reconciliation,
    (select row_to_json(quarantined) from (
      select max("blockTime") as "latestTime", count(*) - count("blockTime") as undated, (
        select event."historyTime" from (
          select slot, position from $.quarantined where "accountId" = vault.id
          order by slot desc, position desc limit 1) last
        cross join lateral (${firstEventsSql(COLUMNS, '"accountId" = vault.id and (slot, position) <= (last.slot, last.position)', '1')}) event
      ) as "timeBefore"
      from $.quarantined where "accountId" = vault.id having count(*) > 0) quarantined) as quarantined,
    (select coalesce(json_agg(at_moment order by ordinal), '[]') from (
      select ordinal, ${newestTotalsSql('and "historyTime" <= moment', BY_TIME)} as totals
      from unnest($1::bigint[]) with ordinality as wanted (moment, ordinal)) at_moment) as moments
  from vault`;

const totalsOrNull = (row: TotalsRow | null | undefined) => (row ? totalsFromRow(row) : null);
const indexedBalance = ({ indexed }: { readonly indexed: TotalsRow | null }) =>
  netAmount(totalsOrNull(indexed) ?? ZERO_TOTALS);

function factsOf({ caughtUpAt, newest, chain, reconciliation, quarantined }: VaultRow): VaultFacts {
  return {
    caughtUpAt,
    newest: totalsOrNull(newest) ?? ZERO_TOTALS,
    chain: chain && {
      ...chain,
      vaultBalance: chain.vaultBalance === null ? null : BigInt(chain.vaultBalance),
      indexed: indexedBalance(chain),
    },
    reconciliation: reconciliation && {
      agreedSlot: reconciliation.agreedSlot,
      differences: toDifferences(reconciliation.differences),
      indexed: indexedBalance(reconciliation),
    },
    quarantined,
  };
}

export function prepareVaultReads(db: Database): Pick<IndexReader, 'vaultMovements' | 'vaultBalanceAt'> {
  const vaultStatement = db.statement<VaultRow>(VAULT_QUERY);
  return {
    async vaultMovements(since) {
      const row = await db.get(vaultStatement, [since]);
      if (row === null) return NO_MOVEMENTS;
      const before = totalsOrNull(row.moments[0]?.totals);
      return movementsSince(vaultHistory(factsOf(row)), since, before, totalsOrNull(row.undated));
    },
    async vaultBalanceAt(moments) {
      const row = await db.get(vaultStatement, moments);
      if (row === null) return moments.map(() => null);
      const history = vaultHistory(factsOf(row));
      return moments.map((moment, index) =>
        balanceAt(history, moment, totalsOrNull(row.moments[index]?.totals)),
      );
    },
  };
}
