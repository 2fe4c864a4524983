import { cardTagOf } from '../../model/top-ups.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import {
  balanceChange,
  bookedTransfer,
  CARD_TOPPED_UP_EVENT,
  confirmingTransfer,
  creditNotice,
  type FeedRow,
  finalTransfer,
  type TaggedCard,
  type TransferRow,
  toFeed,
  toTransfer,
  transferRecord,
} from '../rules/top-ups.ts';
import type { ChainTransfer, StoredTransfer, TopUpStore, UsdtFeed } from '../top-up-port.ts';
import type { QueueCardNotice } from './card-store.ts';
import type { Database, Queries, Transaction, Value } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';

const COLUMNS = `id, block, at, counterparty, amount, state, "cardId", fee, credited, "closedAt", "isByHand"`;
const FEED_COLUMNS = 'id, block, "blockHash", "readAt", expected, "matchedBlock", "comparedAt", difference';

function prepareStatements({ statement }: Database) {
  const transfers = (rest: string) =>
    statement<TransferRow>(`select ${COLUMNS} from $.usdt_transfers ${rest}`);
  const cards = 'select id, state, "walletAddress", "closedByTeamAt", "closedByHolderAt" from $.cards';
  return {
    feed: statement<FeedRow>(`select ${FEED_COLUMNS} from $.usdt_feeds where id = $1`),
    lock: statement<FeedRow>(`select ${FEED_COLUMNS} from $.usdt_feeds where id = $1 for no key update`),
    begin: statement(`
      insert into $.usdt_feeds (${FEED_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`),
    setBlock: statement('update $.usdt_feeds set block = $2, "blockHash" = $3, "readAt" = $4 where id = $1'),
    setExpected: statement('update $.usdt_feeds set expected = $2 where id = $1'),
    setComparison: statement(`
      update $.usdt_feeds set "comparedAt" = $2, difference = $3, "matchedBlock" = $4 where id = $1`),
    add: statement(`
      insert into $.usdt_transfers (feed, ${COLUMNS})
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict do nothing`),
    // Also removes the transfers of an earlier feed, because only one feed is followed at a time.
    removeConfirming: statement(`delete from $.usdt_transfers where state = 'confirming'`),
    close: statement(`
      update $.usdt_transfers set state = $2, "cardId" = $3, fee = $4, credited = $5, "closedAt" = $6, "isByHand" = $7
      where id = $1`),
    lockTransfer: transfers('where id = $1 for update'),
    ofCard: transfers('where "cardId" = $1 order by at desc, id desc limit $2'),
    unmatched: transfers(`where state = 'unmatched' order by at, id limit $1`),
    credited: transfers(`where state = 'credited' order by "closedAt" desc, id desc limit $1`),
    unmatchedCount: statement<{ count: number }>(
      `select count(*) as count from $.usdt_transfers where state = 'unmatched'`,
    ),
    // Locked, so that the card is not closed in the meantime, and only one transaction at a time numbers an email about it.
    cardByTag: statement<TaggedCard>(
      `${cards} where id = (select "cardId" from $.top_up_tags where tag = $1) for no key update`,
    ),
    card: statement<TaggedCard>(`${cards} where id = $1 for no key update`),
    tagOf: statement<{ tag: number }>('select tag from $.top_up_tags where "cardId" = $1'),
    untaggedCards: statement<{ id: string }>(`
      select id from $.cards card where state in ('active', 'frozen')
      and not exists (select from $.top_up_tags where "cardId" = card.id)`),
    addTag: statement('insert into $.top_up_tags ("cardId", tag) values ($1, $2) on conflict do nothing'),
  };
}

const textOrNull = (units: bigint | null) => (units === null ? null : String(units));
const closingCells = ({
  state,
  cardId,
  fee,
  credited,
  closedAt,
  isByHand,
}: StoredTransfer): readonly Value[] => [
  ...[state, cardId, textOrNull(fee), textOrNull(credited), closedAt, isByHand],
];

export function openTopUps(
  db: Database,
  queueDeliveries: QueueDeliveries,
  queueCardNotice: QueueCardNotice,
  signal: Pick<QueueSignal, 'announce'>,
): TopUpStore {
  const statements = prepareStatements(db);

  const lockFeed = async (on: Queries, id: string): Promise<UsdtFeed | null> => {
    const row = await on.get(statements.lock, id);
    return row && toFeed(row);
  };
  const cardNamedIn = async (on: Queries, { amount }: ChainTransfer): Promise<TaggedCard | null> => {
    const tag = cardTagOf(amount);
    return tag === null ? null : on.get(statements.cardByTag, tag);
  };
  const add = (on: Queries, feed: string, stored: StoredTransfer) => {
    const { id, block, at, counterparty, amount } = stored;
    return on.run(statements.add, feed, id, block, at, counterparty, String(amount), ...closingCells(stored));
  };

  async function queueCreditNotices(
    on: Queries,
    { id, state, cardId }: StoredTransfer,
    at: number,
  ): Promise<void> {
    const card = state === 'credited' && cardId !== null && (await on.get(statements.card, cardId));
    if (!card) return;
    await queueCardNotice(on, CARD_TOPPED_UP_EVENT, card.walletAddress, at);
    await queueDeliveries(on, [{ delivery: creditNotice(id), at }]);
  }

  /** Adds the final transfers that are not stored yet. @returns how many were added */
  async function addFinal(
    transaction: Transaction,
    feed: UsdtFeed,
    transfers: readonly ChainTransfer[],
    at: number,
  ): Promise<number> {
    const added: StoredTransfer[] = [];
    for (const transfer of transfers) {
      const stored = finalTransfer(transfer, await cardNamedIn(transaction, transfer), at);
      if ((await add(transaction, feed.id, stored)) === 0) continue;
      const audit = transferRecord(stored, at);
      if (audit) transaction.record(audit);
      await queueCreditNotices(transaction, stored, at);
      added.push(stored);
    }
    if (added.length > 0) {
      await transaction.run(statements.setExpected, feed.id, String(feed.expected + balanceChange(added)));
    }
    return added.length;
  }

  return {
    feed: async (id) => {
      const row = await db.get(statements.feed, id);
      return row && toFeed(row);
    },
    begin: async (feed) => {
      const { id, block, blockHash, readAt, expected, matchedBlock, comparedAt, difference } = feed;
      const compared = [matchedBlock, comparedAt, String(difference)];
      await db.run(statements.begin, id, block, blockHash, readAt, String(expected), ...compared);
    },
    async commit({ feed: id, previousBlock, block, blockHash, at, final, confirming }) {
      const isCommitted = await db.transaction([], async (transaction) => {
        const feed = await lockFeed(transaction, id);
        if (feed?.block !== previousBlock) return false;
        await transaction.run(statements.removeConfirming);
        await addFinal(transaction, feed, final, at);
        for (const transfer of confirming) {
          const stored = confirmingTransfer(transfer, await cardNamedIn(transaction, transfer));
          if (stored) await add(transaction, id, stored);
        }
        await transaction.run(
          statements.setBlock,
          id,
          block,
          blockHash,
          block > previousBlock ? at : feed.readAt,
        );
        return true;
      });
      if (isCommitted && final.length > 0) signal.announce();
      return isCommitted;
    },
    async addMissing(id, final, at) {
      const addedCount = await db.transaction([], async (transaction) => {
        const feed = await lockFeed(transaction, id);
        return feed === null ? 0 : addFinal(transaction, feed, final, at);
      });
      if (addedCount > 0) signal.announce();
      return addedCount;
    },
    saveComparison: (id, { block, at, balance }) =>
      db.transaction([], async (transaction) => {
        const feed = await lockFeed(transaction, id);
        if (feed?.block !== block) return false;
        const difference = balance - feed.expected;
        const matchedBlock = difference === 0n ? block : feed.matchedBlock;
        await transaction.run(statements.setComparison, id, at, String(difference), matchedBlock);
        return true;
      }),
    assignTags: async (draw) => {
      for (const { id } of await db.all(statements.untaggedCards)) {
        // Draws again while the drawn tag is taken. Stops if another program has given the card a tag in the meantime.
        while (
          (await db.run(statements.addTag, id, draw())) === 0 &&
          (await db.get(statements.tagOf, id)) === null
        );
      }
    },
    tagOf: async (cardId) => (await db.get(statements.tagOf, cardId))?.tag ?? null,
    ofCard: async (cardId, limit) => (await db.all(statements.ofCard, cardId, limit)).map(toTransfer),
    unmatchedTransfers: async (limit) => (await db.all(statements.unmatched, limit)).map(toTransfer),
    creditedTransfers: async (limit) => (await db.all(statements.credited, limit)).map(toTransfer),
    unmatchedCount: async () => (await db.get(statements.unmatchedCount))?.count ?? 0,
    async book(id, cardId, audit) {
      const booked = await db.transaction([], async (transaction) => {
        const row = await transaction.get(statements.lockTransfer, id);
        const card = await transaction.get(statements.card, cardId);
        const creditedTransfer = row && card && bookedTransfer(toTransfer(row), card, audit.at);
        if (!creditedTransfer) return null;
        await transaction.run(statements.close, id, ...closingCells(creditedTransfer));
        transaction.record(audit);
        await queueCreditNotices(transaction, creditedTransfer, audit.at);
        return creditedTransfer;
      });
      if (booked) signal.announce();
      return booked;
    },
    settle: (id, audit) =>
      db.transaction([], async (transaction) => {
        const row = await transaction.get(statements.lockTransfer, id);
        if (row?.state !== 'unmatched') return false;
        const settled = {
          ...toTransfer(row),
          state: 'settled',
          closedAt: audit.at,
          isByHand: true,
        } as const;
        await transaction.run(statements.close, id, ...closingCells(settled));
        transaction.record(audit);
        return true;
      }),
  };
}
