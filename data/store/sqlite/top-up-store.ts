import type Database from 'better-sqlite3';
import { cardTagOf } from '../../model/top-ups.ts';
import type { AuditRecord } from '../audit-port.ts';
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
import type { ChainTransfer, StoredTransfer, TopUpStore, TransferBatch, UsdtFeed } from '../top-up-port.ts';
import type { QueueCardNotice } from './card-store.ts';
import type { QueueDelivery } from './delivery-store.ts';
import { APP_FILE, runInStore } from './store-files.ts';

const COLUMNS = 'id, block, at, counterparty, amount, state, cardId, fee, credited, closedAt, isByHand';

function prepareStatements(client: Database.Database) {
  const transfers = <Parameters extends unknown[]>(rest: string) =>
    client.prepare<Parameters, TransferRow>(`select ${COLUMNS} from usdt_transfers ${rest}`);
  const cards = 'select id, state, walletAddress, closedByTeamAt, closedByHolderAt from cards';
  return {
    feed: client.prepare<[string], FeedRow>('select * from usdt_feeds where id = ?'),
    begin: client.prepare(
      `insert into usdt_feeds (id, block, blockHash, readAt, expected, matchedBlock, comparedAt, difference)
       values (:id, :block, :blockHash, :readAt, :expected, :matchedBlock, :comparedAt, :difference)
       on conflict do nothing`,
    ),
    setBlock: client.prepare(
      `update usdt_feeds set block = :block, blockHash = :blockHash, readAt = :at where id = :feed`,
    ),
    setExpected: client.prepare('update usdt_feeds set expected = :expected where id = :feed'),
    setComparison: client.prepare(
      `update usdt_feeds set comparedAt = :at, difference = :difference, matchedBlock = :matchedBlock
       where id = :feed`,
    ),
    add: client.prepare(
      `insert into usdt_transfers (feed, ${COLUMNS})
       values (:feed, :id, :block, :at, :counterparty, :amount, :state, :cardId, :fee, :credited, :closedAt, :isByHand)
       on conflict do nothing`,
    ),
    // Also removes the transfers of an earlier feed, because only one feed is followed at a time.
    removeConfirming: client.prepare(`delete from usdt_transfers where state = 'confirming'`),
    close: client.prepare(
      `update usdt_transfers set state = :state, cardId = :cardId, fee = :fee, credited = :credited,
         closedAt = :closedAt, isByHand = :isByHand where id = :id`,
    ),
    byId: transfers<[string]>('where id = ?'),
    ofCard: transfers<[string, number]>('where cardId = ? order by at desc, id desc limit ?'),
    unmatched: transfers<[number]>(`where state = 'unmatched' order by at, id limit ?`),
    credited: transfers<[number]>(`where state = 'credited' order by closedAt desc, id desc limit ?`),
    unmatchedCount: client
      .prepare<[], number>(`select count(*) from usdt_transfers where state = 'unmatched'`)
      .pluck(),
    cardByTag: client.prepare<[number], TaggedCard>(
      `${cards} where id = (select cardId from top_up_tags where tag = ?)`,
    ),
    card: client.prepare<[string], TaggedCard>(`${cards} where id = ?`),
    tagOf: client.prepare<[string], number>('select tag from top_up_tags where cardId = ?').pluck(),
    untaggedCards: client
      .prepare<[], string>(
        `select id from cards where state in ('active', 'frozen')
         and not exists (select 1 from top_up_tags where cardId = cards.id)`,
      )
      .pluck(),
    addTag: client.prepare('insert into top_up_tags (cardId, tag) values (?, ?) on conflict do nothing'),
  };
}

export function openTopUps(
  client: Database.Database,
  addAuditRecord: (record: AuditRecord) => void,
  queueDelivery: QueueDelivery,
  queueCardNotice: QueueCardNotice,
): TopUpStore {
  const statements = prepareStatements(client);
  const run = <T>(work: () => T): Promise<T> =>
    runInStore(client, APP_FILE, () => client.transaction(work).immediate());
  const withoutTransaction = <T>(work: () => T): Promise<T> => runInStore(client, APP_FILE, work);

  const feedOf = (id: string): UsdtFeed | null => {
    const row = statements.feed.get(id);
    return row ? toFeed(row) : null;
  };
  const cardNamedIn = ({ amount }: ChainTransfer): TaggedCard | null => {
    const tag = cardTagOf(amount);
    return (tag !== null && statements.cardByTag.get(tag)) || null;
  };
  const toCells = ({ amount, fee, credited, isByHand, ...transfer }: StoredTransfer) => ({
    ...transfer,
    amount: String(amount),
    fee: fee === null ? null : String(fee),
    credited: credited === null ? null : String(credited),
    isByHand: Number(isByHand),
  });

  function queueCreditNotices({ id, state, cardId }: StoredTransfer, at: number): void {
    const card = state === 'credited' && cardId !== null && statements.card.get(cardId);
    if (!card) return;
    queueCardNotice(CARD_TOPPED_UP_EVENT, card.walletAddress, at);
    queueDelivery(creditNotice(id), at);
  }

  /** Adds those final transfers that are not stored yet. @returns the number of transfers added */
  function addFinal(feed: UsdtFeed, transfers: readonly ChainTransfer[], at: number): number {
    const added: StoredTransfer[] = [];
    for (const transfer of transfers) {
      const stored = finalTransfer(transfer, cardNamedIn(transfer), at);
      if (statements.add.run({ ...toCells(stored), feed: feed.id }).changes === 0) continue;
      const audit = transferRecord(stored, at);
      if (audit) addAuditRecord(audit);
      queueCreditNotices(stored, at);
      added.push(stored);
    }
    if (added.length > 0) {
      statements.setExpected.run({ feed: feed.id, expected: String(feed.expected + balanceChange(added)) });
    }
    return added.length;
  }

  function commit({
    feed: id,
    previousBlock,
    block,
    blockHash,
    at,
    final,
    confirming,
  }: TransferBatch): boolean {
    const feed = feedOf(id);
    if (feed?.block !== previousBlock) return false;
    statements.removeConfirming.run();
    addFinal(feed, final, at);
    for (const transfer of confirming) {
      const stored = confirmingTransfer(transfer, cardNamedIn(transfer));
      if (stored) statements.add.run({ ...toCells(stored), feed: id });
    }
    statements.setBlock.run({ feed: id, block, blockHash, at: block > previousBlock ? at : feed.readAt });
    return true;
  }

  return {
    feed: (id) => withoutTransaction(() => feedOf(id)),
    begin: ({ expected, difference, ...feed }) =>
      withoutTransaction(
        () =>
          void statements.begin.run({ ...feed, expected: String(expected), difference: String(difference) }),
      ),
    commit: (batch) => run(() => commit(batch)),
    addMissing: (id, final, at) =>
      run(() => {
        const feed = feedOf(id);
        return feed === null ? 0 : addFinal(feed, final, at);
      }),
    saveComparison: (id, { block, at, balance }) =>
      run(() => {
        const feed = feedOf(id);
        if (feed?.block !== block) return false;
        const difference = balance - feed.expected;
        const matchedBlock = difference === 0n ? block : feed.matchedBlock;
        statements.setComparison.run({ feed: id, at, difference: String(difference), matchedBlock });
        return true;
      }),
    assignTags: (draw) =>
      run(() => {
        for (const cardId of statements.untaggedCards.all())
          while (statements.addTag.run(cardId, draw()).changes === 0);
      }),
    tagOf: (cardId) => withoutTransaction(() => statements.tagOf.get(cardId) ?? null),
    ofCard: (cardId, limit) => withoutTransaction(() => statements.ofCard.all(cardId, limit).map(toTransfer)),
    unmatchedTransfers: (limit) => withoutTransaction(() => statements.unmatched.all(limit).map(toTransfer)),
    creditedTransfers: (limit) => withoutTransaction(() => statements.credited.all(limit).map(toTransfer)),
    unmatchedCount: () => withoutTransaction(() => statements.unmatchedCount.get() ?? 0),
    book: (id, cardId, audit) =>
      run(() => {
        const row = statements.byId.get(id);
        const card = statements.card.get(cardId);
        const booked = row && card && bookedTransfer(toTransfer(row), card, audit.at);
        if (!booked) return null;
        statements.close.run(toCells(booked));
        addAuditRecord(audit);
        queueCreditNotices(booked, audit.at);
        return booked;
      }),
    settle: (id, audit) =>
      run(() => {
        const row = statements.byId.get(id);
        if (row?.state !== 'unmatched') return false;
        statements.close.run({ ...row, state: 'settled', closedAt: audit.at, isByHand: 1 });
        addAuditRecord(audit);
        return true;
      }),
  };
}
