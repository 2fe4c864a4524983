import { isDeepStrictEqual } from 'node:util';
import type Database from 'better-sqlite3';
import { CARD_LIMIT } from '../../model/card-terms.ts';
import type { AuditRecord } from '../audit-port.ts';
import type {
  CardOrder,
  CardStore,
  IssuedCard,
  IssuerChange,
  IssuerMessage,
  PlaceOutcome,
  StoredCard,
} from '../card-port.ts';
import { cards, issuerMessages } from './card-schema.ts';
import { and, asc, count, drizzle, eq, lt, sql } from './drizzle.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';

/**
 * Milliseconds that the name of a taken message is remembered. An issuer that is not answered sends again for some days,
 * and the signature of a message ages within minutes.
 */
const MESSAGES_KEPT = 30 * 86_400_000;
/** Old messages that are forgotten for each new one: more than one, so that they grow fewer. */
const FORGOTTEN_AT_ONCE = 10;

const value = (name: string) => sql.placeholder(name);

type CardRow = typeof cards.$inferSelect;

/** Neither closed nor failed; written as the index has it, so that it is used. */
const isLive = sql`${cards.state} in ('pending', 'active', 'frozen')`;

function prepareStatements(client: Database.Database) {
  const db = drizzle({ client });
  const ofIssuer = eq(cards.issuer, value('issuer'));
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
    byId: db
      .select()
      .from(cards)
      .where(eq(cards.id, value('id')))
      .prepare(),
    live: db
      .select()
      .from(cards)
      .where(and(eq(cards.walletAddress, value('walletAddress')), isLive))
      .prepare(),
    byIssuersName: db
      .select()
      .from(cards)
      .where(and(ofIssuer, eq(cards.issuerCard, value('issuerCard'))))
      .prepare(),
    pending: db
      .select()
      .from(cards)
      .where(and(ofIssuer, eq(cards.state, 'pending')))
      .orderBy(asc(cards.createdAt), asc(cards.id))
      .prepare(),
    elsewhere: db
      .select()
      .from(cards)
      .where(and(sql`${cards.issuer} <> ${value('issuer')}`, isLive))
      .orderBy(asc(cards.createdAt), asc(cards.id))
      .prepare(),
    places: db
      .select({ count: count() })
      .from(cards)
      .where(and(ofIssuer, sql`${cards.state} <> 'failed'`))
      .prepare(),
    settle: db
      .update(cards)
      .set({
        state: 'active',
        issuerCard: sql`${value('issuerCard')}`,
        issuerCardholder: sql`${value('issuerCardholder')}`,
        lastFour: sql`${value('lastFour')}`,
        expiryMonth: sql`${value('expiryMonth')}`,
        expiryYear: sql`${value('expiryYear')}`,
        changedAt: sql`${value('at')}`,
      })
      .where(and(eq(cards.id, value('id')), eq(cards.state, 'pending')))
      .prepare(),
    setState: db
      .update(cards)
      .set({ state: sql`${value('state')}`, changedAt: sql`${value('at')}` })
      .where(eq(cards.id, value('id')))
      .prepare(),
    takeMessage: db
      .insert(issuerMessages)
      .values({ id: value('id'), kind: value('kind'), receivedAt: value('receivedAt') })
      .onConflictDoNothing()
      .prepare(),
    forgetMessages: db
      .delete(issuerMessages)
      .where(
        and(
          lt(issuerMessages.receivedAt, value('before')),
          // Rows stand in the order they came in: no others have to be looked at.
          sql`rowid in (select rowid from ${issuerMessages} order by rowid limit ${FORGOTTEN_AT_ONCE})`,
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
  const { id, walletAddress, state, tier, holderName, issuer, idempotencyKey, createdAt, changedAt } = row;
  return {
    id,
    walletAddress,
    state,
    tier,
    holderName,
    issuer,
    idempotencyKey,
    issued: issuedOf(row),
    createdAt,
    changedAt,
  };
}

const storedOrNone = (row: CardRow | undefined) => (row ? storedCard(row) : null);

/** The cards of an open `app.db`. @param addAudit adds an audit record inside the transaction that is under way */
export function createCardStore(
  client: Database.Database,
  addAudit: (record: AuditRecord) => void,
): CardStore {
  const statements = prepareStatements(client);
  const cardsLeft = (issuer: string) =>
    Math.max(0, CARD_LIMIT - (statements.places.get({ issuer })?.count ?? 0));

  function byId(id: string): StoredCard {
    const row = statements.byId.get({ id });
    if (!row) throw new RangeError(`There is no card ${id}.`);
    return storedCard(row);
  }

  const takePlace = client.transaction((order: CardOrder): PlaceOutcome => {
    const live = statements.live.get({ walletAddress: order.walletAddress });
    if (live) {
      const outcome = live.state === 'pending' && live.issuer === order.issuer ? 'resume' : 'has-card';
      return { outcome, card: storedCard(live) };
    }
    if (cardsLeft(order.issuer) === 0) return { outcome: 'none-left' };
    statements.add.run({ ...order });
    return { outcome: 'taken', card: byId(order.id) };
  });

  const settle = client.transaction((id: string, issued: IssuedCard, audit: AuditRecord): StoredCard => {
    if (statements.settle.run({ ...issued, id, at: audit.at }).changes > 0) addAudit(audit);
    const card = byId(id);
    if (!isDeepStrictEqual(card.issued, issued)) {
      throw new RangeError(`The card ${id} is ${card.state}, and is not the one that the issuer made.`);
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

  const takeMessage = client.transaction((message: IssuerMessage, changed: IssuerChange | null): boolean => {
    const { issuer, kind, receivedAt } = message;
    const taken = statements.takeMessage.run({ id: `${issuer}:${message.id}`, kind, receivedAt });
    if (taken.changes === 0) return false;
    statements.forgetMessages.run({ before: receivedAt - MESSAGES_KEPT });
    if (changed) changeState(changed.cardId, changed.state, changed.audit);
    return true;
  });

  const run = <T>(work: () => T) => inStore(client, APP_FILE, work);
  return {
    takePlace: (order) => run(() => takePlace.immediate(order)),
    settle: (cardId, issued, audit) => run(() => settle.immediate(cardId, issued, audit)),
    fail: (cardId, audit) => run(() => fail.immediate(cardId, audit)),
    cardOf: (walletAddress) => run(() => storedOrNone(statements.live.get({ walletAddress }))),
    card: (cardId) => run(() => storedOrNone(statements.byId.get({ id: cardId }))),
    issuedCard: (issuer, issuerCard) =>
      run(() => storedOrNone(statements.byIssuersName.get({ issuer, issuerCard }))),
    change: (cardId, state, audit) => run(() => change.immediate(cardId, state, audit)),
    pending: (issuer) => run(() => statements.pending.all({ issuer }).map(storedCard)),
    ofOtherIssuers: (issuer) => run(() => statements.elsewhere.all({ issuer }).map(storedCard)),
    cardsLeft: (issuer) => run(() => cardsLeft(issuer)),
    takeIssuerMessage: (message, changed) => run(() => takeMessage.immediate(message, changed)),
  };
}
