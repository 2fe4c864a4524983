import type { EventStatus } from '../../model/chain-events.ts';
import type { ChainAlarm, QuarantinedTransaction } from '../chain-rows.ts';
import type { Database, Queries } from './database.ts';
import { storableJson } from './storable-text.ts';

/**
 * Removes repeated alarms, because a statement cannot change the same row twice. Keeps the first final alarm or, if there is
 * none, the last provisional one.
 */
function uniqueAlarms(alarms: readonly ChainAlarm[]): readonly ChainAlarm[] {
  const byKey = new Map<string, ChainAlarm>();
  for (const alarm of alarms) {
    const key = JSON.stringify([alarm.signature, alarm.kind, alarm.address]);
    if (byKey.get(key)?.status !== 'finalized') byKey.set(key, alarm);
  }
  return [...byKey.values()];
}

/** Keeps the last entry for each transaction, with the `since` of its first entry. */
function uniqueTransactions(
  transactions: readonly QuarantinedTransaction[],
): readonly QuarantinedTransaction[] {
  const byKey = new Map<string, QuarantinedTransaction>();
  for (const transaction of transactions) {
    byKey.set(transaction.signature, {
      ...transaction,
      since: byKey.get(transaction.signature)?.since ?? transaction.since,
    });
  }
  return [...byKey.values()];
}

export function prepareAlarmRows({ statement }: Database) {
  const statements = {
    // A final alarm never changes.
    putAlarms: statement(`
      insert into $.alarms as stored ("accountId", signature, slot, "blockTime", kind, address, status)
      select $1, signature, slot, "blockTime", kind, coalesce(address, ''), status
      from json_to_recordset($2) as added
        (place bigint, signature text, slot bigint, "blockTime" bigint, kind text, address text, status text)
      order by place
      on conflict (signature, "accountId", kind, address) do update set
        slot = excluded.slot, "blockTime" = excluded."blockTime", status = excluded.status
      where stored.status = 'confirmed'`),
    // A transaction that is quarantined again gets the new reason and keeps its `since`.
    quarantine: statement(`
      insert into $.quarantined as stored ("accountId", signature, slot, position, "blockTime", reason, since, status)
      select $1, signature, slot, position, "blockTime", reason, since, $3
      from json_to_recordset($2) as added
        (signature text, slot bigint, position bigint, "blockTime" bigint, reason text, since bigint)
      on conflict ("accountId", signature) do update set
        slot = excluded.slot, position = excluded.position, "blockTime" = excluded."blockTime",
        reason = excluded.reason, status = excluded.status
      where stored.status = 'confirmed' or excluded.status = 'finalized'`),
    release: statement('delete from $.quarantined where "accountId" = $1 and signature = any($2)'),
    removeProvisional: statement(`
      with removed as (delete from $.alarms where "accountId" = $1 and status = 'confirmed' and slot <= $2)
      delete from $.quarantined where "accountId" = $1 and status = 'confirmed' and slot <= $2`),
  };
  return {
    async putAlarms(queries: Queries, accountId: number, alarms: readonly ChainAlarm[]): Promise<void> {
      if (alarms.length === 0) return;
      const numberedAlarms = uniqueAlarms(alarms).map((alarm, place) => ({ ...alarm, place }));
      await queries.run(statements.putAlarms, accountId, storableJson(numberedAlarms));
    },
    async quarantine(
      queries: Queries,
      accountId: number,
      transactions: readonly QuarantinedTransaction[],
      status: EventStatus,
    ): Promise<void> {
      if (transactions.length === 0) return;
      await queries.run(
        statements.quarantine,
        accountId,
        storableJson(uniqueTransactions(transactions)),
        status,
      );
    },
    /** @returns how many of the transactions were in quarantine */
    release: (queries: Queries, accountId: number, signatures: readonly string[]): Promise<number> =>
      queries.run(statements.release, accountId, signatures),
    /** Removes the provisional alarms and quarantined transactions up to a slot. */
    async removeProvisional(queries: Queries, accountId: number, upToSlot: number): Promise<void> {
      await queries.run(statements.removeProvisional, accountId, upToSlot);
    },
  };
}
