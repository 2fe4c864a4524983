import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { EventCursor, Stakes, WalletEvents } from '../ports.ts';
import { countTransactions, endedStake, withOpeningTransaction } from '../rules/stakes.ts';
import { and, asc, eq, equalsPlaceholder, inArray, isNotNull, lte, placeholder, sql } from './drizzle.ts';
import { eventFields, isBeforeCursor, newestFirst } from './event-statements.ts';
import {
  accounts,
  allEvents,
  chainSnapshot,
  provisionalEvents,
  stakeEntries,
  walletActivity,
} from './index-schema.ts';

export function prepareStakeStatements(db: BetterSQLite3Database) {
  const { kind, signature, blockTime, slot, position, id } = allEvents;
  const namesEntry = and(equalsPlaceholder(allEvents.stakeEntry, 'entry'), isNotNull(allEvents.stakeEntry));
  return {
    snapshotSlot: db.select({ slot: chainSnapshot.slot }).from(chainSnapshot).prepare(),
    entries: db.select().from(stakeEntries).orderBy(asc(stakeEntries.address)).prepare(),
    lastTwoEvents: db
      .select({ kind, signature, blockTime, slot, position, id })
      .from(allEvents)
      .where(and(namesEntry, lte(allEvents.slot, placeholder('slot'))))
      .orderBy(...newestFirst)
      .limit(2)
      .prepare(),
    lastEventBefore: db
      .select({ kind, signature, blockTime, slot, position, id })
      .from(allEvents)
      .where(and(namesEntry, isBeforeCursor))
      .orderBy(...newestFirst)
      .limit(1)
      .prepare(),
    ended: db
      .select({ ...eventFields, stakeEntry: sql<string>`${allEvents.stakeEntry}` })
      .from(allEvents)
      // A literal, because with a bound value SQLite does not know that the partial index applies.
      .where(sql`${allEvents.kind} = 'unstake' and ${allEvents.stakeEntry} is not null`)
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

/** @see IndexReader.stakes */
export function readStakes(statements: StakeStatements, maxEnded: number): Stakes {
  const slot = statements.snapshotSlot.get()?.slot ?? -1;
  const endings = statements.ended.all({ limit: Math.max(0, maxEnded) });
  const provisional = statements.provisional.all();
  return {
    entries: statements.entries
      .all()
      .map((entry) =>
        withOpeningTransaction(entry, statements.lastTwoEvents.all({ entry: entry.address, slot })),
      ),
    ended: endings.map((ending) => {
      const { stakeEntry: entry, slot: endingSlot, position, id } = ending;
      const opener = statements.lastEventBefore.get({ entry, slot: endingSlot, position, id });
      return endedStake(ending, opener ?? null);
    }),
    transactionCounts: countTransactions(
      statements.activity.all(),
      provisional.flatMap(({ wallet }) => wallet ?? []),
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

/** A cursor after every possible event. */
const FIRST_PAGE_CURSOR: EventCursor = {
  slot: Number.MAX_SAFE_INTEGER,
  position: Number.MAX_SAFE_INTEGER,
  order: Number.MAX_SAFE_INTEGER,
};

/** @see IndexReader.walletEvents */
export function readWalletEvents(
  statements: WalletStatements,
  wallet: string,
  limit: number,
  before: EventCursor | null,
): WalletEvents {
  const addresses = new Map(statements.accounts.all().map(({ id, address }) => [id, address]));
  const { slot, position, order } = before ?? FIRST_PAGE_CURSOR;
  // One more row than requested shows whether there are older events.
  const rows = statements.older.all({ wallet, slot, position, id: order, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    events: page.map(({ id, accountId, ...event }) => ({
      ...event,
      order: id,
      account: addresses.get(accountId) ?? '',
    })),
    next: last && rows.length > limit ? { slot: last.slot, position: last.position, order: last.id } : null,
  };
}
