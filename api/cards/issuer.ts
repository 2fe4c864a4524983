import type { IncomingHttpHeaders } from 'node:http';
import type { IssuedCard, IssuerName, StoredCard } from '../../data/store/card-port.ts';

/**
 * The one door to whoever makes cards. Every call ends within its time limit, with an answer, an `IssuerRefusedError`
 * or an `IssuerUnavailableError`; neither of them carries what the issuer sent.
 */
export interface CardIssuer {
  readonly name: IssuerName;
  /** Its cards pay for nothing. */
  readonly isTest: boolean;
  /**
   * Makes the card that was ordered, once: an order that was tried before is found again, by its key and by its id.
   * @param isRetry whether it may have been tried before
   */
  create(order: StoredCard, isRetry: boolean): Promise<IssuedCard>;
  /** How the issuer has the card. */
  get(issuerCard: string): Promise<IssuerCardStatus>;
  /** Number and CVV, for the owner's eyes only: they are handed on and kept nowhere. */
  reveal(issuerCard: string): Promise<CardSecret>;
  /** Freezes a card for its holder, and marks at the issuer that it was the holder's wish. */
  freeze(issuerCard: string): Promise<void>;
  /** Lets a card pay again, and takes the mark away. */
  unfreeze(issuerCard: string): Promise<void>;
  /** Takes away the mark alone: the card was unfrozen at the issuer, and whoever freezes it next may be another. */
  forgetHoldersFreeze(issuerCard: string): Promise<void>;
  close(issuerCard: string): Promise<void>;
  /** What the card paid for from a moment on (Unix ms) and, as far as they are at hand, before it. */
  transactions(card: StoredCard, since: number): Promise<CardTransactions>;
  /**
   * Checks who sent a message and when. Null where the issuer sends none.
   * @throws {IssuerMessageError} where it is not the issuer's, too old, or cannot be read.
   */
  readonly readMessage: ((body: Buffer, headers: IncomingHttpHeaders) => CardMessage) | null;
}

export type IssuerCardState = 'active' | 'frozen' | 'closed';

export interface IssuerCardStatus {
  /** Null where the issuer keeps none. */
  readonly state: IssuerCardState | null;
  /** Whether the card bears the mark of a freeze by its holder: a frozen one without it was frozen by others. */
  readonly isHoldersFreeze: boolean;
}

export interface CardSecret {
  /** Digits alone. */
  readonly cardNumber: string;
  readonly cvv: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
}

export interface CardTransaction {
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly merchant: string;
  readonly category: string | null;
  /** US cents; negative where money came back. */
  readonly amount: bigint;
  readonly state: 'pending' | 'settled' | 'declined';
}

export interface CardTransactions {
  /** Newest first. */
  readonly transactions: readonly CardTransaction[];
  /** Whether these are all there ever were. */
  readonly isComplete: boolean;
}

export interface CardMessage {
  /** The issuer's own name of the message. */
  readonly id: string;
  readonly kind: string;
  /** The card whose state may have changed; null where the message is of something else. */
  readonly issuerCard: string | null;
}

/** What is told to the log of a fault of the issuer: names and numbers, none of what was sent or answered. */
export interface IssuerFaultDetails {
  readonly kind: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly field: string | null;
  readonly requestId: string | null;
}

/** The issuer says no, and will say so again: nothing was made or changed. */
export class IssuerRefusedError extends Error {
  override readonly name = 'IssuerRefusedError';
  readonly details: IssuerFaultDetails;
  constructor(details: IssuerFaultDetails) {
    super(`the issuer refused (${details.kind})`);
    this.details = details;
  }
}

/** The issuer did not answer, or not now: what was asked may have been done or not. Asking again is safe. */
export class IssuerUnavailableError extends Error {
  override readonly name = 'IssuerUnavailableError';
  readonly details: IssuerFaultDetails;
  constructor(details: IssuerFaultDetails) {
    super(`the issuer did not answer (${details.kind})`);
    this.details = details;
  }
}

/** A message that says it comes from the issuer and is not to be believed. */
export class IssuerMessageError extends Error {
  override readonly name = 'IssuerMessageError';
}
