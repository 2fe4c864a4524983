import { hash, verify } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import { BulkheadRejectedError, bulkhead } from 'cockatiel';
import { isLongEnough, usernameKey } from '../../data/model/admin-rules.ts';
import { CommonPasswordError, PasswordsBusyError, ShortPasswordError } from './admin-errors.ts';

/**
 * Argon2id with what OWASP's Password Storage Cheat Sheet asks for: 19 MiB, two passes, one lane. It runs in Node's
 * thread pool, so that requests go on being answered.
 */
const COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Passwords checked at one time, and those that may wait: the pool and its memory are for other work too. */
const AT_ONCE = 2;
const WAITING = 24;

/** A hash of no password that anyone knows, with the same cost: checking an unknown account takes as long. */
export const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$85ayz+qgmd/FZ1qgJcK7QQ$dwWwSjssdezcPcrOBg6xpYoTODLzRBDwnGurAMVFa8Q';

/** Checks and makes password hashes, a few at a time. */
export class AdminPasswords {
  readonly #turns = bulkhead(AT_ONCE, WAITING);

  /** In PHC form. @throws {PasswordsBusyError} */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(password, COST));
  }

  /**
   * Whether a password is the one of a hash; never of none, after the same time.
   * @throws {PasswordsBusyError}
   */
  async isRight(passwordHash: string | null, password: string): Promise<boolean> {
    const isMatch = await this.#inTurn(() => verify(passwordHash ?? NOBODYS_HASH, password));
    return isMatch && passwordHash !== null;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#turns.execute(work);
    } catch (error) {
      throw error instanceof BulkheadRejectedError ? new PasswordsBusyError({ cause: error }) : error;
    }
  }
}

/** In lower case, as the list is. */
const COMMONEST: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** What everyone would try here first, with whatever digits and signs around it. */
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
 * Refuses a password that is too easy to guess: too short, one of the commonest in any case, the username, or the name
 * of the portal.
 * @throws {ShortPasswordError} {CommonPasswordError}
 */
export function requireStrength(password: string, username: string): void {
  if (!isLongEnough(password)) throw new ShortPasswordError();
  const typed = password.toLowerCase();
  const isUsername = usernameKey(password) === usernameKey(username);
  const isOfPortal = OF_THE_PORTAL.has(typed.replace(/[^a-z]/g, ''));
  if (COMMONEST.has(typed) || isUsername || isOfPortal) throw new CommonPasswordError();
}
