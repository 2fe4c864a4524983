import type { AdminCredentials } from '../../data/store/admin-port.ts';
import { ApiError } from '../errors.ts';
import { adminAuditRecord } from './admin-audit.ts';
import type { AdminContext } from './admin-context.ts';
import type { SignedInAdmin } from './authorize-admin.ts';
import { countProofAttempt } from './sign-in-throttle.ts';

/**
 * Requires a signed-in admin to prove their identity again. A wrong proof counts as a failed sign-in. If `prove` throws an
 * error, the attempt does not count.
 * @param prove returns null if the proof is wrong
 * @throws {ApiError} `wrong-password`, `too-many-attempts`
 */
export async function reauthenticate<T>(
  admin: SignedInAdmin,
  context: AdminContext,
  prove: (account: AdminCredentials) => Promise<T | null>,
): Promise<T> {
  const account = await context.store.byId(admin.id);
  if (!account) throw new ApiError('not-signed-in');
  const attempt = await countProofAttempt(account, context);
  let proof: T | null;
  try {
    proof = await prove(account);
  } catch (error) {
    await attempt.forgive();
    throw error;
  }
  if (proof === null) {
    await context.audit(adminAuditRecord(admin, { action: 'admin.proof-failed', at: context.now() }));
    await attempt.fail();
    throw new ApiError('wrong-password');
  }
  await attempt.succeed();
  return proof;
}

/**
 * Checks the admin's password and, if it is correct, calls `checkSecondProof`.
 * @throws {ApiError} `wrong-password`, `too-many-attempts`, `passwords-busy`
 */
export async function reauthenticateWithPassword<T>(
  admin: SignedInAdmin,
  password: string,
  context: AdminContext,
  checkSecondProof: (account: AdminCredentials) => Promise<T | null>,
): Promise<T> {
  return reauthenticate(admin, context, async (account) =>
    (await context.passwordHasher.isCorrect(account.passwordHash, password))
      ? checkSecondProof(account)
      : null,
  );
}
