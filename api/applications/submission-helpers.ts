import { createHash, randomInt } from 'node:crypto';
import type { Request } from 'express';
import type { z } from 'zod';
import type { RateLimits } from '../../data/config/rate-limits.ts';
import { IDEMPOTENCY_HEADER } from '../../data/contract/paths.ts';
import { REFERENCE_SERIALS, referenceNumber } from '../../data/model/reference-number.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { SubmissionOptions, SubmissionOutcome } from '../../data/store/submission-port.ts';
import { quotaError } from '../documents/document-quotas.ts';
import { ApiError } from '../errors.ts';
import { errorMessage } from '../request-input.ts';
import type { CheckStake, StakeCheckResult } from '../verification/check-stake.ts';
import type { ReadProvenWallet } from '../wallet/proven-wallets.ts';
import { isAddress } from '../wallet-address.ts';

const HOUR_MS = 3_600_000;
/** How long responses are stored for clients that retry, for example after their machine was asleep. */
export const RESPONSE_RETENTION_HOURS = 48;
/** The limit on confirmation emails per mailbox and kind of form applies to a period of this many hours. */
const CONFIRMATION_WINDOW_HOURS = 24;
const MAX_MESSAGES = 8;
const IDEMPOTENCY_KEY = /^[\w-]{8,128}$/;

export interface SubmissionContext {
  readonly store: Pick<AppStore, 'submissions'>;
  readonly rateLimits: RateLimits;
  readonly now: () => number;
}

export interface WalletSubmissionContext extends SubmissionContext {
  readonly checkStake: CheckStake;
  readonly readProvenWallet: ReadProvenWallet;
}

/** Adds a missing full stop to each message except the last, which stays as the form shows it. */
function joinMessages(messages: readonly string[]): string {
  return messages
    .map((message, index) =>
      index === messages.length - 1 || message.endsWith('.') ? message : `${message}.`,
    )
    .join(' ');
}

/**
 * @throws {ApiError} `invalid-body` with up to `MAX_MESSAGES` messages about the invalid fields, but not their values
 * @throws {ApiError} `automated-form` if the hidden field is filled in
 */
export function readForm<Schema extends z.ZodType<{ readonly website?: string | undefined }>>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(body ?? {}, { reportInput: false });
  if (!parsed.success) {
    const messages = new Set(parsed.error.issues.map(errorMessage));
    throw new ApiError('invalid-body', { text: joinMessages([...messages].slice(0, MAX_MESSAGES)) });
  }
  if (parsed.data.website) throw new ApiError('automated-form');
  return parsed.data;
}

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * The hash of the path and the idempotency key; null if the request has no key.
 * @throws {ApiError} `invalid-idempotency-key`
 */
export function readIdempotencyKeyHash(request: Request): string | null {
  const key = request.get(IDEMPOTENCY_HEADER);
  if (key === undefined) return null;
  if (!IDEMPOTENCY_KEY.test(key)) throw new ApiError('invalid-idempotency-key');
  return sha256(`${request.path}\n${key}`);
}

/**
 * Identifies retries of a submission by path, idempotency key and parsed body. The parsed fields always have the contract's
 * order, so a retry gives the same hash. Null if the request has no key.
 * @throws {ApiError} `invalid-idempotency-key`
 */
function readIdempotency(request: Request, body: unknown): SubmissionOptions['idempotency'] {
  const keyHash = readIdempotencyKeyHash(request);
  return keyHash === null ? null : { keyHash, bodyHash: sha256(JSON.stringify(body)) };
}

type OptionsContext = Pick<SubmissionContext, 'now' | 'rateLimits'>;

/** @param answer the response without the reference number */
export const submissionOptions = (
  request: Request,
  body: unknown,
  answer: SubmissionOptions['answer'],
  context: OptionsContext,
): SubmissionOptions => optionsOf(readIdempotency(request, body), answer, context);

/** @param answer the response without the reference number */
export function optionsOf(
  idempotency: SubmissionOptions['idempotency'],
  answer: SubmissionOptions['answer'],
  context: OptionsContext,
): SubmissionOptions {
  const { from, below } = REFERENCE_SERIALS;
  const now = context.now();
  return {
    drawReference: () => referenceNumber(now, randomInt(from, below)),
    answer,
    idempotency,
    forgetAnswersBefore: now - RESPONSE_RETENTION_HOURS * HOUR_MS,
    confirmations: {
      limit: context.rateLimits['confirmations-of-email'],
      since: now - CONFIRMATION_WINDOW_HOURS * HOUR_MS,
    },
  };
}

/**
 * @param now Unix ms
 * @throws {ApiError} `idempotency-key-reused`, `document-quota`, `documents-full`
 */
export function submissionResponse(
  outcome: SubmissionOutcome,
  now: number,
): Readonly<Record<string, unknown>> {
  if (outcome.kind === 'key-reused') throw new ApiError('idempotency-key-reused');
  if (outcome.kind === 'over-quota') throw quotaError(outcome, now);
  if (outcome.kind === 'too-many')
    throw new RangeError('The store applied a limit per mailbox to a form that has none.');
  return outcome.answer;
}

/** @throws {ApiError} `invalid-body` unless the wallet is null or a Solana address */
export function checkOptionalAddress(walletAddress: string | null): void {
  if (walletAddress !== null && !isAddress(walletAddress)) {
    throw new ApiError('invalid-body', { text: 'Valid wallet address required' });
  }
}

/** Reads the stake of a form's wallet. If it cannot be read now, the form is accepted anyway, with the stake null. */
export async function readWallet(
  request: Request,
  walletAddress: string | null,
  { checkStake, readProvenWallet }: WalletSubmissionContext,
): Promise<{ readonly stake: StakeCheckResult | null; readonly isOwnershipProven: boolean }> {
  if (walletAddress === null) return { stake: null, isOwnershipProven: false };
  const proven = await readProvenWallet(request);
  const stake = await checkStake(walletAddress).catch((error) => {
    if (error instanceof ApiError && error.status === 503) return null;
    throw error;
  });
  return { stake, isOwnershipProven: proven?.walletAddress === walletAddress };
}
