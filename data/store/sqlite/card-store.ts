import { isDeepStrictEqual } from 'node:util';
import type Database from 'better-sqlite3';
import type { CardDecision } from '../../model/submission-status.ts';
import { CARD_LIMIT } from '../../model/tiers.ts';
import type { AuditRecord } from '../audit-port.ts';
import type {
  CardChange,
  CardOrder,
  CardStore,
  ClosingRequest,
  IssuedCard,
  IssuerChange,
  IssuerMessage,
  MadeDecision,
  ReservationOutcome,
  StoredCard,
} from '../card-port.ts';
import type { cards } from './app-schema.ts';
import { CARD_FROZEN, prepareCardStatements } from './card-statements.ts';
import type { QueueDelivery } from './delivery-store.ts';
import { APP_FILE, inStore } from './store-files.ts';

/**
 * How long (ms) the id of an applied message is stored. An issuer resends an unanswered message for some days, and a message's
 * signature is valid for minutes.
 */
const MESSAGE_RETENTION = 30 * 86_400_000;

type CardRow = typeof cards.$inferSelect;

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

/** A card after a change at a time (Unix ms). */
function changed(card: StoredCard, change: CardChange, at: number): StoredCard {
  switch (change) {
    case 'active':
      return { ...card, state: 'active', stakeGoneAt: null, frozenByTeamAt: null };
    case 'frozen':
    case 'closed':
      return { ...card, state: change };
    case 'stake-gone':
      return { ...card, state: 'frozen', stakeGoneAt: card.stakeGoneAt ?? at };
    case 'stake-back':
      return { ...card, stakeGoneAt: null };
  }
}

/** A card after a decision of the team. */
function decided(card: StoredCard, decision: CardDecision, at: number): StoredCard {
  switch (decision) {
    case 'frozen':
      return { ...card, state: 'frozen', frozenByTeamAt: at };
    case 'freeze-lifted':
      return { ...card, frozenByTeamAt: null };
    case 'closed':
      return { ...card, closedByTeamAt: at };
    case 'closing-requested':
    case 'closing-withdrawn':
      return card;
  }
}

const mayChange = ({ state }: StoredCard) => state === 'active' || state === 'frozen';

/** The part of `app.db` for cards. @param addAudit adds an audit record in the current transaction */
export function createCardStore(
  client: Database.Database,
  addAudit: (record: AuditRecord) => void,
  queueDelivery: QueueDelivery,
): CardStore {
  const statements = prepareCardStatements(client);
  const cardsLeft = (issuer: string) =>
    Math.max(0, CARD_LIMIT - (statements.countPlaces.get({ issuer })?.count ?? 0));

  function byId(id: string): StoredCard {
    const row = statements.byId.get({ id });
    if (!row) throw new RangeError(`There is no card ${id}.`);
    return storedCard(row);
  }

  const isStakeShared = (id: string, stakeEntries: readonly string[]): boolean =>
    statements.sharingStake.get({ id, stakeEntries: JSON.stringify(stakeEntries) }) !== undefined;

  const reserve = client.transaction((order: CardOrder): ReservationOutcome => {
    const live = statements.live.get({ walletAddress: order.walletAddress });
    if (live) {
      const outcome = live.state === 'pending' && live.issuer === order.issuer ? 'resume' : 'has-card';
      return { outcome, card: storedCard(live) };
    }
    const closed = statements.lastClosed.get({ walletAddress: order.walletAddress });
    const whitelistedAt = statements.whitelistedAt.get({ walletAddress: order.walletAddress })?.at ?? 0;
    if (closed && closed.closedByTeamAt !== null && whitelistedAt <= closed.closedByTeamAt) {
      return { outcome: 'closed-by-team' };
    }
    if (isStakeShared(order.id, order.stakeEntries)) return { outcome: 'stake-in-use' };
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
    const card = byId(id);
    if (card.state !== 'pending') return false;
    statements.setState.run({ ...card, state: 'failed', changedAt: audit.at });
    addAudit(audit);
    return true;
  });

  /** Queues the mail about a card frozen because its stake was gone, if the wallet's proven owner sent an application. */
  function queueFrozen(walletAddress: string, at: number): void {
    const applicant = statements.provenApplicant.get({ walletAddress });
    if (!applicant) return;
    const { referenceNumber, email: recipient } = applicant;
    const earlier = statements.countNotices.get({ referenceNumber })?.count ?? 0;
    const event = earlier === 0 ? CARD_FROZEN : `${CARD_FROZEN}:${earlier + 1}`;
    queueDelivery({ event, referenceNumber, channel: 'mail', audience: 'applicant', recipient }, at);
  }

  /** Stores the next state of a card. Call it in a transaction. */
  function replace(card: StoredCard, next: StoredCard, audit: AuditRecord): StoredCard {
    statements.setState.run({ ...next, changedAt: Math.max(audit.at, card.changedAt + 1) });
    addAudit(audit);
    return byId(card.id);
  }

  function changeCard(id: string, change: CardChange, audit: AuditRecord): StoredCard | null {
    const card = byId(id);
    const next = changed(card, change, audit.at);
    if (isDeepStrictEqual(next, card)) return card;
    if (!mayChange(card)) return null;
    if (change === 'stake-gone') queueFrozen(card.walletAddress, audit.at);
    return replace(card, next, audit);
  }
  const change = client.transaction(changeCard);

  const decide = client.transaction((id: string, made: MadeDecision, audit: AuditRecord) => {
    const card = byId(id);
    if (!mayChange(card)) return null;
    statements.addDecision.run({ cardId: id, at: audit.at, adminId: audit.actor, ...made });
    return replace(card, decided(card, made.decision, audit.at), audit);
  });

  const claimStake = client.transaction((id: string, stakeEntries: readonly string[]): boolean => {
    if (isStakeShared(id, stakeEntries)) return false;
    statements.setStake.run({ id, stakeEntries: JSON.stringify(stakeEntries) });
    return true;
  });

  function closingRequest(id: string, countsFrom: number): ClosingRequest | null {
    const step = statements.lastClosingStep.get({ id });
    if (step?.decision !== 'closing-requested' || step.at < countsFrom || step.mayDecide === 0) return null;
    const { adminId, by, at } = step;
    return { adminId, by, at };
  }

  const applyMessage = client.transaction(
    (message: IssuerMessage, reported: IssuerChange | null): boolean => {
      const { issuer, kind, receivedAt } = message;
      const added = statements.addMessage.run({ id: `${issuer}:${message.id}`, kind, receivedAt });
      if (added.changes === 0) return false;
      statements.deleteMessages.run({ before: receivedAt - MESSAGE_RETENTION });
      if (reported) changeCard(reported.cardId, reported.state, reported.audit);
      return true;
    },
  );

  const run = <T>(work: () => T) => inStore(client, APP_FILE, work);
  return {
    reserve: (order) => run(() => reserve.immediate(order)),
    settle: (cardId, issued, audit) => run(() => settle.immediate(cardId, issued, audit)),
    fail: (cardId, audit) => run(() => fail.immediate(cardId, audit)),
    cardOf: (walletAddress) => run(() => storedOrNull(statements.live.get({ walletAddress }))),
    card: (cardId) => run(() => storedOrNull(statements.byId.get({ id: cardId }))),
    issuedCard: (issuer, issuerCard) =>
      run(() => storedOrNull(statements.byIssuerCard.get({ issuer, issuerCard }))),
    change: (cardId, to, audit) => run(() => change.immediate(cardId, to, audit)),
    claimStake: (cardId, stakeEntries) => run(() => claimStake.immediate(cardId, stakeEntries)),
    decide: (cardId, made, audit) => run(() => decide.immediate(cardId, made, audit)),
    decisionsOn: (cardId) => run(() => statements.decisions.all({ id: cardId })),
    closingRequest: (cardId, countsFrom) => run(() => closingRequest(cardId, countsFrom)),
    usable: (issuer) => run(() => statements.usable.all({ issuer }).map(storedCard)),
    lastClosed: (walletAddress) => run(() => storedOrNull(statements.lastClosed.get({ walletAddress }))),
    pending: (issuer) => run(() => statements.pending.all({ issuer }).map(storedCard)),
    ofOtherIssuers: (issuer) => run(() => statements.otherIssuers.all({ issuer }).map(storedCard)),
    cardsLeft: (issuer) => run(() => cardsLeft(issuer)),
    applyIssuerMessage: (message, reported) => run(() => applyMessage.immediate(message, reported)),
  };
}
