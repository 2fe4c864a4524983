import { hash, verify } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import { BulkheadRejectedError, bulkhead } from 'cockatiel';
import { isLongEnough, PASSWORD_TOO_SHORT, usernameKey } from '../../data/model/admin-rules.ts';
import { ApiError } from '../errors.ts';

/**
 * Argon2id with the parameters of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane. It runs in Node's
 * thread pool and does not block requests.
 */
const COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** How many hashes may run and wait at a time, because other work shares the thread pool and the memory. */
const AT_ONCE = 2;
const WAITING = 24;

/** A hash of an unknown password, of the same cost: checking an unknown account takes as long. */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$85ayz+qgmd/FZ1qgJcK7QQ$dwWwSjssdezcPcrOBg6xpYoTODLzRBDwnGurAMVFa8Q';

/** Makes and checks password hashes, a few at a time. */
export class AdminPasswords {
  readonly #queue = bulkhead(AT_ONCE, WAITING);

  /** @returns the hash in PHC format. @throws {ApiError} `passwords-busy` */
  hash(password: string): Promise<string> {
    return this.#enqueue(() => hash(password, COST));
  }

  /**
   * Whether a password matches a hash. Without a hash it does not, and the check takes as long.
   * @throws {ApiError} `passwords-busy`
   */
  async isRight(passwordHash: string | null, password: string): Promise<boolean> {
    const isMatch = await this.#enqueue(() => verify(passwordHash ?? DUMMY_HASH, password));
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

/** In lower case. */
const COMMONEST: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** Obvious guesses for this portal; digits and punctuation around them do not help. */
const OF_THE_PORTAL: ReadonlySet<string> = new Set([
  'blackduck',
  'blackduckrwa',
  'blackduckportal',
  'blackduckadmin',
  'duckling',
  'bdtoken',
  'adminsetup',
]);

/**
 * Rejects a password that is too short, one of the commonest in any case, the username, or the name of the portal.
 * @throws {ApiError} `weak-password`
 */
export function requireStrength(password: string, username: string): void {
  if (!isLongEnough(password)) throw new ApiError('weak-password', { text: PASSWORD_TOO_SHORT });
  const typed = password.toLowerCase();
  const isUsername = usernameKey(password) === usernameKey(username);
  const isOfPortal = OF_THE_PORTAL.has(typed.replace(/[^a-z]/g, ''));
  if (COMMONEST.has(typed) || isUsername || isOfPortal) throw new ApiError('weak-password');
}
