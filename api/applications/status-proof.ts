import { keyedDigest, type MasterKey } from '../documents/master-key.ts';

/** Returns the token that proves a mailbox to the status page of a record. */
export type StatusProofOf = (referenceNumber: string, email: string) => string;

/**
 * A token is in the links of emails to the applicant, so it shows that the visitor can read that mailbox. It is a keyed digest,
 * and is not stored. Once the team corrects the address, tokens sent to the earlier address prove nothing.
 */
export function statusProofs(masterKey: MasterKey): StatusProofOf {
  const digest = keyedDigest(masterKey, 'status pages');
  return (referenceNumber, email) =>
    digest(`${referenceNumber} ${email.toLowerCase()}`).toString('base64url');
}
