import type { IndexIdentity } from './chain-rows.ts';

/** The index belongs to another chain, mint or pool than the one configured. */
export class StoreIdentityError extends Error {
  override readonly name = 'StoreIdentityError';
  /** What the index holds otherwise than it was claimed for; nothing where it was not claimed at all. */
  readonly differing: readonly (keyof IndexIdentity)[];

  constructor(message: string, differing: readonly (keyof IndexIdentity)[] = []) {
    super(message);
    this.differing = differing;
  }
}

/** The store file cannot be opened, read or written. Carries what to do. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** Every reference number that was drawn is given out already. */
export class ReferenceNumbersTakenError extends Error {
  override readonly name = 'ReferenceNumbersTakenError';
}
