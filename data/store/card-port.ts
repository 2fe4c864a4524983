import type { CardDecision } from '../model/submission-status.ts';
import type { CardLimits, CardTier } from '../model/tiers.ts';
import type { AuditRecord } from './audit-port.ts';
import type { Decision } from './record-port.ts';

export type IssuerName = 'sandbox' | 'stripe';

/**
 * `pending`: the card takes one of the limited places, and the issuer is being called. `failed`: the issuer permanently
 * declined to create the card. `closed` is final. A card is live while it is pending, active or frozen.
 */
type CardState = 'pending' | 'active' | 'frozen' | 'closed' | 'failed';

/** Times are Unix milliseconds, addresses base58. */
export interface CardOrder {
  readonly id: string;
  readonly walletAddress: string;
  readonly tier: CardTier;
  readonly holderName: string;
  readonly issuer: IssuerName;
  /** Sent with every attempt to create the card, so that the issuer creates only one. */
  readonly idempotencyKey: string;
  /** The addresses of the wallet's open stake entries. While the card is live, these entries count for no other card. */
  readonly stakeEntries: readonly string[];
  /**
   * The data that the issuer requires about the holder, encrypted; absent or null if the issuer requires none. Removed when
   * the card is closed or fails.
   */
  readonly cardholder?: string | null;
  readonly at: number;
}

/** The issuer's data about a card that it created. The store never receives the card's number or CVV. */
export interface IssuedCard {
  readonly issuerCardId: string;
  /** The issuer's id of the cardholder; null at the sandbox, which keeps no cardholders. */
  readonly issuerCardholderId: string | null;
  readonly lastFour: string;
  /** 1 to 12. */
  readonly expiryMonth: number;
  /** Four digits. */
  readonly expiryYear: number;
}

export interface StoredCard extends Omit<CardOrder, 'at' | 'cardholder'> {
  readonly cardholder: string | null;
  readonly state: CardState;
  readonly issued: IssuedCard | null;
  readonly createdAt: number;
  /** When the card last changed. The time increases with every change, so it identifies a state of the card. */
  readonly changedAt: number;
  /** When the portal found the wallet neither whitelisted nor staking enough. Null while the wallet qualifies. */
  readonly stakeGoneAt: number | null;
  /**
   * When the team froze the card; null if the team has not, or has lifted its freeze. If the card was closed while frozen by
   * the issuer, this is the time at which it was closed.
   */
  readonly frozenByTeamAt: number | null;
  /** When the team decided to close the card; null if the team has not. */
  readonly closedByTeamAt: number | null;
  /** When the holder decided to close the card; null if the holder has not. */
  readonly closedByHolderAt: number | null;
  /** The limits that the holder chose, in whole US dollars; null while the card has the limits of a new card. */
  readonly dailyLimitUsd: number | null;
  readonly monthlyLimitUsd: number | null;
  /** Whether the issuer has applied these limits. */
  readonly areLimitsSent: boolean;
  /** The time from which the holder wants messages about payments; null if the holder wants none. */
  readonly spendNoticesFrom: number | null;
}

/** A payment, a refund or a declined payment, as the issuer reported it. */
export interface CardSpend {
  /** The issuer's id for the payment, the same in every report about the payment. */
  readonly id: string;
  readonly at: number;
  readonly merchant: string;
  /** US cents; negative for a refund. */
  readonly amount: bigint;
  readonly isDeclined: boolean;
}

/**
 * A change to a card. `stake-gone` freezes the card and queues an email to the holder. `stake-back` leaves the card frozen,
 * but lets the holder unfreeze it. `frozen-by-issuer` stores a freeze by the issuer in `frozenByTeamAt`, so that it still counts
 * after the holder closes the card. `closing` stores the holder's decision to close the card. The caller then closes it at
 * the issuer. `closed` queues emails to the holder and the team if the holder or the issuer closed the card.
 * `closed-while-frozen` combines `closed` and `frozen-by-issuer`.
 */
export type CardChange =
  | 'active'
  | 'frozen'
  | 'frozen-by-issuer'
  | 'closing'
  | 'closed'
  | 'closed-while-frozen'
  | 'stake-gone'
  | 'stake-back';

/** A decision by the team on a card. The admin who made it is the actor of the audit record. */
export interface DecisionWithReason {
  readonly decision: CardDecision;
  readonly reason: string | null;
}

/** An admin's request to close a card. Another admin has to confirm it. */
export interface ClosingRequest {
  readonly adminId: string;
  /** The admin's username. */
  readonly by: string;
  readonly at: number;
}

/**
 * `reserved`: a place is reserved for this order. `resume`: an earlier order of the wallet is pending and must be retried
 * unchanged. `has-card`: the wallet has a card. `none-left`: all cards have been issued. `stake-in-use`: one of the order's
 * stake entries counts for another live card. `closed-by-team`: the wallet's last card was closed by the team, or was frozen
 * by the team or the issuer when it was closed. A later whitelisting of the wallet allows a new card. `closed-recently`: the
 * holder closed the wallet's last card less than `PORTAL_LIMITS.newCardHours` ago.
 */
export type ReservationOutcome =
  | { readonly outcome: 'reserved' | 'resume' | 'has-card'; readonly card: StoredCard }
  | { readonly outcome: 'none-left' | 'stake-in-use' | 'closed-by-team' | 'closed-recently' };

export interface IssuerMessage {
  readonly issuer: IssuerName;
  readonly id: string;
  readonly kind: string;
  readonly receivedAt: number;
}

export interface IssuerSpend {
  readonly cardId: string;
  readonly spend: CardSpend;
}

export interface IssuerChange {
  readonly cardId: string;
  readonly state: 'active' | 'frozen' | 'closed' | 'closed-while-frozen';
  /** Whether the issuer made the change on its own. If it froze the card, an email to the holder is queued. */
  readonly isByIssuer: boolean;
  readonly audit: AuditRecord;
}

/**
 * The cards. Every change and its audit record are written in one transaction. A wallet has at most one card that is neither
 * closed nor failed. An issuer has `MAX_CARDS` places for cards. A card frees its place if it failed, if the holder closed it,
 * or if its stake was gone when it was closed. Other closed cards keep their places.
 */
export interface CardStore {
  reserve(order: CardOrder): Promise<ReservationOutcome>;
  /**
   * Activates a pending card that the issuer created, and queues an email to the holder. Repeating the call has no effect.
   * @throws {RangeError} when there is no such card, when it failed, or when the issuer created a different card for it.
   */
  activate(cardId: string, issued: IssuedCard, audit: AuditRecord): Promise<StoredCard>;
  /**
   * Marks a pending card as permanently declined, and frees its place.
   * @returns false, without recording anything, when the card is not pending
   */
  markFailed(cardId: string, audit: AuditRecord): Promise<boolean>;
  /** The wallet's card that is neither closed nor failed. */
  cardOf(walletAddress: string): Promise<StoredCard | null>;
  lastClosed(walletAddress: string): Promise<StoredCard | null>;
  card(cardId: string): Promise<StoredCard | null>;
  issuedCard(issuer: IssuerName, issuerCardId: string): Promise<StoredCard | null>;
  /**
   * Changes an active or frozen card. If nothing changes, returns the card and adds no audit record.
   * @param isByIssuer whether the issuer made the change on its own, as in `IssuerChange`
   * @returns null when the card's state does not allow the change
   */
  change(
    cardId: string,
    change: CardChange,
    audit: AuditRecord,
    isByIssuer?: boolean,
  ): Promise<StoredCard | null>;
  /**
   * Stores the limits of an active or frozen card. The caller then sends them to the issuer. Adds an audit record only if the
   * limits change.
   * @param notice `notify` queues an email to the card's holder
   * @returns null when the card's state does not allow the change
   */
  setLimits(
    cardId: string,
    limits: CardLimits,
    audit: AuditRecord,
    notice?: 'notify',
  ): Promise<StoredCard | null>;
  /** Records that the issuer has applied these limits, unless other limits have been stored in the meantime. */
  confirmLimits(cardId: string, limits: CardLimits): Promise<void>;
  /**
   * Makes these stake entries count for a card.
   * @returns false, without changing anything, if an entry already counts for another live card
   */
  claimStake(cardId: string, stakeEntries: readonly string[]): Promise<boolean>;
  /**
   * Stores a decision by the team on an active or frozen card. `frozen` queues an email to the holder. `freeze-lifted` leaves
   * the card frozen until the holder unfreezes it. After `closed`, the caller closes the card at the issuer.
   * @returns null when the card's state does not allow the decision
   */
  decide(cardId: string, decision: DecisionWithReason, audit: AuditRecord): Promise<StoredCard | null>;
  /** Oldest first. */
  decisionsOn(cardId: string): Promise<readonly (DecisionWithReason & Pick<Decision, 'at' | 'by'>)[]>;
  /**
   * The valid request to close a card, or null. A request is valid if it was made at `countsFrom` (Unix ms) or later, was not
   * withdrawn, and the admin who made it still has the right to decide.
   */
  closingRequest(cardId: string, countsFrom: number): Promise<ClosingRequest | null>;
  /** The active and frozen cards of an issuer, oldest first. */
  usableCards(issuer: IssuerName): Promise<readonly StoredCard[]>;
  /** Oldest first. */
  pendingCards(issuer: IssuerName): Promise<readonly StoredCard[]>;
  /** The cards of all other issuers, except closed and failed cards, oldest first. */
  cardsOfOtherIssuers(issuer: IssuerName): Promise<readonly StoredCard[]>;
  cardsLeft(issuer: IssuerName): Promise<number>;
  /**
   * Applies a message from the issuer once. Also deletes old messages.
   * @returns false, without changing anything, when the message was already applied
   */
  applyIssuerMessage(
    message: IssuerMessage,
    change: IssuerChange | null,
    spend?: IssuerSpend | null,
  ): Promise<boolean>;
  /**
   * Sets the time from which the holder of an active or frozen card wants messages about payments.
   * @param noticesFrom null to turn the messages off
   * @returns null for a card in another state
   */
  setSpendNotices(cardId: string, noticesFrom: number | null, audit: AuditRecord): Promise<StoredCard | null>;
  /**
   * The newest application that the wallet's proven owner sent for this wallet, or null. `hasChat`: whether a chat is linked
   * to the application.
   */
  provenApplication(
    walletAddress: string,
  ): Promise<{ readonly referenceNumber: string; readonly hasChat: boolean } | null>;
  /**
   * Queues an email to the card's holder about each new payment, if `wantsSpendNotice` accepts it. Nothing is stored or sent
   * if no application by the wallet's proven owner exists.
   */
  reportSpends(cardId: string, spends: readonly CardSpend[], at: number): Promise<void>;
  /** A reported payment, and its card. @param id the issuer's name, a colon, and the issuer's id for the payment */
  spend(id: string): Promise<(CardSpend & { readonly cardId: string }) | null>;
}
