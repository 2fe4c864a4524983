import { toDecimalText } from '../../../../data/model/amounts.ts';
import { groupDecimalText } from '../../../../data/model/digit-grouping.ts';
import type { TeamField } from '../../../../data/model/forms/field.ts';
import type { SubmissionStore } from '../../../../data/store/submission-port.ts';
import { recordUrl } from '../../record-url.ts';
import type { MailFact, MailPart, MailTemplate } from '../mail-template.ts';

/*
 * An email to an applicant repeats nothing from the form except the wallet address. Anyone can enter another person's email
 * address, and the portal must not carry messages to that person.
 */

export interface MailContext {
  readonly submissions: Pick<SubmissionStore, 'timelineOf'>;
  /** The site's URL without a trailing slash. */
  readonly origin: string;
  /** The URL of the team's pages without a trailing slash. */
  readonly teamOrigin: string;
  /** Decimals of BD; null until they are read from the chain. */
  readonly decimals: number | null;
  readonly confirmationToken: (applicationId: string) => string;
  /** The token that proves to the status page that the reader owns the mailbox. Absent in previews. */
  readonly statusProof?: string;
}

/** The emails about one kind of submission, by event and audience, for example `received applicant`. */
export type MailTemplates<Stored> = Readonly<
  Record<
    `${string} ${'applicant' | 'team'}`,
    (submission: Stored, context: MailContext) => MailTemplate | Promise<MailTemplate>
  >
>;

/** The reference number is in the fragment of the URL, which browsers do not send, so that it reaches no server and no log. */
export function statusLink(
  { origin, statusProof }: Pick<MailContext, 'origin' | 'statusProof'>,
  referenceNumber: string,
  kind: 'button' | 'link' = 'link',
): MailPart {
  const proof = statusProof === undefined ? '' : `&proof=${statusProof}`;
  const url = `${origin}/application-status#reference=${referenceNumber}${proof}`;
  return { kind, label: 'Check status', url };
}

export const APPROVED_BADGE = { text: '✓ Approved', tone: 'good' } as const;

export const NEVER_ASKS_TEXT = 'BlackDuck never asks for a seed phrase or a private key.';

export const NOT_YOU_NOTE: MailPart = {
  kind: 'small',
  text: `Not you? Someone entered your address by mistake. You can ignore this email. ${NEVER_ASKS_TEXT}`,
};

const DATE_AND_TIME = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

/** A time (Unix ms) as emails show it: `2 January 2026 at 03:04 UTC`. */
export function momentText(at: number): string {
  return `${DATE_AND_TIME.format(at)} UTC`;
}

interface ReceivedSubmission {
  readonly referenceNumber: string;
  readonly createdAt: number;
}

export function receivedFacts(
  { referenceNumber, createdAt }: ReceivedSubmission,
  facts: readonly MailFact[] = [],
): MailPart {
  return {
    kind: 'facts',
    facts: [['Reference number', referenceNumber], ...facts, ['Received', momentText(createdAt)]],
  };
}

/** The email to the team about a new submission, with every field of its form. */
export function teamMail(
  submission: ReceivedSubmission,
  { teamOrigin }: MailContext,
  mail: {
    readonly subject: string;
    readonly text: string;
    readonly rows: readonly TeamField[];
    /** Facts other than the fields of the form. */
    readonly facts?: readonly MailFact[];
  },
): MailTemplate {
  const { subject, text, rows, facts = [] } = mail;
  return {
    subject: `${subject} ${submission.referenceNumber}`,
    title: subject,
    parts: [
      text,
      {
        kind: 'button',
        label: 'Open the record',
        url: recordUrl(teamOrigin, submission.referenceNumber),
      },
      receivedFacts(submission, [...rows.map(({ label, text }): MailFact => [label, text]), ...facts]),
    ],
  };
}

/** Formats base units with all digits, because a tier can depend on the last one: `1,499,999.999999 BD`. */
export function exactBd(amount: bigint, decimals: number): string {
  return `${groupDecimalText(toDecimalText(amount, decimals))} BD`;
}
