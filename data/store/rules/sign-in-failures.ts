import type { AttemptCheck, AttemptRule } from '../admin-port.ts';
import { secretHash } from './secret-hash.ts';

/** The failed sign-ins of a subject, such as an account or an IP address. */
export interface FailureRow {
  readonly subjectHash: string;
  readonly failures: number;
  readonly lastAt: number;
  /** Attempts to which the subject's delay applies (see `AttemptRule`) are blocked until this time. */
  readonly blockedUntil: number;
  /** When the team was alerted to the attack on the account; null if the team was not alerted. */
  readonly alertedAt: number | null;
}

/**
 * A subject's failures that still count. If the clock was set back, the delay starts again from now, so that it does not get
 * longer.
 */
function currentFailures(
  row: FailureRow | null,
  { subject, delayAfter }: AttemptRule,
  now: number,
  forgetBefore: number,
): FailureRow {
  if (!row || row.lastAt < forgetBefore) {
    return { subjectHash: secretHash(subject), failures: 0, lastAt: now, blockedUntil: 0, alertedAt: null };
  }
  return row.lastAt <= now ? row : { ...row, lastAt: now, blockedUntil: now + delayAfter(row.failures) };
}

/**
 * Counts an attempt as failed, unless one of its subjects has a delay that blocks the attempt.
 * @param rowOf returns the stored failures of a subject
 * @returns the outcome, and the rows to store
 */
export function countAttempt(
  rules: readonly AttemptRule[],
  rowOf: (rule: AttemptRule) => FailureRow | null,
  now: number,
  forgetBefore: number,
): { readonly outcome: AttemptCheck; readonly rows: readonly FailureRow[] } {
  const rulesWithRows = rules.map((rule) => ({
    rule,
    row: currentFailures(rowOf(rule), rule, now, forgetBefore),
  }));
  const latestBlockedUntil = (blocks: boolean) =>
    Math.max(
      0,
      ...rulesWithRows.flatMap(({ rule, row }) => (rule.blocks === blocks ? [row.blockedUntil] : [])),
    );
  const blockedUntil = latestBlockedUntil(true);
  if (blockedUntil > now) {
    const rebased = rulesWithRows.flatMap(({ rule, row }) => ((rowOf(rule)?.lastAt ?? 0) > now ? [row] : []));
    return { outcome: { blockedUntil, isExempt: false }, rows: rebased };
  }
  const rows = rulesWithRows.map(({ rule, row }) => {
    const failures = row.failures + 1;
    return { ...row, failures, lastAt: now, blockedUntil: now + rule.delayAfter(failures) };
  });
  return { outcome: { blockedUntil: null, isExempt: latestBlockedUntil(false) > now }, rows };
}

export function withoutOneFailure(row: FailureRow, { delayAfter }: AttemptRule): FailureRow | null {
  const failures = row.failures - 1;
  return failures <= 0 ? null : { ...row, failures, blockedUntil: row.lastAt + delayAfter(failures) };
}
