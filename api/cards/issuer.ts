import type { IncomingHttpHeaders } from 'node:http';
import type { Cardholder, CardholderField } from '../../data/model/cardholder.ts';
import type { CardLimits } from '../../data/model/tiers.ts';
import type { CardSpend, IssuedCard, IssuerName, StoredCard } from '../../data/store/card-port.ts';

/**
 * The interface to a card issuer. Every call ends within its time limit with a result, an `IssuerRefusedError` or an
 * `IssuerUnavailableError`. Neither error contains text from the issuer.
 */
export interface CardIssuer {
  readonly name: IssuerName;
  /** Whether the issuer's cards are test cards, which cannot be used for payments. */
  readonly isTest: boolean;
  /** What a new cardholder has to enter, besides the name on the card. */
  readonly cardholderFields: readonly CardholderField[];
  /**
   * Creates the ordered card, or returns the one that an earlier attempt created.
   * @param isRetry whether an earlier attempt may have created the card
   * @param cardholder what the holder entered; null if nothing was required when the card was ordered
   */
  create(card: StoredCard, isRetry: boolean, cardholder?: Cardholder | null): Promise<IssuedCard>;
  hasCreated(card: StoredCard): Promise<boolean>;
  get(issuerCardId: string): Promise<IssuerCardStatus>;
  /** Reads the card's number and CVV, for its owner only. They are never stored or logged. */
  reveal(issuerCardId: string): Promise<CardSecret>;
  /** Freezes a card, and marks it at the issuer as frozen through the portal. */
  freeze(issuerCardId: string): Promise<void>;
  /** Unfreezes a card and removes the mark that `freeze` set. */
  unfreeze(issuerCardId: string): Promise<void>;
  /**
   * Removes the mark that `freeze` left on a card that the issuer has since unfrozen. With the mark, a later freeze by
   * the issuer would look like a freeze by the portal.
   */
  removeFreezeMark(issuerCardId: string): Promise<void>;
  close(issuerCardId: string): Promise<void>;
  setLimits(issuerCardId: string, limits: CardLimits): Promise<void>;
  /** Reads the transactions from `since` (Unix ms) onward. The result may include earlier ones. */
  transactions(card: StoredCard, since: number): Promise<CardTransactions>;
  /**
   * Verifies and parses a webhook message. Null if the issuer sends no messages.
   * @throws {IssuerMessageError} if the message is not from the issuer, too old or unreadable
   */
  readonly readMessage: ((body: Buffer, headers: IncomingHttpHeaders) => ParsedIssuerMessage) | null;
}

export type IssuerCardState = 'active' | 'frozen' | 'closed';

interface IssuerCardStatus {
  /** The state at the issuer; null if the issuer does not store it. */
  readonly state: IssuerCardState | null;
  /** Whether the card was frozen through the portal. A frozen card without this mark was frozen by the issuer. */
  readonly isPortalFreeze: boolean;
}

interface CardSecret {
  /** Digits only. */
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
  /** US cents; negative for a refund. */
  readonly amount: bigint;
  readonly state: 'pending' | 'settled' | 'declined';
}

export interface CardTransactions {
  /** Newest first. */
  readonly transactions: readonly CardTransaction[];
  /** Whether these are all the card's transactions. */
  readonly isComplete: boolean;
}

export interface ParsedIssuerMessage {
  readonly id: string;
  readonly kind: string;
  /** The card that may have changed; null if the message is not about a card. */
  readonly issuerCardId: string | null;
  /** The payment or refund that the message reports, with its card; null if it reports neither. */
  readonly spend: (CardSpend & { readonly issuerCardId: string }) | null;
}

/** The details of an issuer's error for the log: codes only, no text from the request or the response. */
export interface IssuerErrorDetails {
  readonly kind: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly field: string | null;
  readonly requestId: string | null;
}

export abstract class IssuerError extends Error {
  readonly details: IssuerErrorDetails;
  constructor(details: IssuerErrorDetails) {
    super(details.kind);
    this.details = details;
  }
}

/** The issuer refused the call, and would refuse a retry too. Nothing was created or changed. */
export class IssuerRefusedError extends IssuerError {
  override readonly name = 'IssuerRefusedError';
}

/** The issuer did not respond in time. The call may have taken effect; a retry is safe. */
export class IssuerUnavailableError extends IssuerError {
  override readonly name = 'IssuerUnavailableError';
}

export class IssuerMessageError extends Error {
  override readonly name = 'IssuerMessageError';
}
