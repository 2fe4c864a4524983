import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { StakeEntryRow } from '../chain-rows.ts';
import type { EndedStake, EventPlace, OpenedStake, Stakes, WalletEvents } from '../ports.ts';
import { and, asc, eq, equals, inArray, isNotNull, lte, sql, value } from './drizzle.ts';
import { eventFields, isBeforePlace, newestFirst } from './event-statements.ts';
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
  const namesEntry = and(equals(allEvents.stakeEntry, 'entry'), isNotNull(allEvents.stakeEntry));
  return {
    snapshotSlot: db.select({ slot: chainSnapshot.slot }).from(chainSnapshot).prepare(),
    entries: db.select().from(stakeEntries).orderBy(asc(stakeEntries.address)).prepare(),
    lastTwoOf: db
      .select({ kind, signature, blockTime, slot, position, id })
      .from(allEvents)
      .where(and(namesEntry, lte(allEvents.slot, value('slot'))))
      .orderBy(...newestFirst)
      .limit(2)
      .prepare(),
    lastBefore: db
      .select({ kind, signature, blockTime, slot, position, id })
      .from(allEvents)
      .where(and(namesEntry, isBeforePlace))
      .orderBy(...newestFirst)
      .limit(1)
      .prepare(),
    ended: db
      .select({ ...eventFields, stakeEntry: sql<string>`${allEvents.stakeEntry}` })
      .from(allEvents)
      // A literal, because with a bound value SQLite does not know that the partial index applies.
      .where(sql`${allEvents.kind} = 'unstake' and ${allEvents.stakeEntry} is not null`)
      .orderBy(...newestFirst)
      .limit(value('limit'))
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

/**
 * Adds the transaction that opened an entry. An address can be used again once its stake has ended, so the opener is the last
 * event of the entry up to the snapshot, or the one before it if the last event ended the entry.
 */
function withOpener(statements: StakeStatements, entry: StakeEntryRow, slot: number): OpenedStake {
  const [last, before] = statements.lastTwoOf.all({ entry: entry.address, slot });
  const opener = last?.kind === 'unstake' && entry.closedAt !== null ? before : last;
  return { ...entry, openedBy: opener?.kind === 'stake' ? opener.signature : null };
}

type EndingEvent = ReturnType<StakeStatements['ended']['all']>[number];

function endedStake(statements: StakeStatements, ending: EndingEvent): EndedStake {
  const { id, slot, position, stakeEntry: entry, wallet, delta, blockTime, signature } = ending;
  const before = statements.lastBefore.get({ entry, slot, position, id });
  const opener = before?.kind === 'stake' ? before : undefined;
  return {
    entry,
    wallet,
    amount: -delta,
    openedAt: opener?.blockTime ?? null,
    endedAt: blockTime,
    openedBy: opener?.signature ?? null,
    endedBy: signature,
  };
}

/** The number of final and provisional transactions in which each wallet staked or unstaked. */
function countTransactions(statements: StakeStatements): ReadonlyMap<string, number> {
  const counts = new Map(statements.activity.all().map(({ wallet, transactions }) => [wallet, transactions]));
  for (const { wallet } of statements.provisional.all()) {
    if (wallet !== null) counts.set(wallet, (counts.get(wallet) ?? 0) + 1);
  }
  return counts;
}

/** @see IndexReader.stakes */
export function readStakes(statements: StakeStatements, maxEnded: number): Stakes {
  const slot = statements.snapshotSlot.get()?.slot ?? -1;
  const endings = statements.ended.all({ limit: Math.max(0, maxEnded) });
  return {
    entries: statements.entries.all().map((entry) => withOpener(statements, entry, slot)),
    ended: endings.map((ending) => endedStake(statements, ending)),
    transactionCounts: countTransactions(statements),
  };
}

export function prepareWalletStatements(db: BetterSQLite3Database) {
  return {
    accounts: db.select({ id: accounts.id, address: accounts.address }).from(accounts).prepare(),
    older: db
      .select({ ...eventFields, accountId: allEvents.accountId })
      .from(allEvents)
      .where(
        and(
          eq(allEvents.walletBeginning, sql`substr(${value('wallet')}, 1, 8)`),
          equals(allEvents.wallet, 'wallet'),
          isBeforePlace,
        ),
      )
      .orderBy(...newestFirst)
      .limit(value('limit'))
      .prepare(),
  };
}
type WalletStatements = ReturnType<typeof prepareWalletStatements>;

/** A place after every possible event. */
const NEWEST: EventPlace = {
  slot: Number.MAX_SAFE_INTEGER,
  position: Number.MAX_SAFE_INTEGER,
  order: Number.MAX_SAFE_INTEGER,
};

/** @see IndexReader.walletEvents */
export function readWalletEvents(
  statements: WalletStatements,
  wallet: string,
  limit: number,
  before: EventPlace | null,
): WalletEvents {
  const addresses = new Map(statements.accounts.all().map(({ id, address }) => [id, address]));
  const { slot, position, order } = before ?? NEWEST;
  // One more row than requested shows whether there are older ones.
  const rows = statements.older.all({ wallet, slot, position, id: order, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    events: page.map(({ id: _row, accountId, ...event }) => ({
      ...event,
      account: addresses.get(accountId) ?? '',
    })),
    next: last && rows.length > limit ? { slot: last.slot, position: last.position, order: last.id } : null,
  };
}
