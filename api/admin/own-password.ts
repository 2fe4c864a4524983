import type { Request } from 'express';
import type { AdminCredentials } from '../../data/store/admin-port.ts';
import { ApiError } from '../errors.ts';
import { adminRecord } from './admin-audit.ts';
import type { AdminContext } from './admin-context.ts';
import type { SignedInAdmin } from './admit-admin.ts';
import { countAttempt } from './sign-in-throttle.ts';

/**
 * Requires a signed-in admin to prove their identity again. A wrong proof counts as a failed sign-in; a check that throws
 * does not.
 * @param prove returns null if the proof is wrong
 * @throws {ApiError} `wrong-password`, `too-many-attempts`
 */
export async function proveIdentity<T>(
  admin: SignedInAdmin,
  request: Request,
  context: AdminContext,
  prove: () => Promise<T | null>,
): Promise<T> {
  const attempt = await countAttempt(admin.username, request, context);
  let proved: T | null;
  try {
    proved = await prove();
  } catch (error) {
    await attempt.forgive();
    throw error;
  }
  if (proved === null) {
    await context.audit(adminRecord(admin, { action: 'admin.proof-failed', at: context.now() }));
    throw new ApiError('wrong-password');
  }
  await attempt.forgive();
  return proved;
}

/**
 * Checks the admin's password, and then `secondProof`.
 * @throws {ApiError} `wrong-password`, `too-many-attempts`, `passwords-busy`
 */
export async function provePassword<T>(
  admin: SignedInAdmin,
  password: string,
  request: Request,
  context: AdminContext,
  secondProof: (account: AdminCredentials) => Promise<T | null>,
): Promise<T> {
  return proveIdentity(admin, request, context, async () => {
    const account = await context.store.byId(admin.id);
    if (!account) throw new ApiError('not-signed-in');
    return (await context.passwords.isRight(account.passwordHash, password)) ? secondProof(account) : null;
  });
}
