import { ApiError } from '../errors.ts';
import type { PortalContext } from '../portal-context.ts';

/**
 * Requires an account that is old enough to vote. A password reset with a one-time link makes the account count as new.
 * Otherwise an owner could reset another admin's password and vote as that admin.
 * @throws {ApiError} `account-too-new`
 */
export async function requireRightToVote(
  adminId: string,
  { store, now, minAccountAgeToVoteMs }: Pick<PortalContext, 'store' | 'now' | 'minAccountAgeToVoteMs'>,
): Promise<void> {
  const newestAllowed = now() - minAccountAgeToVoteMs;
  const account = await store.admins.byId(adminId);
  const recentResets = await store.findAudit(
    { actor: adminId, action: 'admin.password-reset', from: newestAllowed + 1 },
    1,
    null,
  );
  if (account === null || account.createdAt > newestAllowed || recentResets.length > 0)
    throw new ApiError('account-too-new');
}
