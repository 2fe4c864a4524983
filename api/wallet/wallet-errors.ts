import { ApiError } from '../errors.ts';

/** What was handed in proves nothing. Which part of it failed is not told: whoever forges one learns nothing by trying. */
export class ProofRefusedError extends ApiError {
  override readonly name = 'ProofRefusedError';
  readonly status = 401;
  readonly code = 'proof-refused';
  constructor() {
    super(
      'The signature does not prove that the wallet is yours: the message is not the one that was asked for, was used ' +
        'already, is older than five minutes, or another account signed it. Ask for a new message and sign it with this wallet.',
    );
  }
}
