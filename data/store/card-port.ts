import type { CardTier } from '../model/tiers.ts';
import type { AuditRecord } from './audit-port.ts';

/** Which issuer has a card. */
export type IssuerName = 'sandbox' | 'stripe';

/** `pending`: a place is taken and the issuer is being asked. `failed`: refused for good. `closed` is final. */
export type CardState = 'pending' | 'active' | 'frozen' | 'closed' | 'failed';

/** A card that is asked for. Times are Unix milliseconds, addresses base58. */
export interface CardOrder {
  readonly id: string;
  readonly walletAddress: string;
  readonly tier: CardTier;
  readonly holderName: string;
  readonly issuer: IssuerName;
  /** Sent with each try of making the card, so that the issuer makes one. */
  readonly idempotencyKey: string;
  readonly at: number;
}

/** What the issuer tells of a card that it made. Its number and its CVV are never handed to the store. */
export interface IssuedCard {
  /** The issuer's own names of card and cardholder; an issuer without cardholders names none. */
  readonly issuerCard: string;
  readonly issuerCardholder: string | null;
  readonly lastFour: string;
  /** 1 to 12. */
  readonly expiryMonth: number;
  /** Four digits. */
  readonly expiryYear: number;
}

export interface StoredCard extends Omit<CardOrder, 'at'> {
  readonly state: CardState;
  /** Null until the issuer made it. */
  readonly issued: IssuedCard | null;
  readonly createdAt: number;
  readonly changedAt: number;
}

/**
 * What taking a place came to. `taken`: it is this order's. `resume`: the wallet has a card whose making was begun and
 * not brought to an end; that one is to be tried again, as it was ordered. `has-card`: the wallet has one. `none-left`:
 * all are given out.
 */
export type PlaceOutcome =
  | { readonly outcome: 'taken' | 'resume' | 'has-card'; readonly card: StoredCard }
  | { readonly outcome: 'none-left' };

/** A message of the issuer. */
export interface IssuerMessage {
  readonly issuer: IssuerName;
  /** The issuer's own name of the message. */
  readonly id: string;
  readonly kind: string;
  readonly receivedAt: number;
}

/** What a message changes of a card, and the audit record of the change. */
export interface IssuerChange {
  readonly cardId: string;
  readonly state: 'active' | 'frozen' | 'closed';
  readonly audit: AuditRecord;
}

/**
 * The cards that were given out. Every change is one transaction with its audit record. Of one wallet one card at most is
 * neither closed nor failed, and of one issuer at most `CARD_LIMIT` cards are ever made: a closed one keeps its place, a
 * failed one gives it back.
 */
export interface CardStore {
  takePlace(order: CardOrder): Promise<PlaceOutcome>;
  /**
   * The issuer made a pending card: it is active. The same again changes nothing.
   * @throws {RangeError} where there is no such card, it failed, or the issuer made another for it.
   */
  settle(cardId: string, issued: IssuedCard, audit: AuditRecord): Promise<StoredCard>;
  /**
   * The issuer refused a pending card for good: its place is free.
   * @returns false where it is pending no more; then nothing is recorded.
   */
  fail(cardId: string, audit: AuditRecord): Promise<boolean>;
  /** The wallet's card that is neither closed nor failed. */
  cardOf(walletAddress: string): Promise<StoredCard | null>;
  /** A card in any state. */
  card(cardId: string): Promise<StoredCard | null>;
  /** The card that an issuer names so. */
  issuedCard(issuer: IssuerName, issuerCard: string): Promise<StoredCard | null>;
  /**
   * Freezes an active card, unfreezes a frozen one, or closes either for good. One that is so already stays as it is,
   * and nothing is recorded.
   * @returns null where the card is in no state for it.
   */
  change(
    cardId: string,
    state: 'active' | 'frozen' | 'closed',
    audit: AuditRecord,
  ): Promise<StoredCard | null>;
  /** Cards of an issuer whose making was begun and not brought to an end, oldest first. */
  pending(issuer: IssuerName): Promise<readonly StoredCard[]>;
  /** Live cards of every issuer but one, oldest first. */
  ofOtherIssuers(issuer: IssuerName): Promise<readonly StoredCard[]>;
  /** Cards that an issuer can still make. */
  cardsLeft(issuer: IssuerName): Promise<number>;
  /**
   * Takes a message of the issuer in, with what it changes, once in 30 days: older ones are forgotten.
   * @returns false where it was taken in before; then nothing changes.
   */
  takeIssuerMessage(message: IssuerMessage, change: IssuerChange | null): Promise<boolean>;
}
