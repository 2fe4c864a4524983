import type { CardTier } from '../model/tiers.ts';
import type { AuditRecord } from './audit-port.ts';

export type IssuerName = 'sandbox' | 'stripe';

/**
 * `pending`: a place is reserved and the issuer is being called. `failed`: the issuer declined permanently. `closed` is
 * final.
 */
type CardState = 'pending' | 'active' | 'frozen' | 'closed' | 'failed';

/** A requested card. Times are Unix milliseconds, addresses base58. */
export interface CardOrder {
  readonly id: string;
  readonly walletAddress: string;
  readonly tier: CardTier;
  readonly holderName: string;
  readonly issuer: IssuerName;
  /** Sent with every attempt to create the card, so that the issuer creates only one. */
  readonly idempotencyKey: string;
  readonly at: number;
}

/** What the issuer reports about a card that it created. The store never gets the card's number or CVV. */
export interface IssuedCard {
  /** The issuer's id for the card. */
  readonly issuerCard: string;
  /** The issuer's id for the cardholder; null if the issuer has no cardholders. */
  readonly issuerCardholder: string | null;
  readonly lastFour: string;
  /** 1 to 12. */
  readonly expiryMonth: number;
  /** Four digits. */
  readonly expiryYear: number;
}

export interface StoredCard extends Omit<CardOrder, 'at'> {
  readonly state: CardState;
  /** Null until the issuer has created it. */
  readonly issued: IssuedCard | null;
  readonly createdAt: number;
  readonly changedAt: number;
}

/**
 * `reserved`: a place is reserved for this order. `resume`: an earlier order of the wallet is pending and must be retried
 * unchanged. `has-card`: the wallet has a card. `none-left`: all cards have been issued.
 */
export type ReservationOutcome =
  | { readonly outcome: 'reserved' | 'resume' | 'has-card'; readonly card: StoredCard }
  | { readonly outcome: 'none-left' };

export interface IssuerMessage {
  readonly issuer: IssuerName;
  /** The issuer's id for the message. */
  readonly id: string;
  readonly kind: string;
  readonly receivedAt: number;
}

/** A change to a card that a message reports. */
export interface IssuerChange {
  readonly cardId: string;
  readonly state: 'active' | 'frozen' | 'closed';
  readonly audit: AuditRecord;
}

/**
 * The cards. Every change is one transaction with its audit record. A wallet has at most one card that is neither closed
 * nor failed, and an issuer has at most `CARD_LIMIT` cards: a closed card keeps its place, a failed one frees it.
 */
export interface CardStore {
  reserve(order: CardOrder): Promise<ReservationOutcome>;
  /**
   * Activates a pending card that the issuer created. Repeating the call has no effect.
   * @throws {RangeError} when there is no such card, it failed, or the issuer created a different one for it.
   */
  settle(cardId: string, issued: IssuedCard, audit: AuditRecord): Promise<StoredCard>;
  /**
   * Marks a pending card as declined permanently, and frees its place.
   * @returns false, with nothing recorded, when the card is not pending
   */
  fail(cardId: string, audit: AuditRecord): Promise<boolean>;
  /** The wallet's card that is neither closed nor failed. */
  cardOf(walletAddress: string): Promise<StoredCard | null>;
  /** A card in any state. */
  card(cardId: string): Promise<StoredCard | null>;
  /** A card by the issuer's id. */
  issuedCard(issuer: IssuerName, issuerCard: string): Promise<StoredCard | null>;
  /**
   * Freezes an active card, unfreezes a frozen one, or closes either. If the card is already in that state, returns it and
   * records nothing.
   * @returns null when the card's state does not allow the change
   */
  change(cardId: string, state: IssuerChange['state'], audit: AuditRecord): Promise<StoredCard | null>;
  /** The pending cards of an issuer, oldest first. */
  pending(issuer: IssuerName): Promise<readonly StoredCard[]>;
  /** The cards of all other issuers that are neither closed nor failed, oldest first. */
  ofOtherIssuers(issuer: IssuerName): Promise<readonly StoredCard[]>;
  /** How many more cards an issuer can create. */
  cardsLeft(issuer: IssuerName): Promise<number>;
  /**
   * Applies a message from the issuer once. Also deletes old messages.
   * @returns false, with nothing changed, when the message was applied before
   */
  applyIssuerMessage(message: IssuerMessage, change: IssuerChange | null): Promise<boolean>;
}
