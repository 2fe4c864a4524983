import type { IncomingMessage } from 'node:http';
import type { FullRecord } from '../../data/store/record-port.ts';
import { keyedDigest, type MasterKey } from '../documents/master-key.ts';
import { isEqualSecret } from '../security/equal-secret.ts';
import type { ReadProvenWallet } from '../wallet/proven-wallets.ts';

/** Returns the token for the links to a record's status page. The token proves that a visitor can read the mailbox. */
export type StatusProofOf = (referenceNumber: string, email: string) => string;

/**
 * The token is in the links in emails to the applicant, so a visitor who has the token can read the applicant's mailbox. The
 * token is a keyed digest and is not stored. Once the team corrects the address, tokens sent to the earlier one prove nothing.
 */
export function statusProofs(masterKey: MasterKey): StatusProofOf {
  const digest = keyedDigest(masterKey, 'status pages');
  return (referenceNumber, email) =>
    digest(`${referenceNumber} ${email.toLowerCase()}`).toString('base64url');
}

/**
 * Returns a function that determines how a visitor has proved that a record is theirs: `mailbox` by the token from an email,
 * `wallet` by a session for the record's wallet. Null if there is no proof.
 */
export function proofReader({
  masterKey,
  readProvenWallet,
}: {
  readonly masterKey: MasterKey;
  readonly readProvenWallet: ReadProvenWallet;
}) {
  const proofOf = statusProofs(masterKey);
  return async function readProofKind(
    request: IncomingMessage,
    { referenceNumber, email, proof }: { referenceNumber: string; email: string; proof?: string | undefined },
    { record }: FullRecord,
  ): Promise<'mailbox' | 'wallet' | null> {
    if (proof !== undefined && isEqualSecret(proof, proofOf(referenceNumber, email))) return 'mailbox';
    const wallet = 'walletAddress' in record ? record.walletAddress : null;
    if (wallet === null) return null;
    return (await readProvenWallet(request))?.walletAddress === wallet ? 'wallet' : null;
  };
}
