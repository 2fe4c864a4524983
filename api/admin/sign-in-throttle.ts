import type { Request } from 'express';
import { usernameKey } from '../../data/model/admin-rules.ts';
import type { AttemptRule, AttemptSubject } from '../../data/store/admin-port.ts';
import { ApiError } from '../errors.ts';
import { clientAddress } from '../security/rate-limit.ts';
import type { AdminContext } from './admin-context.ts';

const FIRST_DELAY = 2_000;
const MAX_DELAY = 15 * 60_000;
/** Milliseconds after which failures are forgotten. */
const FORGOTTEN_AFTER = 24 * 60 * 60_000;

/** The delay in milliseconds: none for fewer than `free` failures, then doubling up to `MAX_DELAY`. */
export function delayAfter(free: number): (failures: number) => number {
  return (failures) => (failures < free ? 0 : Math.min(MAX_DELAY, FIRST_DELAY * 2 ** (failures - free)));
}

/** The key under which attempts on an account are counted, whether or not the account exists. */
export function accountSubject(username: string): AttemptSubject {
  return `account:${usernameKey(username)}`;
}

/** An attempt that counts as failed until its check is done. */
export interface CountedAttempt {
  /** Removes the attempt from the count. */
  forgive(): Promise<void>;
  /** Removes the attempt from the count of the address, because the password was right. */
  forgiveAddress(): Promise<void>;
  /** Removes the attempt and every failure on the account from the count. */
  succeed(): Promise<void>;
}

/**
 * Counts an attempt to sign in to an account from an address.
 * @throws {ApiError} `too-many-attempts` during the delay. Such an attempt is not counted, so it does not extend the delay.
 */
export async function countAttempt(
  username: string,
  request: Request,
  { store, now, rateLimits }: Pick<AdminContext, 'store' | 'now' | 'rateLimits'>,
): Promise<CountedAttempt> {
  const subject = accountSubject(username);
  const ofAddress: AttemptRule = {
    subject: `address:${clientAddress(request)}`,
    delayAfter: delayAfter(rateLimits['failed-sign-ins-of-address']),
  };
  const rules = [{ subject, delayAfter: delayAfter(rateLimits['failed-sign-ins']) }, ofAddress];
  const at = now();
  const blockedUntil = await store.countAttempt(rules, at, at - FORGOTTEN_AFTER);
  if (blockedUntil !== null)
    throw new ApiError('too-many-attempts', { seconds: Math.ceil((blockedUntil - at) / 1_000) });
  const forgive = () => store.forgiveAttempt(rules);
  return {
    forgive,
    forgiveAddress: () => store.forgiveAttempt([ofAddress]),
    succeed: async () => {
      await forgive();
      await store.forgetFailures(subject);
    },
  };
}
