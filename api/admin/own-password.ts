import type { Request } from 'express';
import type { AdminCredentials } from '../../data/store/admin-port.ts';
import { adminRecord } from './admin-audit.ts';
import type { AdminDesk } from './admin-desk.ts';
import { NotSignedInError, WrongPasswordError } from './admin-errors.ts';
import { type CountedAttempt, countAttempt } from './sign-in-throttle.ts';
import type { SignedInAdmin } from './signed-in-admin.ts';

/** Does what is to be proved. A wrong proof counts like a failed sign-in; what was not checked does not. */
async function counted<T>(attempt: CountedAttempt, prove: () => Promise<T>): Promise<T> {
  try {
    const proved = await prove();
    await attempt.forgive();
    return proved;
  } catch (error) {
    if (!(error instanceof WrongPasswordError)) await attempt.forgive();
    throw error;
  }
}

/**
 * Lets an admin prove that it is still they who sit there: by the password and, where the call takes more, by `further`.
 * @throws {WrongPasswordError} {TooManyAttemptsError} {PasswordsBusyError}
 */
export async function provePassword<T = void>(
  admin: SignedInAdmin,
  password: string,
  request: Request,
  desk: AdminDesk,
  further?: (account: AdminCredentials) => Promise<T>,
): Promise<T | undefined> {
  const { store, passwords, now } = desk;
  const attempt = await countAttempt(admin.username, request, desk);
  return counted(attempt, async () => {
    const account = await store.byId(admin.id);
    if (!account) throw new NotSignedInError();
    const isRight = await passwords.isRight(account.passwordHash, password);
    const proved = isRight ? await further?.(account) : undefined;
    if (!isRight || proved === null) {
      await desk.audit(adminRecord(admin, { action: 'admin.proof-failed', at: now() }));
      throw new WrongPasswordError();
    }
    return proved;
  });
}
