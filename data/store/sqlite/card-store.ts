import { isDeepStrictEqual } from 'node:util';
import type Database from 'better-sqlite3';
import { type CardLimits, cardLimits, MAX_CARDS } from '../../model/tiers.ts';
import type { AuditRecord } from '../audit-port.ts';
import type {
  CardChange,
  CardOrder,
  CardSpend,
  CardStore,
  DecisionWithReason,
  IssuedCard,
  IssuerChange,
  IssuerMessage,
  IssuerSpend,
  ReservationOutcome,
  StoredCard,
} from '../card-port.ts';
import {
  CARD_ISSUED,
  CARD_LIMITS_LOWERED,
  cardAfterChange,
  cardAfterDecision,
  changeNoticeEvent,
  decisionNoticeEvent,
  deliveryToTeam,
  MESSAGE_RETENTION_MS,
  mayChange,
  numberedEvent,
  reservationRefusal,
  spendNoticeEvent,
  toSpend,
  toStoredCard,
  toStoredCardOrNull,
  validClosingRequest,
  wantsSpendNotice,
} from '../rules/card-changes.ts';
import { nextChangedAt } from '../rules/changed-at.ts';
import { prepareCardStatements, prepareNoticeStatements } from './card-statements.ts';
import type { QueueDelivery } from './delivery-store.ts';
import { APP_FILE, runInStore } from './store-files.ts';

/**
 * Queues an email about a wallet's card, if `notice` is not null and the wallet's proven owner has sent an application. Call it
 * in a transaction.
 */
export type QueueCardNotice = (notice: string | null, walletAddress: string, at: number) => void;

export function prepareCardNotices(client: Database.Database, queueDelivery: QueueDelivery): QueueCardNotice {
  const statements = prepareNoticeStatements(client);
  return (notice, walletAddress, at) => {
    const applicant = notice !== null && statements.provenApplicant.get({ walletAddress });
    if (!applicant) return;
    const { referenceNumber, email: recipient } = applicant;
    const earlierCount = statements.countNotices.get({ referenceNumber, event: notice })?.count ?? 0;
    const event = numberedEvent(notice, earlierCount);
    queueDelivery({ event, referenceNumber, channel: 'mail', audience: 'applicant', recipient }, at);
  };
}

/** @param addAudit adds an audit record in the current transaction */
export function createCardStore(
  client: Database.Database,
  addAudit: (record: AuditRecord) => void,
  queueDelivery: QueueDelivery,
  queueNotice: QueueCardNotice,
): CardStore {
  const statements = prepareCardStatements(client);
  const cardsLeft = (issuer: string) =>
    Math.max(0, MAX_CARDS - (statements.countUsedPlaces.get({ issuer })?.count ?? 0));

  function readCard(id: string): StoredCard {
    const row = statements.byId.get({ id });
    if (!row) throw new RangeError(`There is no card ${id}.`);
    return toStoredCard(row);
  }

  const isStakeShared = (id: string, stakeEntries: readonly string[]): boolean =>
    statements.sharingStake.get({ id, stakeEntries: JSON.stringify(stakeEntries) }) !== undefined;

  const reserve = client.transaction((order: CardOrder): ReservationOutcome => {
    const { id, walletAddress, issuer, stakeEntries } = order;
    const outcome = reservationRefusal(order, {
      liveCard: statements.live.get({ walletAddress }),
      lastClosed: statements.lastClosed.get({ walletAddress }),
      whitelistedAt: statements.whitelistedAt.get({ walletAddress })?.at,
      isStakeShared: isStakeShared(id, stakeEntries),
      cardsLeft: cardsLeft(issuer),
    });
    if (outcome) return outcome;
    statements.add.run({ cardholder: null, ...order });
    return { outcome: 'reserved', card: readCard(id) };
  });

  const activate = client.transaction((id: string, issued: IssuedCard, audit: AuditRecord): StoredCard => {
    const isNew = statements.activate.run({ ...issued, id, at: audit.at }).changes > 0;
    const card = readCard(id);
    if (isNew) {
      addAudit(audit);
      queueNotice(CARD_ISSUED, card.walletAddress, audit.at);
    }
    if (!isDeepStrictEqual(card.issued, issued)) {
      throw new RangeError(
        `Card ${id} is ${card.state}. It does not have the details of the card that the issuer created.`,
      );
    }
    return card;
  });

  const markFailed = client.transaction((id: string, audit: AuditRecord): boolean => {
    const card = readCard(id);
    if (card.state !== 'pending') return false;
    storeNextState(card, { ...card, state: 'failed' }, audit);
    return true;
  });

  /** Call it in a transaction. */
  function storeNextState(card: StoredCard, next: StoredCard, audit: AuditRecord): StoredCard {
    statements.setState.run({ ...next, changedAt: nextChangedAt(card.changedAt, audit.at) });
    addAudit(audit);
    return readCard(card.id);
  }

  function changeCard(
    id: string,
    change: CardChange,
    audit: AuditRecord,
    isByIssuer = false,
  ): StoredCard | null {
    const card = readCard(id);
    const next = cardAfterChange(card, change, audit.at);
    if (isDeepStrictEqual(next, card)) return card;
    if (!mayChange(card)) return null;
    queueNotice(changeNoticeEvent(card, change, audit.at, isByIssuer), card.walletAddress, audit.at);
    const teamDelivery = deliveryToTeam(card, change, audit.at);
    if (teamDelivery) queueDelivery(teamDelivery, audit.at);
    return storeNextState(card, next, audit);
  }
  const change = client.transaction(changeCard);

  const decide = client.transaction((id: string, decision: DecisionWithReason, audit: AuditRecord) => {
    const card = readCard(id);
    if (!mayChange(card)) return null;
    statements.addDecision.run({ cardId: id, at: audit.at, adminId: audit.actor, ...decision });
    queueNotice(decisionNoticeEvent(card, decision.decision), card.walletAddress, audit.at);
    return storeNextState(card, cardAfterDecision(card, decision.decision, audit.at), audit);
  });

  const setLimits = client.transaction(
    (id: string, limits: CardLimits, audit: AuditRecord, notice?: 'notify'): StoredCard | null => {
      const card = readCard(id);
      if (!mayChange(card)) return null;
      if (isDeepStrictEqual(cardLimits(card), limits)) return card;
      statements.setLimits.run({ id, ...limits });
      addAudit(audit);
      if (notice) queueNotice(CARD_LIMITS_LOWERED, card.walletAddress, audit.at);
      return readCard(id);
    },
  );

  /** Queues an email about a payment, and stores the payment to prevent a second email about it. Call it in a transaction. */
  function reportSpend(card: StoredCard, spend: CardSpend, reportedAt: number): void {
    if (!wantsSpendNotice(card, spend, reportedAt)) return;
    // Without a recipient, nothing is stored.
    if (!statements.provenApplication.get({ walletAddress: card.walletAddress })) return;
    const id = `${card.issuer}:${spend.id}`;
    const row = { ...spend, id, cardId: card.id, amount: String(spend.amount), toldAt: reportedAt };
    if (statements.addSpend.run(row).changes === 0) return;
    queueNotice(spendNoticeEvent(id), card.walletAddress, reportedAt);
  }

  const reportSpends = client.transaction((id: string, spends: readonly CardSpend[], at: number): void => {
    const card = readCard(id);
    for (const spend of spends) reportSpend(card, spend, at);
  });

  const setSpendNotices = client.transaction(
    (id: string, noticesFrom: number | null, audit: AuditRecord): StoredCard | null => {
      const card = readCard(id);
      if (!mayChange(card)) return null;
      if (card.spendNoticesFrom === noticesFrom) return card;
      statements.setSpendNotices.run({ id, from: noticesFrom });
      addAudit(audit);
      return readCard(id);
    },
  );

  const claimStake = client.transaction((id: string, stakeEntries: readonly string[]): boolean => {
    if (isStakeShared(id, stakeEntries)) return false;
    statements.setStake.run({ id, stakeEntries: JSON.stringify(stakeEntries) });
    return true;
  });

  const applyMessage = client.transaction(
    (
      message: IssuerMessage,
      reportedChange: IssuerChange | null,
      reportedSpend?: IssuerSpend | null,
    ): boolean => {
      const { issuer, kind, receivedAt } = message;
      const insertion = statements.addMessage.run({ id: `${issuer}:${message.id}`, kind, receivedAt });
      if (insertion.changes === 0) return false;
      statements.deleteMessages.run({ before: receivedAt - MESSAGE_RETENTION_MS });
      if (reportedChange)
        changeCard(
          reportedChange.cardId,
          reportedChange.state,
          reportedChange.audit,
          reportedChange.isByIssuer,
        );
      if (reportedSpend) reportSpend(readCard(reportedSpend.cardId), reportedSpend.spend, receivedAt);
      return true;
    },
  );

  const run = <T>(work: () => T) => runInStore(client, APP_FILE, work);
  return {
    reserve: (order) => run(() => reserve.immediate(order)),
    activate: (cardId, issued, audit) => run(() => activate.immediate(cardId, issued, audit)),
    markFailed: (cardId, audit) => run(() => markFailed.immediate(cardId, audit)),
    cardOf: (walletAddress) => run(() => toStoredCardOrNull(statements.live.get({ walletAddress }))),
    card: (cardId) => run(() => toStoredCardOrNull(statements.byId.get({ id: cardId }))),
    issuedCard: (issuer, issuerCardId) =>
      run(() => toStoredCardOrNull(statements.byIssuerCardId.get({ issuer, issuerCardId }))),
    change: (...cardChange) => run(() => change.immediate(...cardChange)),
    setLimits: (...change) => run(() => setLimits.immediate(...change)),
    confirmLimits: (id, limits) => run(() => void statements.confirmLimits.run({ id, ...limits })),
    claimStake: (cardId, stakeEntries) => run(() => claimStake.immediate(cardId, stakeEntries)),
    decide: (cardId, decision, audit) => run(() => decide.immediate(cardId, decision, audit)),
    decisionsOn: (cardId) => run(() => statements.decisions.all({ id: cardId })),
    closingRequest: (cardId, countsFrom) =>
      run(() => validClosingRequest(statements.lastClosingStep.get({ id: cardId }), countsFrom)),
    usableCards: (issuer) => run(() => statements.usable.all({ issuer }).map(toStoredCard)),
    lastClosed: (walletAddress) =>
      run(() => toStoredCardOrNull(statements.lastClosed.get({ walletAddress }))),
    pendingCards: (issuer) => run(() => statements.pending.all({ issuer }).map(toStoredCard)),
    cardsOfOtherIssuers: (issuer) => run(() => statements.otherIssuers.all({ issuer }).map(toStoredCard)),
    cardsLeft: (issuer) => run(() => cardsLeft(issuer)),
    applyIssuerMessage: (...message) => run(() => applyMessage.immediate(...message)),
    setSpendNotices: (...change) => run(() => setSpendNotices.immediate(...change)),
    provenApplication: (walletAddress) =>
      run(() => {
        const row = statements.provenApplication.get({ walletAddress });
        return row === undefined ? null : { ...row, hasChat: Boolean(row.hasChat) };
      }),
    reportSpends: (...spends) => run(() => reportSpends.immediate(...spends)),
    spend: (id) =>
      run(() => {
        const row = statements.spend.get({ id });
        return row === undefined ? null : toSpend(row);
      }),
  };
}
