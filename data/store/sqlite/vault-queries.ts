import type { SQL } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { VaultWindow } from '../ports.ts';
import { NO_HISTORY } from '../rules/running-totals.ts';
import {
  balanceAt,
  movementsSince,
  NO_MOVEMENTS,
  netAmount,
  type VaultHistory,
  vaultHistory,
} from '../rules/vault-history.ts';
import { and, desc, eq, equals, isNull, lte, sql, value } from './drizzle.ts';
import { newestFirst, totalFields } from './event-statements.ts';
import {
  accounts,
  allEvents,
  chainSnapshot,
  indexIdentity,
  quarantined,
  reconciliations,
} from './index-schema.ts';

export function prepareVaultStatements(db: BetterSQLite3Database) {
  const ofAccount = equals(allEvents.accountId, 'accountId');
  const isQuarantined = equals(quarantined.accountId, 'accountId');
  const newest = (order: readonly SQL[], ...conditions: readonly SQL[]) =>
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
    newest: newest(newestFirst),
    newestAt: newest(byTime, lte(allEvents.historyTime, value('moment'))),
    newestAtSlot: newest(newestFirst, lte(allEvents.slot, value('slot'))),
    newestAtPosition: newest(
      newestFirst,
      sql`(${allEvents.slot}, ${allEvents.position}) <= (${value('slot')}, ${value('position')})`,
    ),
    newestUndated: newest(byTime, isNull(allEvents.historyTime)),
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

function readHistory(statements: VaultStatements): { accountId: number; history: VaultHistory } | null {
  const account = statements.account.get();
  if (account === undefined) return null;
  const { id: accountId, caughtUpAt } = account;
  const indexedBalance = (slot: number): bigint =>
    netAmount(statements.newestAtSlot.get({ accountId, slot }) ?? NO_HISTORY);
  const chain = statements.chain.get();
  const reconciliation = statements.reconciliation.get();
  const last = statements.lastQuarantined.get({ accountId });
  const times = last && statements.quarantinedTimes.get({ accountId });
  const history = vaultHistory({
    caughtUpAt,
    newest: statements.newest.get({ accountId }) ?? NO_HISTORY,
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

/** @see IndexReader.vaultMovements */
export function readVaultMovements(statements: VaultStatements, since: number): VaultWindow {
  const read = readHistory(statements);
  if (read === null) return NO_MOVEMENTS;
  const { accountId, history } = read;
  const before = statements.newestAt.get({ accountId, moment: since }) ?? null;
  return movementsSince(history, since, before, statements.newestUndated.get({ accountId }) ?? null);
}

/** @see IndexReader.vaultBalanceAt */
export function readVaultBalances(
  statements: VaultStatements,
  moments: readonly number[],
): (bigint | null)[] {
  const read = readHistory(statements);
  if (read === null) return moments.map(() => null);
  const { accountId, history } = read;
  return moments.map((moment) =>
    balanceAt(history, moment, statements.newestAt.get({ accountId, moment }) ?? null),
  );
}
