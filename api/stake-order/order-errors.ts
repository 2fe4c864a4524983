import { ApiError } from '../errors.ts';

/** The wallet holds less BD than it is to stake. */
export class TooLittleBdError extends ApiError {
  override readonly name = 'TooLittleBdError';
  readonly status = 409;
  readonly code = 'too-little-bd';
}

/** The wallet cannot pay the network's fee, or lay down what the new accounts need. */
export class TooLittleSolError extends ApiError {
  override readonly name = 'TooLittleSolError';
  readonly status = 409;
  readonly code = 'too-little-sol';
}

/** The chain would not carry the stake out, or did not. */
export class StakeRefusedError extends ApiError {
  override readonly name = 'StakeRefusedError';
  readonly status = 409;
  readonly code = 'stake-refused';
}

/** The transaction was not sent before its time was over. */
export class StakeTooOldError extends ApiError {
  override readonly name = 'StakeTooOldError';
  readonly status = 409;
  readonly code = 'stake-too-old';
  constructor() {
    super('The transaction was signed too late and was not sent: nothing was staked. Start again.');
  }
}

/** What was handed in is not a signed stake that this portal builds. */
export class NotOurStakeError extends ApiError {
  override readonly name = 'NotOurStakeError';
  readonly status = 409;
  readonly code = 'not-a-stake-of-this-portal';
}

/** No endpoint said that it took the transaction; one may have all the same. */
export class StakeUnsentError extends ApiError {
  override readonly name = 'StakeUnsentError';
  readonly status = 503;
  readonly code = 'stake-not-surely-sent';
  constructor(options?: ErrorOptions) {
    super(
      'The chain could not be reached in time, so it is not sure whether the stake was sent. Sending the same signed ' +
        'transaction again is safe: it is carried out once at most.',
      { 'Retry-After': '2' },
      options,
    );
  }
}
