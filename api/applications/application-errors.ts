import { IDEMPOTENCY_HEADER } from '../../data/contract/applications.ts';
import { ApiError } from '../errors.ts';

/** The field that people do not see was filled in. */
export class AutomatedFormError extends ApiError {
  override readonly name = 'AutomatedFormError';
  readonly status = 400;
  readonly code = 'automated-form';
  constructor() {
    super(
      'A hidden field of this form was filled in, as programs do. Turn off what fills in forms, and send it again.',
    );
  }
}

/** The key by which a form is known again is no key. */
export class InvalidIdempotencyKeyError extends ApiError {
  override readonly name = 'InvalidIdempotencyKeyError';
  readonly status = 400;
  readonly code = 'invalid-idempotency-key';
  constructor() {
    super(`Give ${IDEMPOTENCY_HEADER} as 8 to 128 letters, digits, hyphens or underscores, such as a UUID.`);
  }
}

/** The key was used for another form. */
export class IdempotencyKeyReusedError extends ApiError {
  override readonly name = 'IdempotencyKeyReusedError';
  readonly status = 422;
  readonly code = 'idempotency-key-reused';
  constructor() {
    super(
      `This ${IDEMPOTENCY_HEADER} was used for another form already. Send this one with a key of its own.`,
    );
  }
}

/** The mail address has sent as many forms as it may. */
export class TooManyFromAddressError extends ApiError {
  override readonly name = 'TooManyFromAddressError';
  readonly status = 429;
  readonly code = 'too-many-from-address';
  constructor(atMost: number, hours: number) {
    super(
      `This email address was used for ${atMost} submissions in the last ${hours} hours. Try again later; what was sent is being worked on.`,
      { 'Retry-After': String(hours * 3_600) },
    );
  }
}

/** A mail address was given for more looks than it may be, by whomever. */
export class TooManyLooksError extends ApiError {
  override readonly name = 'TooManyLooksError';
  readonly status = 429;
  readonly code = 'too-many-requests';
  constructor(retryAfterSeconds: number) {
    super(`Too many looks with this email address. Look again in ${retryAfterSeconds} seconds.`, {
      'Retry-After': String(retryAfterSeconds),
    });
  }
}

/** No submission has this reference number together with this mail address. */
export class UnknownSubmissionError extends ApiError {
  override readonly name = 'UnknownSubmissionError';
  readonly status = 404;
  readonly code = 'unknown-submission';
  constructor() {
    super(
      'Nothing was found for this reference number and email address. Check both against the confirmation email.',
    );
  }
}
