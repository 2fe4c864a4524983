import type { Request } from 'express';
import type { AdminCredentials } from '../../data/store/admin-port.ts';
import { adminRecord } from './admin-audit.ts';
import type { AdminDesk } from './admin-desk.ts';
import { NotSignedInError, WrongPasswordError } from './admin-errors.ts';
import { countAttempt } from './sign-in-throttle.ts';
import type { SignedInAdmin } from './signed-in-admin.ts';

/**
 * Lets an admin prove once more, by what they typed, that it is still they who sit there. A wrong proof counts like a
 * failed sign-in; what could not be checked does not.
 * @param prove what was proved; null where the proof is wrong
 * @throws {WrongPasswordError} {TooManyAttemptsError}
 */
export async function proveTyped<T>(
  admin: SignedInAdmin,
  request: Request,
  desk: AdminDesk,
  prove: () => Promise<T | null>,
): Promise<T> {
  const attempt = await countAttempt(admin.username, request, desk);
  let proved: T | null;
  try {
    proved = await prove();
  } catch (error) {
    await attempt.forgive();
    throw error;
  }
  if (proved === null) {
    await desk.audit(adminRecord(admin, { action: 'admin.proof-failed', at: desk.now() }));
    throw new WrongPasswordError();
  }
  await attempt.forgive();
  return proved;
}

/**
 * The same by the password and, where the call takes more, by `further`, which is asked where the password is right.
 * @throws {WrongPasswordError} {TooManyAttemptsError} {PasswordsBusyError}
 */
export async function provePassword<T>(
  admin: SignedInAdmin,
  password: string,
  request: Request,
  desk: AdminDesk,
  further: (account: AdminCredentials) => Promise<T | null>,
): Promise<T>;
export async function provePassword(
  admin: SignedInAdmin,
  password: string,
  request: Request,
  desk: AdminDesk,
): Promise<AdminCredentials>;
export async function provePassword(
  admin: SignedInAdmin,
  password: string,
  request: Request,
  desk: AdminDesk,
  further: (account: AdminCredentials) => Promise<unknown> = async (account) => account,
): Promise<unknown> {
  return proveTyped(admin, request, desk, async () => {
    const account = await desk.store.byId(admin.id);
    if (!account) throw new NotSignedInError();
    return (await desk.passwords.isRight(account.passwordHash, password)) ? further(account) : null;
  });
}
