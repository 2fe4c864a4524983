import { createHash, randomBytes } from 'node:crypto';
import { ERASED_PART_WORDS, ERASED_PARTS } from '../../data/model/erased-parts.ts';
import { mailboxOf } from '../../data/model/mailbox.ts';
import type { ErasureSubject, PersonalData } from '../../data/store/erasure-port.ts';

/**
 * What ties an erasure to a person who is told the salt, and to nobody for anyone else: without the salt no guess of an
 * address can be tried.
 */
export interface SubjectSeal {
  /** 256 random bits in hex; kept nowhere. */
  readonly salt: string;
  /** SHA-256, in hex, over the salt, the mailbox and the wallet, each on a line of its own. */
  readonly digest: string;
}

export function sealSubject(
  { email, walletAddress }: ErasureSubject,
  salt = randomBytes(32).toString('hex'),
): SubjectSeal {
  const lines = [salt, email === null ? '' : mailboxOf(email), walletAddress ?? ''];
  return { salt, digest: createHash('sha256').update(lines.join('\n')).digest('hex') };
}

/** The proof of an erasure in words, for the person whose data it was. */
export function proofText(erasure: {
  readonly subject: ErasureSubject;
  readonly seal: SubjectSeal;
  readonly found: PersonalData;
  readonly auditRecord: string;
  readonly request: string;
  /** Unix ms. */
  readonly at: number;
  readonly backupWords: string;
}): string {
  const { subject, seal, found, auditRecord, request, at, backupWords } = erasure;
  const { email, walletAddress } = subject;
  const erased = ERASED_PARTS.filter((part) => found.counts[part] > 0).map(
    (part) => `- ${ERASED_PART_WORDS[part]}: ${found.counts[part]}`,
  );
  const { liveCards } = found.kept;
  return [
    'Proof that personal data was erased from the BlackDuck portal',
    '',
    `Request: ${request}`,
    `Erased at: ${new Date(at).toISOString()}`,
    `Record in the audit trail: ${auditRecord}`,
    ...(email === null ? [] : [`Mailbox: ${mailboxOf(email)}`]),
    ...(walletAddress === null ? [] : [`Wallet: ${walletAddress}`]),
    '',
    ...(erased.length > 0 ? ['Erased:', ...erased] : ['Nothing was held.']),
    ...(liveCards > 0 ? [`Kept: cards of the wallet that can still be used: ${liveCards}`] : []),
    '',
    backupWords,
    '',
    'The audit trail holds neither the mailbox nor the wallet, only this digest:',
    seal.digest,
    'It is the SHA-256, in hex, of three lines: the salt below, the mailbox, and the wallet (an empty line for what ' +
      'is not given), with a line feed between and none at the end. The salt is kept nowhere else:',
    seal.salt,
  ].join('\n');
}
