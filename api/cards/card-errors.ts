import { toDecimalText } from '../../data/model/amounts.ts';
import { CARD_LIMIT } from '../../data/model/card-terms.ts';
import { nextCardTier } from '../../data/model/tiers.ts';
import { ApiError } from '../errors.ts';
import type { StakeCheck } from '../verification/check-stake.ts';

/** The faults of calls about cards. */

/** Seconds after which asking the issuer again is worth it. */
const ISSUER_RETRY_SECONDS = 10;

/** No wallet is proved, or another one than the call is about. */
export class WalletNotProvedError extends ApiError {
  override readonly name = 'WalletNotProvedError';
  readonly status = 401;
  readonly code = 'wallet-not-proved';
  constructor() {
    super('Prove first that this wallet is yours: connect it and sign the message.');
  }
}

/** The wallet was proved too long ago for this. */
export class FreshProofNeededError extends ApiError {
  override readonly name = 'FreshProofNeededError';
  readonly status = 401;
  readonly code = 'fresh-proof-needed';
  constructor() {
    super('Sign again with this wallet: showing a card’s number takes a proof of the last minutes.');
  }
}

const MINIMUM = 'MINIMUM 1,500,000 BD TOKENS REQUIRED FOR STAKING';

function hintOf({ staked, decimals, detectionMethod }: StakeCheck): string {
  const next = nextCardTier(staked, decimals);
  if (detectionMethod === 'token_account_analysis' || staked === 0n || !next) {
    return 'Must stake 1,500,000 BD tokens for virtual card eligibility';
  }
  // Never rounded: a stake that is one base unit short must not read as one that misses nothing.
  const [whole = '0', fraction] = toDecimalText(next.missing, decimals).split('.');
  const grouped = BigInt(whole).toLocaleString('en-US');
  return `Need ${fraction === undefined ? grouped : `${grouped}.${fraction}`} more BD staked`;
}

/** The stake does not earn a card at this moment. */
export class StakeTooSmallError extends ApiError {
  override readonly name = 'StakeTooSmallError';
  readonly status = 403;
  readonly code = 'insufficient-staking';
  constructor(found: StakeCheck) {
    super(`${MINIMUM}. ${hintOf(found)}.`);
  }
}

/** The wallet has a card. */
export class HasCardError extends ApiError {
  override readonly name = 'HasCardError';
  readonly status = 409;
  readonly code = 'has-card';
  constructor() {
    super('This wallet has a virtual card already. Show it again instead of making another.');
  }
}

/** Every card is given out. */
export class NoCardsLeftError extends ApiError {
  override readonly name = 'NoCardsLeftError';
  readonly status = 409;
  readonly code = 'no-cards-left';
  constructor() {
    super(`All ${CARD_LIMIT} virtual cards are given out.`);
  }
}

/** Something is being done with this wallet's card. */
export class CardBusyError extends ApiError {
  override readonly name = 'CardBusyError';
  readonly status = 409;
  readonly code = 'card-busy';
  constructor() {
    super('Something is being done with this wallet’s card right now. Look again in a few seconds.', {
      'Retry-After': '2',
    });
  }
}

/** The card is not made yet. */
export class CardPendingError extends ApiError {
  override readonly name = 'CardPendingError';
  readonly status = 409;
  readonly code = 'card-pending';
  constructor() {
    super('This card is not made yet. Ask for it again, and it is brought to an end.');
  }
}

/** The card is closed, which is final. */
export class CardClosedError extends ApiError {
  override readonly name = 'CardClosedError';
  readonly status = 409;
  readonly code = 'card-closed';
  constructor() {
    super('This card is closed.');
  }
}

/** The card was frozen at the issuer: its holder cannot undo that. */
export class FrozenByIssuerError extends ApiError {
  override readonly name = 'FrozenByIssuerError';
  readonly status = 409;
  readonly code = 'frozen-by-issuer';
  constructor() {
    super('This card was frozen by the team or the card issuer, not by you. Ask the support.');
  }
}

/** The wallet has no card, or none of that name. */
export class NoSuchCardError extends ApiError {
  override readonly name = 'NoSuchCardError';
  readonly status = 404;
  readonly code = 'no-such-card';
  constructor() {
    super('This wallet has no such card.');
  }
}

/** The issuer says no to what was asked. */
export class IssuerSaysNoError extends ApiError {
  override readonly name = 'IssuerSaysNoError';
  readonly status = 502;
  readonly code = 'issuer-refused';
}

/** No card was made, since the issuer takes the order not. */
export function cardRefused(field: string | null, options: ErrorOptions): IssuerSaysNoError {
  const why =
    field !== null && /name/.test(field)
      ? 'The card issuer does not take this name. Write it in plain letters, as it is to stand on the card.'
      : 'The card issuer refused it. Ask the support.';
  return new IssuerSaysNoError(`Unable to create virtual card. ${why}`, {}, options);
}

/** The issuer did not answer in time, or not now. */
export class IssuerSilentError extends ApiError {
  override readonly name = 'IssuerSilentError';
  readonly status = 502;
  readonly code = 'issuer-unavailable';
  constructor(message: string, options?: ErrorOptions) {
    super(message, { 'Retry-After': String(ISSUER_RETRY_SECONDS) }, options);
  }
}

/** The card is made, and what stands on it could not be read. */
export class CardNotToldError extends ApiError {
  override readonly name = 'CardNotToldError';
  readonly status = 502;
  readonly code = 'card-made-not-told';
  constructor(options?: ErrorOptions) {
    super(
      'Your card is made, and its number could not be read right now. Show it again in a minute.',
      {},
      options,
    );
  }
}

/** The card was made by an issuer that this installation does not ask. */
export class OtherIssuerError extends ApiError {
  override readonly name = 'OtherIssuerError';
  readonly status = 502;
  readonly code = 'other-issuer';
  constructor() {
    super('This card was made by an issuer that this portal does not ask any more. Ask the support.');
  }
}

/** The wallet asked more often than the limit allows. */
export class TooManyForWalletError extends ApiError {
  override readonly name = 'TooManyForWalletError';
  readonly status = 429;
  readonly code = 'too-many-requests';
  constructor(retryAfterSeconds: number) {
    super(`Too many requests for this wallet. Ask again in ${retryAfterSeconds} seconds.`, {
      'Retry-After': String(retryAfterSeconds),
    });
  }
}

/** A message that is not the issuer's, or too old. */
export class MessageRefusedError extends ApiError {
  override readonly name = 'MessageRefusedError';
  readonly status = 400;
  readonly code = 'message-refused';
}

/** The issuer of this installation sends no messages. */
export class NoMessagesError extends ApiError {
  override readonly name = 'NoMessagesError';
  readonly status = 404;
  readonly code = 'no-issuer-messages';
  constructor() {
    super('The card issuer of this portal sends no messages.');
  }
}
