import { createHash } from 'node:crypto';
import { confirmMailbox } from '../../data/contract/submissions.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { LoanApplication } from '../../data/store/submission-port.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { keyedDigest, type MasterKey } from '../documents/master-key.ts';
import { ApiError } from '../errors.ts';
import { readBody } from '../request-input.ts';

/**
 * Returns the token in the email that asks an applicant to confirm the mailbox of a loan application.
 * @param subject the application's id; if the address was corrected, the id, a space and the corrected address
 */
type ConfirmationTokenOf = (subject: string) => string;

/**
 * A token is a keyed digest of the application's random id: 256 bits that nobody can compute without the master key. It is not
 * stored, but computed again for each attempt to deliver the email, so that the link stays the same even after a restart.
 */
export function confirmationTokens(masterKey: MasterKey): ConfirmationTokenOf {
  const digest = keyedDigest(masterKey, 'mailbox confirmations');
  return (subject) => digest(subject).toString('base64url');
}

/** Only this digest of the token is stored. */
export function confirmationDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The token depends on the address, so that a link sent to an earlier address confirms nothing. */
export const correctedAddressToken = (tokenOf: ConfirmationTokenOf, id: string, email: string): string =>
  tokenOf(`${id} ${email}`);

export function currentToken(
  tokenOf: ConfirmationTokenOf,
  { id, email, confirmationDigest: stored }: Pick<LoanApplication, 'id' | 'email' | 'confirmationDigest'>,
): string {
  const addressToken = correctedAddressToken(tokenOf, id, email);
  return confirmationDigest(addressToken) === stored ? addressToken : tokenOf(id);
}

/** `POST /api/convertible-loan/confirm-mailbox`. Opening the link confirms nothing: mail scanners open links too. */
export function confirmMailboxRoute({
  store,
  now,
}: {
  readonly store: Pick<AppStore, 'submissions'>;
  readonly now: () => number;
}): ApiRoute {
  return callRoute(confirmMailbox, { limit: 'mailbox-confirmations' }, async (request, response) => {
    const { token } = readBody(confirmMailbox.body, request.body);
    const outcome = await store.submissions.confirmMailbox(confirmationDigest(token), now());
    if (outcome.kind === 'unknown') throw new ApiError('unknown-confirmation');
    if (outcome.kind === 'expired') throw new ApiError('confirmation-expired');
    const { kind, referenceNumber } = outcome;
    response.json({ success: true, referenceNumber, isFirst: kind === 'confirmed' });
  });
}
