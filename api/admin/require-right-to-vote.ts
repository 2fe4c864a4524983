import { ApiError } from '../errors.ts';
import type { PortalContext } from '../portal-context.ts';

const ACTION = 'admin.password-reset';
/** More resets by the command than an operator makes in a year. */
const MAX_OPERATOR_RESETS = 1_000;

/**
 * Requires an account that is old enough to vote. Its age counts from the last time that a one-time link or the operator's
 * command set its password, because an owner can use such a link to sign in as somebody else.
 * @throws {ApiError} `account-too-new`
 */
export async function requireRightToVote(
  adminId: string,
  { store, now, minAccountAgeToVoteMs }: Pick<PortalContext, 'store' | 'now' | 'minAccountAgeToVoteMs'>,
): Promise<void> {
  const newestAllowed = now() - minAccountAgeToVoteMs;
  const from = newestAllowed + 1;
  const account = await store.admins.byId(adminId);
  const ownResets = await store.findAudit({ actor: adminId, action: ACTION, from }, 1, null);
  const operatorResets = await store.findAudit(
    { actor: 'operator', action: ACTION, from },
    MAX_OPERATOR_RESETS,
    null,
  );
  if (
    account === null ||
    account.createdAt > newestAllowed ||
    ownResets.length > 0 ||
    operatorResets.some(({ details }) => details.adminId === adminId)
  )
    throw new ApiError('account-too-new');
}
