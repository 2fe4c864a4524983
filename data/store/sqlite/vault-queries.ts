import type { SQL } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { VaultWindow } from '../ports.ts';
import { ZERO_TOTALS } from '../rules/running-totals.ts';
import {
  balanceAt,
  movementsSince,
  NO_MOVEMENTS,
  netAmount,
  type VaultHistory,
  vaultHistory,
} from '../rules/vault-history.ts';
import { and, desc, eq, equalsPlaceholder, isNull, lte, placeholder, sql } from './drizzle.ts';
import { newestFirst, totalFields } from './event-statements.ts';
import {
  accounts,
  allEvents,
  chainSnapshot,
  indexIdentity,
  quarantined,
  reconciliations,
} from './index-schema.ts';

function prepareVaultStatements(db: BetterSQLite3Database) {
  const ofAccount = equalsPlaceholder(allEvents.accountId, 'accountId');
  const isQuarantined = equalsPlaceholder(quarantined.accountId, 'accountId');
  const prepareNewest = (order: readonly SQL[], ...conditions: readonly SQL[]) =>
    db
      .select(totalFields)
      .from(allEvents)
      .where(and(ofAccount, ...conditions))
      .orderBy(...order)
      .limit(1)
      .prepare();
  const byTime = [desc(allEvents.historyTime), ...newestFirst];
  return {
    chain: db.select().from(chainSnapshot).prepare(),
    reconciliation: db.select().from(reconciliations).prepare(),
    account: db
      .select({ id: accounts.id, caughtUpAt: accounts.caughtUpAt })
      .from(accounts)
      .innerJoin(indexIdentity, eq(indexIdentity.vault, accounts.address))
      .prepare(),
    newest: prepareNewest(newestFirst),
    newestAt: prepareNewest(byTime, lte(allEvents.historyTime, placeholder('moment'))),
    newestAtSlot: prepareNewest(newestFirst, lte(allEvents.slot, placeholder('slot'))),
    newestAtPosition: prepareNewest(
      newestFirst,
      sql`(${allEvents.slot}, ${allEvents.position}) <= (${placeholder('slot')}, ${placeholder('position')})`,
    ),
    newestUndated: prepareNewest(byTime, isNull(allEvents.historyTime)),
    lastQuarantined: db
      .select({ slot: quarantined.slot, position: quarantined.position })
      .from(quarantined)
      .where(isQuarantined)
      .orderBy(desc(quarantined.slot), desc(quarantined.position))
      .limit(1)
      .prepare(),
    quarantinedTimes: db
      .select({
        latest: sql<number | null>`max(${quarantined.blockTime})`,
        undated: sql<number>`count(*) - count(${quarantined.blockTime})`,
      })
      .from(quarantined)
      .where(isQuarantined)
      .prepare(),
  };
}
type VaultStatements = ReturnType<typeof prepareVaultStatements>;

interface StoredVault {
  readonly accountId: number;
  readonly history: VaultHistory;
}

function readVault(statements: VaultStatements): StoredVault | null {
  const account = statements.account.get();
  if (account === undefined) return null;
  const { id: accountId, caughtUpAt } = account;
  const indexedBalance = (slot: number): bigint =>
    netAmount(statements.newestAtSlot.get({ accountId, slot }) ?? ZERO_TOTALS);
  const chain = statements.chain.get();
  const reconciliation = statements.reconciliation.get();
  const last = statements.lastQuarantined.get({ accountId });
  const times = last && statements.quarantinedTimes.get({ accountId });
  const history = vaultHistory({
    caughtUpAt,
    newest: statements.newest.get({ accountId }) ?? ZERO_TOTALS,
    chain: chain ? { ...chain, indexed: indexedBalance(chain.slot) } : null,
    reconciliation: reconciliation
      ? { ...reconciliation, indexed: indexedBalance(reconciliation.slot) }
      : null,
    quarantined: times
      ? {
          latestTime: times.latest,
          undated: times.undated,
          timeBefore: statements.newestAtPosition.get({ accountId, ...last })?.historyTime ?? null,
        }
      : null,
  });
  return { accountId, history };
}

/**
 * Prepares functions that read the vault's history. Call them in a read transaction.
 * @param version reads a number that changes when another connection commits
 */
export function prepareVaultReads(db: BetterSQLite3Database, version: () => number) {
  const statements = prepareVaultStatements(db);
  let lastRead: { readonly version: number; readonly vault: StoredVault | null } | null = null;
  // Both functions run after every commit and need the same data, so the data is kept until the next commit.
  const currentVault = (): StoredVault | null => {
    const current = version();
    if (lastRead?.version !== current) lastRead = { version: current, vault: readVault(statements) };
    return lastRead.vault;
  };
  const totalsAt = (accountId: number, moment: number) =>
    statements.newestAt.get({ accountId, moment }) ?? null;
  return {
    movements(since: number): VaultWindow {
      const vault = currentVault();
      if (vault === null) return NO_MOVEMENTS;
      const { accountId, history } = vault;
      const undated = statements.newestUndated.get({ accountId }) ?? null;
      return movementsSince(history, since, totalsAt(accountId, since), undated);
    },
    balancesAt(moments: readonly number[]): (bigint | null)[] {
      const vault = currentVault();
      if (vault === null) return moments.map(() => null);
      const { accountId, history } = vault;
      // Every balance would be null. During a backfill, this saves the queries after each commit.
      if (history.openingBalance === null) return moments.map(() => null);
      return moments.map((moment) => balanceAt(history, moment, totalsAt(accountId, moment)));
    },
  };
}
