import type { AdminRole } from '../../model/admin-rules.ts';
import type { AdminAccount, AdminCredentials, SecondFactor } from '../admin-port.ts';

/** A session's `lastSeenAt` is updated at most this often (ms), so that not every request causes a write. */
export const SEEN_INTERVAL_MS = 10_000;

export interface AdminRow {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  readonly passwordHash: string;
  readonly role: AdminRole;
  readonly totpSecret: Buffer | null;
  readonly totpConfirmedAt: number | null;
  readonly totpLastStep: number | null;
  readonly createdAt: number;
  readonly disabledAt: number | null;
  readonly passkeys: number;
}

export function toAccount(row: AdminRow): AdminAccount {
  const { id, username, email, role, createdAt, disabledAt, passkeys } = row;
  const hasTotp = row.totpConfirmedAt !== null;
  return { id, username, email, role, createdAt, disabledAt, hasTotp, passkeys };
}

export function toCredentials(row: AdminRow | null | undefined): AdminCredentials | null {
  if (!row) return null;
  const { passwordHash, totpSecret, totpConfirmedAt: confirmedAt, totpLastStep: lastStep } = row;
  const totp = totpSecret && { sealedSecret: totpSecret, confirmedAt, lastStep };
  return { ...toAccount(row), passwordHash, totp };
}

export const needsSecondFactor = ({
  hasTotp,
  passkeys,
}: Pick<AdminAccount, 'hasTotp' | 'passkeys'>): boolean => hasTotp || passkeys > 0;

/**
 * Whether the account still accepts a sign-in whose password was checked against `passwordHash`. A required second factor only
 * has to be present here: the caller consumes it afterwards, which fails if it was already used.
 */
export function maySignIn(
  account: AdminCredentials | null,
  {
    passwordHash,
    secondFactor,
  }: { readonly passwordHash: string; readonly secondFactor: SecondFactor | null },
): account is AdminCredentials {
  return (
    account !== null &&
    account.disabledAt === null &&
    account.passwordHash === passwordHash &&
    (secondFactor !== null || !needsSecondFactor(account))
  );
}

/** Whether the account is an owner who may sign in. The last such owner cannot be demoted or deactivated. */
export const isActiveOwner = ({ role, disabledAt }: Pick<AdminRow, 'role' | 'disabledAt'>): boolean =>
  role === 'owner' && disabledAt === null;
