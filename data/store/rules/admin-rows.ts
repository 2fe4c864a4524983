import type { AdminRole } from '../../model/admin-rules.ts';
import type { AdminAccount, AdminCredentials, SecondFactor } from '../admin-port.ts';

/** `lastSeenAt` of a session is updated at most this often (ms), so that not every request costs a write. */
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

/** Whether signing in with a password needs a second factor. */
export const needsSecondFactor = ({
  hasTotp,
  passkeys,
}: Pick<AdminAccount, 'hasTotp' | 'passkeys'>): boolean => hasTotp || passkeys > 0;

/**
 * Whether a sign-in that was checked against a password hash is still valid for the account. A second factor counts as valid
 * here, because the caller consumes it afterwards.
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
