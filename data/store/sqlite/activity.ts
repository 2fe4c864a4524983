import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainEvent } from '../chain-rows.ts';
import { eq, lte, sql } from './drizzle.ts';
import { accounts, walletActivity } from './index-schema.ts';

const value = (name: string) => sql.placeholder(name);

/** The prepared statements by which the writer keeps its counts of events. */
export function prepareActivityStatements(db: BetterSQLite3Database) {
  return {
    countEvents: db
      .update(accounts)
      .set({ eventCount: sql`${accounts.eventCount} + ${value('more')}` })
      .where(eq(accounts.id, value('id')))
      .prepare(),
    countOfWallet: db
      .insert(walletActivity)
      .values({ wallet: value('wallet'), transactions: value('more') })
      .onConflictDoUpdate({
        target: walletActivity.wallet,
        set: { transactions: sql`${walletActivity.transactions} + excluded.transactions` },
      })
      .prepare(),
    removeIdleWallet: db
      .delete(walletActivity)
      .where(sql`${eq(walletActivity.wallet, value('wallet'))} and ${lte(walletActivity.transactions, 0)}`)
      .prepare(),
  };
}
export type ActivityStatements = ReturnType<typeof prepareActivityStatements>;

type Counted = Pick<ChainEvent, 'kind' | 'wallet'>;

function isStaking(kind: ChainEvent['kind']): boolean {
  return kind === 'stake' || kind === 'unstake';
}

/** What one transaction of the writer adds to the counts of events and takes from them. */
export class Activity {
  readonly #events = new Map<number, number>();
  readonly #wallets = new Map<string, number>();

  /** A wallet that staked and unstaked in one transaction was in one. */
  #count(accountId: number, parts: readonly Counted[], sign: 1 | -1): void {
    this.#events.set(accountId, (this.#events.get(accountId) ?? 0) + sign * parts.length);
    for (const one of parts) {
      const { kind, wallet } = one;
      if (wallet === null || !isStaking(kind)) continue;
      const first = parts.find((other) => other.wallet === wallet && isStaking(other.kind));
      if (first === one) this.#wallets.set(wallet, (this.#wallets.get(wallet) ?? 0) + sign);
    }
  }

  /** @param parts the events of one transaction */
  added(accountId: number, parts: readonly Counted[]): void {
    this.#count(accountId, parts, 1);
  }

  /** @param parts the events of one transaction */
  removed(accountId: number, parts: readonly Counted[]): void {
    this.#count(accountId, parts, -1);
  }

  /** Writes the counts; to be run once, at the end of the transaction. */
  write(statements: ActivityStatements): void {
    for (const [id, more] of this.#events) if (more !== 0) statements.countEvents.run({ id, more });
    for (const [wallet, more] of this.#wallets) {
      if (more === 0) continue;
      statements.countOfWallet.run({ wallet, more });
      if (more < 0) statements.removeIdleWallet.run({ wallet });
    }
  }
}
