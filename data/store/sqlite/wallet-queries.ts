import type { SQL } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { EventCursor, Stakes, WalletEvents } from '../ports.ts';
import {
  countTransactions,
  endedStake,
  type StakeEntryEvent,
  withOpeningTransaction,
} from '../rules/stakes.ts';
import { FIRST_PAGE_CURSOR, walletEventsPage } from '../rules/wallet-events.ts';
import {
  and,
  asc,
  eq,
  equalsPlaceholder,
  getTableColumns,
  inArray,
  isNotNull,
  placeholder,
  sql,
} from './drizzle.ts';
import { eventFields, isBeforeCursor, newestFirst } from './event-statements.ts';
import {
  accounts,
  allEvents,
  chainSnapshot,
  provisionalEvents,
  stakeEntries,
  walletActivity,
} from './index-schema.ts';

/**
 * A subquery for the last events that match a condition, newest first, as a JSON array of `StakeEntryEvent`.
 * @param condition refers to an event's row as `event`
 */
const lastEventsJson = (condition: SQL, limit: number) => sql<string>`(
  select json_group_array(json_object('kind', kind, 'signature', signature, 'blockTime', block_time) order by slot desc, position desc, id desc)
  from (
    select kind, signature, block_time, slot, position, id from ${allEvents} event
    where event.stake_entry is not null and ${condition}
    order by slot desc, position desc, id desc limit ${sql.raw(String(limit))}))`;

export function prepareStakeStatements(db: BetterSQLite3Database) {
  const { slot, position, id, stakeEntry, kind } = allEvents;
  // With a separate statement for each entry, the read would take five times as long (`npm run bench -- growth`), and would
  // block the API meanwhile.
  const eventsOfEntry = lastEventsJson(
    sql`event.stake_entry = ${stakeEntries.address} and event.slot <= (select ${chainSnapshot.slot} from ${chainSnapshot})`,
    2,
  );
  const eventBefore = lastEventsJson(
    sql`event.stake_entry = ${stakeEntry} and (event.slot, event.position, event.id) < (${slot}, ${position}, ${id})`,
    1,
  );
  return {
    entries: db
      .select({ ...getTableColumns(stakeEntries), lastEvents: eventsOfEntry })
      .from(stakeEntries)
      .orderBy(asc(stakeEntries.address))
      .prepare(),
    ended: db
      .select({ ...eventFields, stakeEntry: sql<string>`${stakeEntry}`, lastEvents: eventBefore })
      .from(allEvents)
      // 'unstake' is a literal, because SQLite cannot tell that the partial index applies if the value is bound.
      .where(sql`${kind} = 'unstake' and ${stakeEntry} is not null`)
      .orderBy(...newestFirst)
      .limit(placeholder('limit'))
      .prepare(),
    activity: db.select().from(walletActivity).prepare(),
    provisional: db
      .selectDistinct({
        wallet: provisionalEvents.wallet,
        signature: provisionalEvents.signature,
        accountId: provisionalEvents.accountId,
      })
      .from(provisionalEvents)
      .where(and(isNotNull(provisionalEvents.wallet), inArray(provisionalEvents.kind, ['stake', 'unstake'])))
      .prepare(),
  };
}
type StakeStatements = ReturnType<typeof prepareStakeStatements>;

export function readStakes(statements: StakeStatements, maxEnded: number): Stakes {
  const parseEvents = (json: string): StakeEntryEvent[] => JSON.parse(json);
  return {
    entries: statements.entries
      .all()
      .map(({ lastEvents, ...entry }) => withOpeningTransaction(entry, parseEvents(lastEvents))),
    ended: statements.ended
      .all({ limit: Math.max(0, maxEnded) })
      .map(({ lastEvents, ...ending }) => endedStake(ending, parseEvents(lastEvents)[0] ?? null)),
    transactionCounts: countTransactions(
      statements.activity.all(),
      statements.provisional.all().flatMap(({ wallet }) => wallet ?? []),
    ),
  };
}

export function prepareWalletStatements(db: BetterSQLite3Database) {
  return {
    accounts: db.select({ id: accounts.id, address: accounts.address }).from(accounts).prepare(),
    older: db
      .select({ ...eventFields, accountId: allEvents.accountId, historyTime: allEvents.historyTime })
      .from(allEvents)
      .where(
        and(
          eq(allEvents.walletBeginning, sql`substr(${placeholder('wallet')}, 1, 8)`),
          equalsPlaceholder(allEvents.wallet, 'wallet'),
          isBeforeCursor,
        ),
      )
      .orderBy(...newestFirst)
      .limit(placeholder('limit'))
      .prepare(),
  };
}
type WalletStatements = ReturnType<typeof prepareWalletStatements>;

export function readWalletEvents(
  statements: WalletStatements,
  wallet: string,
  limit: number,
  before: EventCursor | null,
): WalletEvents {
  const addresses = new Map(statements.accounts.all().map(({ id, address }) => [id, address]));
  const { slot, position, order } = before ?? FIRST_PAGE_CURSOR;
  const rows = statements.older.all({ wallet, slot, position, id: order, limit: limit + 1 });
  const events = rows.map(({ id, accountId, ...event }) => ({
    ...event,
    order: id,
    account: addresses.get(accountId) ?? '',
  }));
  return walletEventsPage(events, limit);
}
