import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { IDEMPOTENCY_HEADER } from '../../data/contract/applications.ts';
import type { SubmissionTerms } from '../../data/store/application-port.ts';
import { InvalidIdempotencyKeyError } from './application-errors.ts';

const KEY = /^[\w-]{8,128}$/;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * By what a submission is known when it is sent again: its key, for one path, and the body as the contract read it, whose
 * fields stand in the contract's order however they were sent. Null where it was sent without a key.
 * @throws {InvalidIdempotencyKeyError} where the key is none.
 */
export function readIdempotency(request: Request, body: unknown): SubmissionTerms['idempotency'] {
  const key = request.get(IDEMPOTENCY_HEADER);
  if (key === undefined) return null;
  if (!KEY.test(key)) throw new InvalidIdempotencyKeyError();
  return { keyHash: sha256(`${request.path}\n${key}`), bodyHash: sha256(JSON.stringify(body)) };
}
