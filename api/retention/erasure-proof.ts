import { createHash, randomBytes } from 'node:crypto';
import { ERASED_PART_LABELS, ERASED_PARTS } from '../../data/model/erased-parts.ts';
import { mailboxOf } from '../../data/model/mail-address.ts';
import type { ErasureSubject, PersonalData } from '../../data/store/erasure-port.ts';

/**
 * A digest of the mailbox and wallet of the person whose data was erased. With the salt, anyone can verify the digest. Without
 * the salt, nobody can check whether it is the digest of a certain mailbox or wallet.
 */
interface SaltedDigest {
  /** 256 random bits in hex. Not stored. */
  readonly salt: string;
  /** The SHA-256 hash, in hex, of three lines: the salt, the mailbox and the wallet. */
  readonly digest: string;
}

export function digestSubject({ email, walletAddress }: ErasureSubject): SaltedDigest {
  const salt = randomBytes(32).toString('hex');
  const lines = [salt, email === null ? '' : mailboxOf(email), walletAddress ?? ''];
  return { salt, digest: createHash('sha256').update(lines.join('\n')).digest('hex') };
}

export function proofText(erasure: {
  readonly subject: ErasureSubject;
  readonly saltedDigest: SaltedDigest;
  readonly erasedData: PersonalData;
  readonly auditRecord: string;
  readonly requestId: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly backupNote: string;
}): string {
  const { subject, saltedDigest, erasedData, auditRecord, requestId, at, backupNote } = erasure;
  const { email, walletAddress } = subject;
  const erased = ERASED_PARTS.filter((part) => erasedData.counts[part] > 0).map(
    (part) => `- ${ERASED_PART_LABELS[part]}: ${erasedData.counts[part]}`,
  );
  const { liveCards } = erasedData.kept;
  return [
    'Proof that personal data was erased from the BlackDuck portal',
    '',
    `Request: ${requestId}`,
    `Erased at: ${new Date(at).toISOString()}`,
    `Record in the audit trail: ${auditRecord}`,
    ...(email === null ? [] : [`Mailbox: ${mailboxOf(email)}`]),
    ...(walletAddress === null ? [] : [`Wallet: ${walletAddress}`]),
    '',
    ...(erased.length > 0 ? ['Erased:', ...erased] : ['Nothing was stored.']),
    ...(liveCards > 0 ? [`Not erased: active cards of the wallet (${liveCards})`] : []),
    '',
    backupNote,
    '',
    'The audit trail contains neither the mailbox nor the wallet, only this digest:',
    saltedDigest.digest,
    'It is the SHA-256, in hex, of three lines: the salt below, the mailbox and the wallet (an empty line if not ' +
      'given), separated by line feeds. The salt is not stored anywhere else:',
    saltedDigest.salt,
  ].join('\n');
}
