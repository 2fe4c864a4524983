import { isDeepStrictEqual } from 'node:util';
import { cardLimits, MAX_CARDS } from '../../model/tiers.ts';
import type { AuditRecord } from '../audit-port.ts';
import type {
  CardChange,
  CardOrder,
  CardSpend,
  CardStore,
  DecisionWithReason,
  StoredCard,
} from '../card-port.ts';
import {
  CARD_ISSUED,
  CARD_LIMITS_LOWERED,
  type CardRow,
  type ClosingStep,
  cardAfterChange,
  cardAfterDecision,
  changeNoticeEvent,
  decisionNoticeEvent,
  deliveryToTeam,
  MAX_MESSAGES_DELETED,
  MESSAGE_RETENTION_MS,
  mayChange,
  numberedEvent,
  reservationRefusal,
  type SpendRow,
  spendNoticeEvent,
  toSpend,
  toStoredCard,
  toStoredCardOrNull,
  validClosingRequest,
  wantsSpendNotice,
} from '../rules/card-changes.ts';
import { nextChangedAt } from '../rules/changed-at.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import type { Database, Queries, Statement, Transaction } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';

/** The lock that transactions take to reserve a card, or to claim a stake entry for one. */
const CARDS_LOCK = 'cards';

/** The condition of the unique index on the wallet. */
const IS_LIVE = `state in ('pending', 'active', 'frozen')`;
const COLUMNS = `id, "walletAddress", state, tier, "holderName", issuer, "idempotencyKey", "issuerCard" as "issuerCardId",
  "issuerCardholder" as "issuerCardholderId", "lastFour", "expiryMonth", "expiryYear", "createdAt", "changedAt", "stakeEntries", "stakeGoneAt",
  "frozenByTeamAt", "closedByTeamAt", "closedByHolderAt",
  "dailyLimitUsd", "monthlyLimitUsd", "areLimitsSent", "spendNoticesFrom",
  cardholder`;

type DecisionOnCard = Awaited<ReturnType<CardStore['decisionsOn']>>[number];

function prepareStatements({ statement }: Database) {
  const selectCards = (clauses: string) => statement<CardRow>(`select ${COLUMNS} from $.cards ${clauses}`);
  const oldestFirst = 'order by "createdAt", id';
  return {
    add: statement<CardRow>(`
      insert into $.cards
        (id, "walletAddress", state, tier, "holderName", issuer, "idempotencyKey", "stakeEntries", cardholder,
         "createdAt", "changedAt")
      values ($1, $2, 'pending', $3, $4, $5, $6, $7, $8, $9, $9) returning ${COLUMNS}`),
    byId: selectCards('where id = $1'),
    lock: selectCards('where id = $1 for update'),
    live: selectCards(`where "walletAddress" = $1 and ${IS_LIVE}`),
    byIssuerCardId: selectCards('where issuer = $1 and "issuerCard" = $2'),
    pending: selectCards(`where issuer = $1 and state = 'pending' ${oldestFirst}`),
    otherIssuers: selectCards(`where issuer <> $1 and ${IS_LIVE} ${oldestFirst}`),
    usable: selectCards(`where issuer = $1 and state in ('active', 'frozen') ${oldestFirst}`),
    lastClosed: selectCards(
      `where "walletAddress" = $1 and state = 'closed' order by "changedAt" desc, "createdAt" desc limit 1`,
    ),
    whitelistedAt: statement<{ at: number }>(
      'select "whitelistedAt" as at from $.whitelisted_wallets where "walletAddress" = $1',
    ),
    countUsedPlaces: statement<{ count: number }>(`
      select count(*) as count from $.cards
      where issuer = $1 and state <> 'failed' and not (state = 'closed' and coalesce("stakeGoneAt", "closedByHolderAt") is not null)`),
    sharingStake: statement(
      `select from $.cards where ${IS_LIVE} and id <> $1 and "stakeEntries" && $2::text[] limit 1`,
    ),
    setStake: statement('update $.cards set "stakeEntries" = $2 where id = $1'),
    addDecision: statement(`
      insert into $.card_decisions ("cardId", at, "adminId", decision, reason) values ($1, $2, $3, $4, $5)`),
    decisions: statement<DecisionOnCard>(`
      select at, coalesce(username, "adminId") as by, decision, reason
      from $.card_decisions made left join $.admins admin on admin.id = "adminId"
      where "cardId" = $1 order by sequence`),
    lastClosingStep: statement<ClosingStep>(`
      select decision, "adminId", at, username as by, "disabledAt" is null and role <> 'viewer' as "mayDecide"
      from $.card_decisions made join $.admins admin on admin.id = "adminId"
      where "cardId" = $1 and decision in ('closing-requested', 'closing-withdrawn', 'closed')
      order by sequence desc limit 1`),
    activate: statement(`
      update $.cards set state = 'active', "issuerCard" = $2, "issuerCardholder" = $3, "lastFour" = $4, "expiryMonth" = $5,
        "expiryYear" = $6, "changedAt" = $7
      where id = $1 and state = 'pending'`),
    // A closed or failed card no longer needs the cardholder's data.
    setState: statement<CardRow>(`
      update $.cards set state = $2, "stakeGoneAt" = $3, "frozenByTeamAt" = $4, "closedByTeamAt" = $5,
        "closedByHolderAt" = $6, "changedAt" = $7,
        cardholder = case when $2 in ('closed', 'failed') then null else cardholder end
      where id = $1 returning ${COLUMNS}`),
    setLimits: statement<CardRow>(`
      update $.cards set "dailyLimitUsd" = $2, "monthlyLimitUsd" = $3, "areLimitsSent" = false where id = $1
      returning ${COLUMNS}`),
    confirmLimits: statement(`
      update $.cards set "areLimitsSent" = true
      where id = $1 and "dailyLimitUsd" = $2 and "monthlyLimitUsd" = $3`),
    setSpendNotices: statement<CardRow>(
      `update $.cards set "spendNoticesFrom" = $2 where id = $1 returning ${COLUMNS}`,
    ),
    provenApplication: statement<{ referenceNumber: string; hasChat: boolean }>(`
      select "referenceNumber", exists (
        select from $.subscriptions where subject = "referenceNumber" and about = 'record' and "endedAt" is null
          and target is not null) as "hasChat"
      from $.card_applications
      where "walletAddress" = $1 and "isOwnershipProven" order by "createdAt" desc limit 1`),
    addSpend: statement(`
      insert into $.card_spends (id, "cardId", at, merchant, amount, "isDeclined", "toldAt")
      values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`),
    spend: statement<SpendRow>(
      'select id, "cardId", at, merchant, amount, "isDeclined" from $.card_spends where id = $1',
    ),
    addMessage: statement(`
      insert into $.issuer_messages (id, kind, "receivedAt") values ($1, $2, $3) on conflict do nothing`),
    deleteMessages: statement(`
      delete from $.issuer_messages where id in (
        select id from $.issuer_messages where "receivedAt" < $1
        order by "receivedAt" limit ${MAX_MESSAGES_DELETED} for update skip locked)`),
  };
}

/** Queues an email about a wallet's card, if `notice` is not null and the wallet's proven owner has sent an application. */
export type QueueCardNotice = (
  queries: Queries,
  notice: string | null,
  walletAddress: string,
  at: number,
) => Promise<void>;

export function prepareCardNotices(
  { statement }: Pick<Database, 'statement'>,
  queueDeliveries: QueueDeliveries,
): QueueCardNotice {
  const statements = {
    provenApplicant: statement<{ referenceNumber: string; email: string }>(`
      select "referenceNumber", email from $.card_applications
      where "walletAddress" = $1 and "isOwnershipProven" order by "createdAt" desc limit 1`),
    countNotices: statement<{ count: number }>(`
      select count(*) as count from $.deliveries
      where "referenceNumber" = $1 and (event = $2 or event like $2 || ':%')`),
  };
  return async (queries, notice, walletAddress, at) => {
    const applicant = notice !== null && (await queries.get(statements.provenApplicant, walletAddress));
    if (!applicant) return;
    const { referenceNumber, email: recipient } = applicant;
    const event = numberedEvent(
      notice,
      (await queries.get(statements.countNotices, referenceNumber, notice))?.count ?? 0,
    );
    const delivery = { event, referenceNumber, channel: 'mail', audience: 'applicant', recipient } as const;
    await queueDeliveries(queries, [{ delivery, at }]);
  };
}

export function openCards(
  db: Database,
  queueDeliveries: QueueDeliveries,
  queueNotice: QueueCardNotice,
  signal: Pick<QueueSignal, 'announce'>,
): CardStore {
  const statements = prepareStatements(db);

  const cardsLeft = async (queries: Queries, issuer: string) =>
    Math.max(0, MAX_CARDS - ((await queries.get(statements.countUsedPlaces, issuer))?.count ?? 0));

  async function readCard(queries: Queries, query: Statement<CardRow>, id: string): Promise<StoredCard> {
    const row = await queries.get(query, id);
    if (!row) throw new RangeError(`There is no card ${id}.`);
    return toStoredCard(row);
  }

  const isStakeShared = async (queries: Queries, id: string, stakeEntries: readonly string[]) =>
    (await queries.get(statements.sharingStake, id, stakeEntries)) !== null;

  async function reserve(transaction: Transaction, order: CardOrder): ReturnType<CardStore['reserve']> {
    const {
      id,
      walletAddress,
      tier,
      holderName,
      issuer,
      idempotencyKey,
      stakeEntries,
      cardholder = null,
      at,
    } = order;
    const outcome = reservationRefusal(order, {
      liveCard: await transaction.get(statements.live, walletAddress),
      lastClosed: await transaction.get(statements.lastClosed, walletAddress),
      whitelistedAt: (await transaction.get(statements.whitelistedAt, walletAddress))?.at,
      isStakeShared: await isStakeShared(transaction, id, stakeEntries),
      cardsLeft: await cardsLeft(transaction, issuer),
    });
    if (outcome) return outcome;
    const values = [walletAddress, tier, holderName, issuer, idempotencyKey, stakeEntries, cardholder, at];
    const added = await transaction.get(statements.add, id, ...values);
    if (!added) throw new Error(`The card ${id} was not added.`);
    return { outcome: 'reserved', card: toStoredCard(added) };
  }

  /** Stores a card's next state with its audit record. Call it only while the card's row is locked. */
  async function storeNextState(
    transaction: Transaction,
    { id, changedAt }: StoredCard,
    { state, stakeGoneAt, frozenByTeamAt, closedByTeamAt, closedByHolderAt }: StoredCard,
    audit: AuditRecord,
  ): Promise<StoredCard> {
    const closingTimes = [closedByTeamAt, closedByHolderAt];
    const times = [stakeGoneAt, frozenByTeamAt, ...closingTimes, nextChangedAt(changedAt, audit.at)];
    const row = await transaction.get(statements.setState, id, state, ...times);
    if (!row) throw new RangeError(`There is no card ${id}.`);
    transaction.record(audit);
    return toStoredCard(row);
  }

  async function change(
    transaction: Transaction,
    id: string,
    cardChange: CardChange,
    audit: AuditRecord,
    isByIssuer = false,
  ): Promise<StoredCard | null> {
    const card = await readCard(transaction, statements.lock, id);
    const next = cardAfterChange(card, cardChange, audit.at);
    if (isDeepStrictEqual(next, card)) return card;
    if (!mayChange(card)) return null;
    const notice = changeNoticeEvent(card, cardChange, audit.at, isByIssuer);
    await queueNotice(transaction, notice, card.walletAddress, audit.at);
    const teamDelivery = deliveryToTeam(card, cardChange, audit.at);
    if (teamDelivery) await queueDeliveries(transaction, [{ delivery: teamDelivery, at: audit.at }]);
    return storeNextState(transaction, card, next, audit);
  }

  async function decide(
    transaction: Transaction,
    id: string,
    { decision, reason }: DecisionWithReason,
    audit: AuditRecord,
  ): Promise<StoredCard | null> {
    const card = await readCard(transaction, statements.lock, id);
    if (!mayChange(card)) return null;
    await transaction.run(statements.addDecision, id, audit.at, audit.actor, decision, reason);
    await queueNotice(transaction, decisionNoticeEvent(card, decision), card.walletAddress, audit.at);
    return storeNextState(transaction, card, cardAfterDecision(card, decision, audit.at), audit);
  }

  /** Queues an email about a payment, and stores a row that prevents a second email about the same payment. */
  async function reportSpend(
    transaction: Transaction,
    card: StoredCard,
    spend: CardSpend,
    reportedAt: number,
  ): Promise<void> {
    if (!wantsSpendNotice(card, spend, reportedAt)) return;
    // Without a recipient, nothing is stored.
    if ((await transaction.get(statements.provenApplication, card.walletAddress)) === null) return;
    const id = `${card.issuer}:${spend.id}`;
    const { at, merchant, amount, isDeclined } = spend;
    const values = [id, card.id, at, merchant, String(amount), isDeclined, reportedAt];
    if ((await transaction.run(statements.addSpend, ...values)) === 0) return;
    await queueNotice(transaction, spendNoticeEvent(id), card.walletAddress, reportedAt);
  }

  const findCard = async (query: Statement<CardRow>, ...values: readonly string[]) =>
    toStoredCardOrNull(await db.get(query, ...values));
  const readCards = async (query: Statement<CardRow>, issuer: string) =>
    (await db.all(query, issuer)).map(toStoredCard);

  return {
    reserve: (order) => db.transaction([CARDS_LOCK], (transaction) => reserve(transaction, order)),
    async activate(cardId, issued, audit) {
      const activatedCard = await db.transaction([], async (transaction) => {
        const { issuerCardId, issuerCardholderId, lastFour, expiryMonth, expiryYear } = issued;
        const issuedValues = [issuerCardId, issuerCardholderId, lastFour, expiryMonth, expiryYear];
        const isNew = (await transaction.run(statements.activate, cardId, ...issuedValues, audit.at)) > 0;
        const card = await readCard(transaction, statements.byId, cardId);
        if (isNew) {
          transaction.record(audit);
          await queueNotice(transaction, CARD_ISSUED, card.walletAddress, audit.at);
        }
        if (!isDeepStrictEqual(card.issued, issued)) {
          throw new RangeError(
            `Card ${cardId} is ${card.state}. It does not have the details of the card that the issuer created.`,
          );
        }
        return card;
      });
      signal.announce();
      return activatedCard;
    },
    markFailed: (cardId, audit) =>
      db.transaction([], async (transaction) => {
        const card = await readCard(transaction, statements.lock, cardId);
        if (card.state !== 'pending') return false;
        await storeNextState(transaction, card, { ...card, state: 'failed' }, audit);
        return true;
      }),
    cardOf: (walletAddress) => findCard(statements.live, walletAddress),
    lastClosed: (walletAddress) => findCard(statements.lastClosed, walletAddress),
    card: (cardId) => findCard(statements.byId, cardId),
    issuedCard: (issuer, issuerCardId) => findCard(statements.byIssuerCardId, issuer, issuerCardId),
    async change(cardId, cardChange, audit, isByIssuer) {
      const card = await db.transaction([], (transaction) =>
        change(transaction, cardId, cardChange, audit, isByIssuer),
      );
      if (isByIssuer || cardChange === 'stake-gone' || cardChange.startsWith('closed')) signal.announce();
      return card;
    },
    async setLimits(cardId, limits, audit, notice) {
      const card = await db.transaction([], async (transaction) => {
        const previousCard = await readCard(transaction, statements.lock, cardId);
        if (!mayChange(previousCard)) return null;
        if (isDeepStrictEqual(cardLimits(previousCard), limits)) return previousCard;
        const changedRow = await transaction.get(
          statements.setLimits,
          ...[cardId, limits.dailyLimitUsd, limits.monthlyLimitUsd],
        );
        transaction.record(audit);
        if (notice) await queueNotice(transaction, CARD_LIMITS_LOWERED, previousCard.walletAddress, audit.at);
        return toStoredCardOrNull(changedRow);
      });
      if (notice) signal.announce();
      return card;
    },
    async confirmLimits(cardId, { dailyLimitUsd, monthlyLimitUsd }) {
      await db.run(statements.confirmLimits, cardId, dailyLimitUsd, monthlyLimitUsd);
    },
    claimStake: (cardId, stakeEntries) =>
      db.transaction([CARDS_LOCK], async (transaction) => {
        if (await isStakeShared(transaction, cardId, stakeEntries)) return false;
        await transaction.run(statements.setStake, cardId, stakeEntries);
        return true;
      }),
    async decide(cardId, decision, audit) {
      const card = await db.transaction([], (transaction) => decide(transaction, cardId, decision, audit));
      if (decision.decision === 'frozen') signal.announce();
      return card;
    },
    decisionsOn: (cardId) => db.all(statements.decisions, cardId),
    closingRequest: async (cardId, countsFrom) =>
      validClosingRequest(await db.get(statements.lastClosingStep, cardId), countsFrom),
    usableCards: (issuer) => readCards(statements.usable, issuer),
    pendingCards: (issuer) => readCards(statements.pending, issuer),
    cardsOfOtherIssuers: (issuer) => readCards(statements.otherIssuers, issuer),
    cardsLeft: (issuer) => cardsLeft(db, issuer),
    async applyIssuerMessage({ issuer, id, kind, receivedAt }, reportedChange, reportedSpend) {
      const isApplied = await db.transaction([], async (transaction) => {
        if ((await transaction.run(statements.addMessage, `${issuer}:${id}`, kind, receivedAt)) === 0)
          return false;
        await transaction.run(statements.deleteMessages, receivedAt - MESSAGE_RETENTION_MS);
        if (reportedChange) {
          const { cardId, state, audit, isByIssuer } = reportedChange;
          await change(transaction, cardId, state, audit, isByIssuer);
        }
        if (reportedSpend) {
          const card = await readCard(transaction, statements.lock, reportedSpend.cardId);
          await reportSpend(transaction, card, reportedSpend.spend, receivedAt);
        }
        return true;
      });
      signal.announce();
      return isApplied;
    },
    setSpendNotices: (cardId, noticesFrom, audit) =>
      db.transaction([], async (transaction) => {
        const card = await readCard(transaction, statements.lock, cardId);
        if (!mayChange(card)) return null;
        if (card.spendNoticesFrom === noticesFrom) return card;
        const row = await transaction.get(statements.setSpendNotices, cardId, noticesFrom);
        transaction.record(audit);
        return toStoredCardOrNull(row);
      }),
    provenApplication: (walletAddress) => db.get(statements.provenApplication, walletAddress),
    async reportSpends(cardId, spends, at) {
      await db.transaction([], async (transaction) => {
        const card = await readCard(transaction, statements.lock, cardId);
        for (const spend of spends) await reportSpend(transaction, card, spend, at);
      });
      signal.announce();
    },
    async spend(id) {
      const row = await db.get(statements.spend, id);
      return row && toSpend(row);
    },
  };
}
