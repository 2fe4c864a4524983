import type { Request } from 'express';
import { usernameKey } from '../../data/model/admin-rules.ts';
import type { AttemptRule, AttemptSubject } from '../../data/store/admin-port.ts';
import { clientAddress } from '../security/client-address.ts';
import type { AdminDesk } from './admin-desk.ts';
import { TooManyAttemptsError } from './admin-errors.ts';

/** Failures that are forgiven before the first delay. An address may be a whole office. */
const FREE_FOR_ACCOUNT = 4;
const FREE_FOR_ADDRESS = 12;
const FIRST_DELAY = 2_000;
const LONGEST_DELAY = 15 * 60_000;
/** Milliseconds after which failures are forgotten. */
const FORGOTTEN_AFTER = 24 * 60 * 60_000;

/** Milliseconds of delay: none at first, then twice as long with each failure, up to a quarter of an hour. */
export function delayAfter(free: number): (failures: number) => number {
  return (failures) =>
    failures < free ? 0 : Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(failures - free, 30));
}

const delayOfAccount = delayAfter(FREE_FOR_ACCOUNT);
const delayOfAddress = delayAfter(FREE_FOR_ADDRESS);

/** The subject that counts the attempts on an account, whether there is one or not. */
export function accountSubject(username: string): AttemptSubject {
  return `account:${usernameKey(username)}`;
}

/** One attempt that was counted as failed before it was checked. */
export interface CountedAttempt {
  /** Takes the count back: it was no failure. */
  forgive(): Promise<void>;
  /** It succeeded: every failure of the account is forgotten too. */
  succeed(): Promise<void>;
}

/**
 * Counts an attempt at an account from an address.
 * @throws {TooManyAttemptsError} where it comes too early; it is not counted then, so that asking again prolongs nothing.
 */
export async function countAttempt(
  username: string,
  request: Request,
  { store, now }: Pick<AdminDesk, 'store' | 'now'>,
): Promise<CountedAttempt> {
  const subject = accountSubject(username);
  const rules: readonly AttemptRule[] = [
    { subject, delayAfter: delayOfAccount },
    { subject: `address:${clientAddress(request)}`, delayAfter: delayOfAddress },
  ];
  const at = now();
  const blockedUntil = await store.countAttempt(rules, at, at - FORGOTTEN_AFTER);
  if (blockedUntil !== null) throw new TooManyAttemptsError(Math.ceil((blockedUntil - at) / 1_000));
  const forgive = () => store.forgiveAttempt(rules);
  return {
    forgive,
    succeed: async () => {
      await forgive();
      await store.forgetFailures(subject);
    },
  };
}
