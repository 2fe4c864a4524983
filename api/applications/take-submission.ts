import { randomInt } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { FIELD_WORDS } from '../../data/model/application-rules.ts';
import { REFERENCE_SERIALS, referenceNumber } from '../../data/model/reference-number.ts';
import type {
  ApplicationStore,
  SubmissionOutcome,
  SubmissionTerms,
} from '../../data/store/application-port.ts';
import { ApiError, InvalidBodyError } from '../errors.ts';
import type { CheckStake, StakeCheck } from '../verification/check-stake.ts';
import type { ReadProvenWallet } from '../wallet/proven-wallet.ts';
import { isAddress } from '../wallet-address.ts';
import { IdempotencyKeyReusedError, TooManyFromAddressError } from './application-errors.ts';
import { readIdempotency } from './idempotency.ts';

const HOUR_MS = 3_600_000;
/** A client that lost the answer asks again within minutes, one that slept over night within a day. */
export const ANSWERS_KEPT_HOURS = 48;
/** Each submission sends a mail to whoever's address it names: so no one can be flooded through a form. */
const RECIPIENT_AT_MOST = 5;
const RECIPIENT_HOURS = 24;

/** Submissions of one address a minute. */
export const SUBMISSIONS_PER_MINUTE = 10;

/** What the calls that take submissions work with. */
export interface SubmissionDependencies {
  readonly store: ApplicationStore;
  readonly checkStake: CheckStake;
  readonly readProvenWallet: ReadProvenWallet;
  readonly now: () => number;
  /** Counts the submissions of one address, of all kinds together. */
  readonly limit: RequestHandler;
}

/** How one submission is taken: by whose key, with which answer. */
export function submissionTerms(
  request: Request,
  body: unknown,
  answer: SubmissionTerms['answer'],
  now: number,
): SubmissionTerms {
  const { from, below } = REFERENCE_SERIALS;
  return {
    drawReference: () => referenceNumber(now, randomInt(from, below)),
    answer,
    idempotency: readIdempotency(request, body),
    forgetAnswersBefore: now - ANSWERS_KEPT_HOURS * HOUR_MS,
    perRecipient: { atMost: RECIPIENT_AT_MOST, since: now - RECIPIENT_HOURS * HOUR_MS },
  };
}

/**
 * The answer to a submission, the first or a repeated one.
 * @throws {IdempotencyKeyReusedError} {TooManyFromAddressError}
 */
export function answerOf(outcome: SubmissionOutcome): Readonly<Record<string, unknown>> {
  switch (outcome.kind) {
    case 'key-reused':
      throw new IdempotencyKeyReusedError();
    case 'too-many':
      throw new TooManyFromAddressError(RECIPIENT_AT_MOST, RECIPIENT_HOURS);
    default:
      return outcome.answer;
  }
}

/** @throws {InvalidBodyError} where a wallet is named that is no address. */
export function checkWallet(walletAddress: string | null): void {
  if (walletAddress !== null && !isAddress(walletAddress)) {
    throw new InvalidBodyError(FIELD_WORDS.walletAddress);
  }
}

/** What the portal reads of a wallet's stake, or null where it cannot: a submission is taken either way. */
export async function stakeIfReadable(
  checkStake: CheckStake,
  walletAddress: string | null,
): Promise<StakeCheck | null> {
  if (walletAddress === null) return null;
  try {
    return await checkStake(walletAddress);
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return null;
    throw error;
  }
}

/** Whether the sender has proved that the wallet is theirs. The proof of another wallet is none. */
export async function hasProved(
  readProvenWallet: ReadProvenWallet,
  request: Request,
  walletAddress: string | null,
): Promise<boolean> {
  const proven = await readProvenWallet(request);
  return proven !== null && proven.walletAddress === walletAddress;
}
