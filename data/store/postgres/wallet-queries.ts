import type { StakeEntryRow } from '../chain-rows.ts';
import type { IndexReader, WalletEvent } from '../ports.ts';
import {
  countTransactions,
  endedStake,
  type StakeEntryEvent,
  withOpeningTransaction,
} from '../rules/stakes.ts';
import { FIRST_PAGE_CURSOR, walletEventsPage } from '../rules/wallet-events.ts';
import type { Database } from './database.ts';
import { EVENT_COLUMNS, type EventRow, firstEventsSql, NEWEST_FIRST } from './event-rows.ts';
import { type AddressedRow, toChainEvent } from './index-snapshot.ts';

interface StoredEntry extends Omit<StakeEntryRow, 'amount' | 'effectiveAmount'> {
  readonly amount: string;
  readonly effectiveAmount: string;
  readonly lastEvents: readonly StakeEntryEvent[] | null;
}

interface Ending extends EventRow {
  readonly stakeEntry: string;
  readonly before: StakeEntryEvent | null;
}

interface StakesRow {
  readonly entries: readonly StoredEntry[];
  readonly endings: readonly Ending[];
  readonly activity: readonly { readonly wallet: string; readonly transactions: number }[];
  readonly provisional: readonly string[];
}

const ENTRY_EVENT_COLUMNS = 'kind, signature, "blockTime", slot, position, id';

/** One statement, so that all its data is from the same moment. */
const STAKES_QUERY = `
  select
    (select coalesce(json_agg(entry order by address), '[]') from (
      select address, wallet, nonce, amount, "effectiveAmount", "createdAt", "unlocksAt", "closedAt", (
        select json_agg(event order by ${NEWEST_FIRST}) from (${firstEventsSql(
          ENTRY_EVENT_COLUMNS,
          '"stakeEntry" = stored.address and slot <= snapshot.slot',
          '2',
        )}) event) as "lastEvents"
      from $.stake_entries stored cross join $.chain_snapshot snapshot) entry) as entries,
    (select coalesce(json_agg(ending order by ${NEWEST_FIRST}), '[]') from (
      select ended.*, (select row_to_json(before) from (${firstEventsSql(
        ENTRY_EVENT_COLUMNS,
        '"stakeEntry" = ended."stakeEntry" and (slot, position, id) < (ended.slot, ended.position, ended.id)',
        '1',
      )}) before) as before
      from (${firstEventsSql(EVENT_COLUMNS, `kind = 'unstake' and "stakeEntry" is not null`, '$1')}) ended) ending) as endings,
    (select coalesce(json_agg(row_to_json(counted)), '[]') from $.wallet_activity counted) as activity,
    array(select wallet from (
      select distinct wallet, signature, "accountId" from $.provisional_events
      where wallet is not null and kind in ('stake', 'unstake')) staking) as provisional`;

export function prepareWalletReads(db: Database): Pick<IndexReader, 'stakes' | 'walletEvents'> {
  const stakes = db.statement<StakesRow>(STAKES_QUERY);
  const older = db.statement<AddressedRow & Pick<WalletEvent, 'historyTime'>>(`
    select event.*, account.address as account from (${firstEventsSql(
      `${EVENT_COLUMNS}, "accountId", "historyTime"`,
      `substr(wallet, 1, 8) = substr($1::text, 1, 8) and wallet = $1 and (slot, position, id) < ($2, $3, $4)`,
      '$5',
    )}) event join $.accounts account on account.id = "accountId"
    order by slot desc, position desc, event.id desc`);

  return {
    async stakes(maxEnded) {
      const row = await db.get(stakes, Math.max(0, maxEnded));
      if (row === null) throw new Error('The query for the stakes returned no row.');
      const { entries, endings, activity, provisional } = row;
      return {
        entries: entries.map(({ lastEvents, amount, effectiveAmount, ...entry }) =>
          withOpeningTransaction(
            { ...entry, amount: BigInt(amount), effectiveAmount: BigInt(effectiveAmount) },
            lastEvents ?? [],
          ),
        ),
        ended: endings.map((ending) => endedStake({ ...ending, delta: BigInt(ending.delta) }, ending.before)),
        transactionCounts: countTransactions(activity, provisional),
      };
    },
    async walletEvents(wallet, limit, before) {
      const { slot, position, order } = before ?? FIRST_PAGE_CURSOR;
      const rows = await db.all(older, wallet, slot, position, order, limit + 1);
      const events = rows.map((row) => ({
        ...toChainEvent(row),
        order: row.id,
        historyTime: row.historyTime,
      }));
      return walletEventsPage(events, limit);
    },
  };
}
