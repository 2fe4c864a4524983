import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { usernameKey } from '../../data/model/admin-rules.ts';
import type { AdminCredentials, AttemptRule } from '../../data/store/admin-port.ts';
import { ApiError } from '../errors.ts';
import { clientAddress } from '../security/rate-limit.ts';
import type { AdminContext } from './admin-context.ts';
import { RECOGNITION_PERIOD_MS } from './device-mark.ts';

const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 15 * 60_000;
const FORGOTTEN_AFTER_MS = 24 * 60 * 60_000;

/**
 * Returns a function that computes the delay in ms: 0 for fewer than `freeFailures` failures, then doubling up to
 * `MAX_DELAY_MS`.
 */
export function doublingDelay(freeFailures: number): (failures: number) => number {
  return (failures) =>
    failures < freeFailures ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - freeFailures));
}

/**
 * An attempt that counts as failed until it has been checked. It is added to several counts. Its "own" count is the most
 * specific one: per browser, per account and address, or per admin for identity proofs.
 */
export interface CountedAttempt {
  /** Whether the attempt needs a valid second factor, because the account is under attack. */
  readonly needsFactor: boolean;
  /**
   * Call this if the password was right. The attempt then also counts as a guess of the code, unless the browser or the
   * address is known.
   * @returns false while guesses of the account's code are delayed
   */
  countCode(): Promise<boolean>;
  /** Removes the attempt from every count that includes it. */
  forgive(): Promise<void>;
  /** Removes the attempt from all counts but that of `ownRule`, because its password was right. */
  forgiveOthers(): Promise<void>;
  /** Removes the attempt from all its counts, and every earlier failure from the count of `ownRule`. */
  succeed(): Promise<void>;
  /** Alerts the team if the account's failures now count as an attack. */
  fail(): Promise<void>;
}

/**
 * Counts an account's failed sign-ins across all IP addresses. Unknown usernames have counts too. A new password starts a new
 * count.
 * @param blocks whether this count may delay the attempt
 */
function accountRule(
  username: string,
  account: Pick<AdminCredentials, 'passwordHash'> | null,
  { rateLimits }: AdminContext,
  blocks: boolean,
): AttemptRule {
  return {
    subject: `account:${usernameKey(username)} ${account?.passwordHash ?? ''}`,
    delayAfter: doublingDelay(rateLimits['failed-sign-ins-of-account']),
    blocks,
  };
}

const PASSWORD_ATTACK = {
  action: 'admin.sign-in-attack',
  logMessage: 'someone is guessing an admin’s password',
  subject: 'Someone is guessing an admin’s password',
  textFor: (failures: number) =>
    `${failures} sign-ins to one admin account failed within a day. Sign-ins to it from unknown IP addresses and browsers now have to wait. The admin can still sign in from an IP address or browser that they have used before, or with a second-factor code unless codes are being guessed too. In the audit trail, the record admin.sign-in-attack names the account, and the records after it name the IP addresses.`,
};
const CODE_ATTACK = {
  action: 'admin.code-attack',
  logMessage: 'someone has an admin’s password and is guessing the code',
  subject: 'Someone has an admin’s password',
  textFor: (failures: number) =>
    `${failures} sign-ins to one admin account had the right password but a wrong second-factor code within a day. Someone else has the password: the admin must change it now. Until then, sign-ins with a code from unknown IP addresses and browsers are refused most of the time. The admin can still sign in from an IP address or browser that they have used before, or with a passkey alone. In the audit trail, the record admin.code-attack names the account, and the records before it name the IP addresses.`,
};

/**
 * Counts an attempt under each of the rules.
 * @param rules the first one, `ownRule`, is for the attempt's own count (see `CountedAttempt`)
 * @param wholeAccountRule the rule whose count decides whether the account is under attack
 * @param codeRule counts guesses of the code after the right password; null if they are not counted separately
 * @throws {ApiError} `too-many-attempts`
 */
async function countAttempt(
  [ownRule, ...moreRules]: readonly [AttemptRule, ...AttemptRule[]],
  wholeAccountRule: AttemptRule,
  codeRule: AttemptRule | null,
  account: Pick<AdminCredentials, 'id'> | null,
  { store, now, rateLimits, log, alertTeam }: AdminContext,
): Promise<CountedAttempt & { readonly isExempt: boolean }> {
  const otherRules = [...moreRules, wholeAccountRule];
  const rules = [ownRule, ...otherRules];
  const at = now();
  const { blockedUntil, isExempt } = await store.countAttempt(rules, at, at - FORGOTTEN_AFTER_MS);
  if (blockedUntil !== null)
    throw new ApiError('too-many-attempts', { seconds: Math.ceil((blockedUntil - at) / 1_000) });
  let [attackedRule, attack] = [wholeAccountRule, PASSWORD_ATTACK];
  return {
    isExempt,
    needsFactor: false,
    countCode: async () => {
      if (!codeRule) return true;
      [attackedRule, attack] = [codeRule, CODE_ATTACK];
      const codeCheck = await store.countAttempt([codeRule], at, at - FORGOTTEN_AFTER_MS);
      if (codeCheck.blockedUntil !== null) return false;
      rules.push(codeRule);
      return true;
    },
    forgive: () => store.forgiveAttempt(rules),
    forgiveOthers: () => store.forgiveAttempt(otherRules),
    succeed: async () => {
      await store.forgiveAttempt(rules);
      await store.forgetFailures(ownRule.subject);
    },
    fail: async () => {
      if (!account) return;
      const failures = rateLimits['failed-sign-ins-of-account'];
      const details = { adminId: account.id, failures };
      const { action, logMessage, subject, textFor } = attack;
      const record = { id: randomUUID(), at: now(), actor: 'system', action, details };
      if (!(await store.flagAttack(attackedRule.subject, failures, record))) return;
      log.warn(details, logMessage);
      alertTeam({ subject, text: textFor(failures) });
    },
  };
}

/**
 * Counts an attempt to sign in. These counts can delay it:
 * - A browser that signed in before has its own count. No other count can delay it.
 * - Any other attempt has a count for the account and address together, and a count for the address.
 * - An attempt from an unknown address, without a code or a passkey, can also be delayed by the account's count.
 * So a stranger cannot slow down a known browser. A stranger at another address cannot slow down an admin who uses a known
 * address, a code or a passkey. There is one exception: a stranger who knows the password can slow down sign-ins with a code
 * from unknown addresses and browsers. Without that delay, the stranger could guess a code within days.
 * @throws {ApiError} `too-many-attempts` during the delay. Such an attempt is not counted, so it does not extend the delay.
 */
export async function countSignInAttempt(
  { username, account, hasCode }: { username: string; account: AdminCredentials | null; hasCode: boolean },
  request: Request,
  context: AdminContext,
): Promise<CountedAttempt> {
  const { store, now, rateLimits, deviceMarks } = context;
  const delayAfter = doublingDelay(rateLimits['failed-sign-ins']);
  const device = account && deviceMarks.read(request, account);
  if (device !== null) {
    const ownRule: AttemptRule = { subject: `device:${device}`, delayAfter, blocks: true };
    return countAttempt([ownRule], accountRule(username, account, context, false), null, account, context);
  }
  const address = clientAddress(request);
  const isKnownAddress =
    account !== null && (await store.isKnownAddress(account.id, address, now() - RECOGNITION_PERIOD_MS));
  const wholeAccountRule = accountRule(username, account, context, !isKnownAddress && !hasCode);
  const ownRule: AttemptRule = {
    subject: `account:${wholeAccountRule.subject} ${address}`,
    delayAfter,
    blocks: true,
  };
  const addressRule: AttemptRule = {
    subject: `address:${address}`,
    delayAfter: doublingDelay(rateLimits['failed-sign-ins-of-address']),
    blocks: true,
  };
  const codeRule: AttemptRule | null =
    account && !isKnownAddress
      ? {
          subject: `codes:${account.id} ${account.passwordHash}`,
          delayAfter: wholeAccountRule.delayAfter,
          blocks: true,
        }
      : null;
  const attempt = await countAttempt([ownRule, addressRule], wholeAccountRule, codeRule, account, context);
  return { ...attempt, needsFactor: attempt.isExempt && !isKnownAddress };
}

/**
 * Counts a signed-in admin's attempt to prove their identity again. Attempts by others cannot block it.
 * @throws {ApiError} `too-many-attempts`
 */
export async function countProofAttempt(
  account: AdminCredentials,
  context: AdminContext,
): Promise<CountedAttempt> {
  const ownRule: AttemptRule = {
    subject: `proof:${account.id}`,
    delayAfter: doublingDelay(context.rateLimits['failed-sign-ins']),
    blocks: true,
  };
  const wholeAccountRule = accountRule(account.username, account, context, false);
  return countAttempt([ownRule], wholeAccountRule, null, account, context);
}
