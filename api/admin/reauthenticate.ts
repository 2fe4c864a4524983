import type { AdminCredentials } from '../../data/store/admin-port.ts';
import { ApiError } from '../errors.ts';
import { adminAuditRecord } from './admin-audit.ts';
import { type AdminContext, SESSION_IDLE_MS } from './admin-context.ts';
import type { SignedInAdmin } from './authorize-admin.ts';
import { countProofAttempt } from './sign-in-throttle.ts';

/**
 * Requires a signed-in admin to prove their identity again. A wrong proof counts as a failed sign-in. If `prove` throws an
 * error, the attempt does not count.
 * @param prove returns null if the proof is wrong
 * @throws {ApiError} `wrong-password`, `too-many-attempts`, `not-signed-in`, `not-allowed`
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
  await requireUnchanged(admin, context);
  return proof;
}

/** Checking a password takes a while. In the meantime, an owner may have ended the session or changed the role. */
async function requireUnchanged(
  { id, sessionId, role }: SignedInAdmin,
  { store, now }: AdminContext,
): Promise<void> {
  const at = now();
  const sessions = await store.sessions(id, at, at - SESSION_IDLE_MS);
  if (!sessions.some((session) => session.id === sessionId)) throw new ApiError('not-signed-in');
  if ((await store.byId(id))?.role !== role) throw new ApiError('not-allowed');
}

/**
 * Checks the admin's password and, if it is correct, calls `checkSecondProof`.
 * @throws {ApiError} `passwords-busy`, and the errors of `reauthenticate`
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
