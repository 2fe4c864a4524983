import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { EventPlace, WalletEvents } from '../ports.ts';
import { and, eq, sql } from './drizzle.ts';
import { newestFirst } from './event-statements.ts';
import { accounts, events } from './index-schema.ts';

const value = (name: string) => sql.placeholder(name);

/** The prepared statements by which the reader asks for one wallet's events. */
export function prepareWalletStatements(db: BetterSQLite3Database) {
  return {
    accounts: db.select({ id: accounts.id, address: accounts.address }).from(accounts).prepare(),
    older: db
      .select({
        id: events.id,
        accountId: events.accountId,
        signature: events.signature,
        slot: events.slot,
        position: events.position,
        part: events.part,
        blockTime: events.blockTime,
        kind: events.kind,
        wallet: events.wallet,
        delta: events.delta,
        stakeEntry: events.stakeEntry,
        status: events.status,
      })
      .from(events)
      .where(
        and(
          eq(events.walletBeginning, sql`substr(${value('wallet')}, 1, 8)`),
          eq(events.wallet, value('wallet')),
          sql`(${events.slot}, ${events.position}, ${events.id}) < (${value('slot')}, ${value('position')}, ${value('order')})`,
        ),
      )
      .orderBy(...newestFirst)
      .limit(value('limit'))
      .prepare(),
  };
}
export type WalletStatements = ReturnType<typeof prepareWalletStatements>;

/** After every event there can be. */
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
  // One more than asked for says whether there are older ones.
  const rows = statements.older.all({ wallet, slot, position, order, limit: limit + 1 });
  const told = rows.slice(0, limit);
  const last = told.at(-1);
  return {
    events: told.map(({ id: _row, accountId, ...event }) => ({
      ...event,
      account: addresses.get(accountId) ?? '',
    })),
    next: last && rows.length > limit ? { slot: last.slot, position: last.position, order: last.id } : null,
  };
}
