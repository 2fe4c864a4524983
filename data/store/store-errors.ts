import type { IndexIdentity } from './chain-rows.ts';

/** The index belongs to a different chain, mint or pool than the configured one, or to none yet. */
export class StoreIdentityError extends Error {
  override readonly name = 'StoreIdentityError';
  /** The fields that differ; empty when the index was not claimed. */
  readonly differing: readonly (keyof IndexIdentity)[];

  constructor(message: string, differing: readonly (keyof IndexIdentity)[] = []) {
    super(message);
    this.differing = differing;
  }
}

/** The store file cannot be opened, read or written. The message says what an operator can do. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
