import { isDeepStrictEqual } from 'node:util';
import type Database from 'better-sqlite3';
import { CARD_LIMIT } from '../../model/tiers.ts';
import type { AuditRecord } from '../audit-port.ts';
import type {
  CardOrder,
  CardStore,
  IssuedCard,
  IssuerChange,
  IssuerMessage,
  ReservationOutcome,
  StoredCard,
} from '../card-port.ts';
import { cards, issuerMessages } from './app-schema.ts';
import { and, asc, count, drizzle, eq, equals, lt, newValue, rowValues, sql, value } from './drizzle.ts';
import { APP_FILE, inStore } from './store-files.ts';

/**
 * How long (ms) the id of an applied message is stored. An issuer resends an unanswered message for some days, and a message's
 * signature is valid for minutes.
 */
const MESSAGE_RETENTION = 30 * 86_400_000;
/** How many old messages each new one deletes: more than one, so that their number falls. */
const MAX_MESSAGES_DELETED = 10;

type CardRow = typeof cards.$inferSelect;

/** The same condition as in the unique index on the wallet, so that SQLite uses that index. */
const isLive = sql`${cards.state} in ('pending', 'active', 'frozen')`;

function prepareStatements(client: Database.Database) {
  const db = drizzle({ client });
  const hasIssuer = equals(cards.issuer, 'issuer');
  const select = () => db.select().from(cards);
  return {
    add: db
      .insert(cards)
      .values({
        id: value('id'),
        walletAddress: value('walletAddress'),
        state: 'pending',
        tier: value('tier'),
        holderName: value('holderName'),
        issuer: value('issuer'),
        idempotencyKey: value('idempotencyKey'),
        createdAt: value('at'),
        changedAt: value('at'),
      })
      .prepare(),
    byId: select().where(equals(cards.id, 'id')).prepare(),
    live: select()
      .where(and(equals(cards.walletAddress, 'walletAddress'), isLive))
      .prepare(),
    byIssuerCard: select()
      .where(and(hasIssuer, equals(cards.issuerCard, 'issuerCard')))
      .prepare(),
    pending: select()
      .where(and(hasIssuer, eq(cards.state, 'pending')))
      .orderBy(asc(cards.createdAt), asc(cards.id))
      .prepare(),
    otherIssuers: select()
      .where(and(sql`${cards.issuer} <> ${value('issuer')}`, isLive))
      .orderBy(asc(cards.createdAt), asc(cards.id))
      .prepare(),
    countNotFailed: db
      .select({ count: count() })
      .from(cards)
      .where(and(hasIssuer, sql`${cards.state} <> 'failed'`))
      .prepare(),
    settle: db
      .update(cards)
      .set({
        state: 'active',
        issuerCard: newValue('issuerCard'),
        issuerCardholder: newValue('issuerCardholder'),
        lastFour: newValue('lastFour'),
        expiryMonth: newValue('expiryMonth'),
        expiryYear: newValue('expiryYear'),
        changedAt: newValue('at'),
      })
      .where(and(equals(cards.id, 'id'), eq(cards.state, 'pending')))
      .prepare(),
    setState: db
      .update(cards)
      .set({ state: newValue('state'), changedAt: newValue('at') })
      .where(equals(cards.id, 'id'))
      .prepare(),
    addMessage: db.insert(issuerMessages).values(rowValues(issuerMessages)).onConflictDoNothing().prepare(),
    deleteMessages: db
      .delete(issuerMessages)
      .where(
        and(
          lt(issuerMessages.receivedAt, value('before')),
          // Rows are in the order of arrival, so only the first rows are checked.
          sql`rowid in (select rowid from ${issuerMessages} order by rowid limit ${MAX_MESSAGES_DELETED})`,
        ),
      )
      .prepare(),
  };
}

function issuedOf(row: CardRow): IssuedCard | null {
  const { issuerCard, issuerCardholder, lastFour, expiryMonth, expiryYear } = row;
  if (issuerCard === null || lastFour === null || expiryMonth === null || expiryYear === null) return null;
  return { issuerCard, issuerCardholder, lastFour, expiryMonth, expiryYear };
}

function storedCard(row: CardRow): StoredCard {
  const { issuerCard, issuerCardholder, lastFour, expiryMonth, expiryYear, ...card } = row;
  return { ...card, issued: issuedOf(row) };
}

const storedOrNull = (row: CardRow | undefined) => (row ? storedCard(row) : null);

/** The part of `app.db` for cards. @param addAudit adds an audit record in the current transaction */
export function createCardStore(
  client: Database.Database,
  addAudit: (record: AuditRecord) => void,
): CardStore {
  const statements = prepareStatements(client);
  const cardsLeft = (issuer: string) =>
    Math.max(0, CARD_LIMIT - (statements.countNotFailed.get({ issuer })?.count ?? 0));

  function byId(id: string): StoredCard {
    const row = statements.byId.get({ id });
    if (!row) throw new RangeError(`There is no card ${id}.`);
    return storedCard(row);
  }

  const reserve = client.transaction((order: CardOrder): ReservationOutcome => {
    const live = statements.live.get({ walletAddress: order.walletAddress });
    if (live) {
      const outcome = live.state === 'pending' && live.issuer === order.issuer ? 'resume' : 'has-card';
      return { outcome, card: storedCard(live) };
    }
    if (cardsLeft(order.issuer) === 0) return { outcome: 'none-left' };
    statements.add.run({ ...order });
    return { outcome: 'reserved', card: byId(order.id) };
  });

  const settle = client.transaction((id: string, issued: IssuedCard, audit: AuditRecord): StoredCard => {
    if (statements.settle.run({ ...issued, id, at: audit.at }).changes > 0) addAudit(audit);
    const card = byId(id);
    if (!isDeepStrictEqual(card.issued, issued)) {
      throw new RangeError(`The card ${id} is ${card.state}, and is not the one that the issuer created.`);
    }
    return card;
  });

  const fail = client.transaction((id: string, audit: AuditRecord): boolean => {
    if (byId(id).state !== 'pending') return false;
    statements.setState.run({ id, state: 'failed', at: audit.at });
    addAudit(audit);
    return true;
  });

  function changeState(id: string, state: IssuerChange['state'], audit: AuditRecord): StoredCard | null {
    const card = byId(id);
    if (card.state === state) return card;
    if (card.state !== 'active' && card.state !== 'frozen') return null;
    statements.setState.run({ id, state, at: audit.at });
    addAudit(audit);
    return byId(id);
  }
  const change = client.transaction(changeState);

  const applyMessage = client.transaction((message: IssuerMessage, changed: IssuerChange | null): boolean => {
    const { issuer, kind, receivedAt } = message;
    const added = statements.addMessage.run({ id: `${issuer}:${message.id}`, kind, receivedAt });
    if (added.changes === 0) return false;
    statements.deleteMessages.run({ before: receivedAt - MESSAGE_RETENTION });
    if (changed) changeState(changed.cardId, changed.state, changed.audit);
    return true;
  });

  const run = <T>(work: () => T) => inStore(client, APP_FILE, work);
  return {
    reserve: (order) => run(() => reserve.immediate(order)),
    settle: (cardId, issued, audit) => run(() => settle.immediate(cardId, issued, audit)),
    fail: (cardId, audit) => run(() => fail.immediate(cardId, audit)),
    cardOf: (walletAddress) => run(() => storedOrNull(statements.live.get({ walletAddress }))),
    card: (cardId) => run(() => storedOrNull(statements.byId.get({ id: cardId }))),
    issuedCard: (issuer, issuerCard) =>
      run(() => storedOrNull(statements.byIssuerCard.get({ issuer, issuerCard }))),
    change: (cardId, state, audit) => run(() => change.immediate(cardId, state, audit)),
    pending: (issuer) => run(() => statements.pending.all({ issuer }).map(storedCard)),
    ofOtherIssuers: (issuer) => run(() => statements.otherIssuers.all({ issuer }).map(storedCard)),
    cardsLeft: (issuer) => run(() => cardsLeft(issuer)),
    applyIssuerMessage: (message, changed) => run(() => applyMessage.immediate(message, changed)),
  };
}
