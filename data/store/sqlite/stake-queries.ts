import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { StakeEntryRow } from '../chain-rows.ts';
import type { EndedStake, OpenedStake, Stakes } from '../ports.ts';
import { and, asc, eq, isNotNull, lte, sql } from './drizzle.ts';
import { newestFirst } from './event-statements.ts';
import { chainSnapshot, events, stakeEntries, walletActivity } from './index-schema.ts';

const value = (name: string) => sql.placeholder(name);

/** The prepared statements by which the reader asks for stakes. */
export function prepareStakeStatements(db: BetterSQLite3Database) {
  const naming = {
    kind: events.kind,
    signature: events.signature,
    blockTime: events.blockTime,
  };
  const namesEntry = and(eq(events.stakeEntry, value('entry')), isNotNull(events.stakeEntry));
  return {
    snapshotSlot: db.select({ slot: chainSnapshot.slot }).from(chainSnapshot).prepare(),
    entries: db.select().from(stakeEntries).orderBy(asc(stakeEntries.address)).prepare(),
    lastTwoOf: db
      .select(naming)
      .from(events)
      .where(and(namesEntry, lte(events.slot, value('slot'))))
      .orderBy(...newestFirst)
      .limit(2)
      .prepare(),
    lastBefore: db
      .select(naming)
      .from(events)
      .where(
        and(
          namesEntry,
          sql`(${events.slot}, ${events.position}, ${events.id}) < (${value('slot')}, ${value('position')}, ${value('id')})`,
        ),
      )
      .orderBy(...newestFirst)
      .limit(1)
      .prepare(),
    ended: db
      .select({
        id: events.id,
        slot: events.slot,
        position: events.position,
        entry: sql<string>`${events.stakeEntry}`,
        wallet: events.wallet,
        delta: events.delta,
        blockTime: events.blockTime,
        signature: events.signature,
      })
      .from(events)
      // Spelled out, since a bound value would not let SQLite see that the partial index applies.
      .where(sql`${events.kind} = 'unstake' and ${events.stakeEntry} is not null`)
      .orderBy(...newestFirst)
      .limit(value('limit'))
      .prepare(),
    activity: db.select().from(walletActivity).prepare(),
  };
}
export type StakeStatements = ReturnType<typeof prepareStakeStatements>;

/**
 * An entry's address can be used again once its stake has ended, so what opened it is what names it last, up to the
 * snapshot; or before that, where the last is its end.
 */
function opened(statements: StakeStatements, entry: StakeEntryRow, slot: number): OpenedStake {
  const [last, before] = statements.lastTwoOf.all({ entry: entry.address, slot });
  const opener = last?.kind === 'unstake' && entry.closedAt !== null ? before : last;
  return { ...entry, openedBy: opener?.kind === 'stake' ? opener.signature : null };
}

type Ending = ReturnType<StakeStatements['ended']['all']>[number];

function ended(statements: StakeStatements, ending: Ending): EndedStake {
  const { id, slot, position, entry, wallet, delta, blockTime, signature } = ending;
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

/** @see IndexReader.stakes */
export function readStakes(statements: StakeStatements, endedAtMost: number): Stakes {
  const slot = statements.snapshotSlot.get()?.slot ?? -1;
  const endings = statements.ended.all({ limit: Math.max(0, endedAtMost) });
  return {
    entries: statements.entries.all().map((entry) => opened(statements, entry, slot)),
    ended: endings.map((ending) => ended(statements, ending)),
    transactionCounts: new Map(
      statements.activity.all().map(({ wallet, transactions }) => [wallet, transactions]),
    ),
  };
}
