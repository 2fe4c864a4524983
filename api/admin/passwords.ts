import { BulkheadRejectedError, bulkhead } from 'cockatiel';
import { isLongEnough, PASSWORD_TOO_SHORT } from '../../data/model/admin-rules.ts';
import { ApiError } from '../errors.ts';

/**
 * Argon2id with the parameters of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane. It runs in Node's
 * thread pool and does not block requests.
 */
const ARGON2_OPTIONS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const loadArgon2 = () => import('@node-rs/argon2');

/** How many hashes may be computed at a time, and how many more may wait. Hashing shares threads and memory with other work. */
const MAX_RUNNING = 2;
const MAX_WAITING = 24;

/** A hash of a random password. It makes a sign-in with an unknown username take as long as one with a known username. */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$85ayz+qgmd/FZ1qgJcK7QQ$dwWwSjssdezcPcrOBg6xpYoTODLzRBDwnGurAMVFa8Q';

export class PasswordHasher {
  readonly #queue = bulkhead(MAX_RUNNING, MAX_WAITING);

  /** @returns the hash in PHC string format. @throws {ApiError} `passwords-busy` */
  hash(password: string): Promise<string> {
    return this.#enqueue(async () => (await loadArgon2()).hash(password, ARGON2_OPTIONS));
  }

  /**
   * Whether a password matches a hash. If the hash is null, returns false, but takes as long as a real check.
   * @throws {ApiError} `passwords-busy`
   */
  async isCorrect(passwordHash: string | null, password: string): Promise<boolean> {
    const isMatch = await this.#enqueue(async () =>
      (await loadArgon2()).verify(passwordHash ?? DUMMY_HASH, password),
    );
    return isMatch && passwordHash !== null;
  }

  async #enqueue<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#queue.execute(work);
    } catch (error) {
      throw error instanceof BulkheadRejectedError ? new ApiError('passwords-busy', { cause: error }) : error;
    }
  }
}

/** @throws {ApiError} `weak-password` if the password is too short or easy to guess */
export async function requireStrength(password: string, username: string): Promise<void> {
  if (!isLongEnough(password)) throw new ApiError('weak-password', { text: PASSWORD_TOO_SHORT });
  const { isGuessable } = await import('./password-strength.ts');
  if (isGuessable(password, username)) throw new ApiError('weak-password');
}

/** @throws {ApiError} `username-reserved` */
export async function requireUnreservedName(username: string): Promise<void> {
  const { isReservedName } = await import('../../data/model/look-alikes.ts');
  if (isReservedName(username)) throw new ApiError('username-reserved');
}

/** @throws {ApiError} `username-reserved`, `weak-password` */
export async function requireAllowedCredentials(username: string, password: string): Promise<void> {
  await requireUnreservedName(username);
  await requireStrength(password, username);
}
