import type { MailAddress } from '../../../data/config/delivery-variables.ts';
import type { ApplicationStore } from '../../../data/store/application-port.ts';
import type { ContactStore } from '../../../data/store/contact-port.ts';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import type { LoanStore } from '../../../data/store/loan-port.ts';
import type { Letter } from './letter.ts';
import type { PortalTerms } from './letters/shared-parts.ts';

/** What the words of mails are made from: the submissions as they are stored. */
export interface SubmissionReaders {
  readonly applications: Pick<ApplicationStore, 'applicationByReference' | 'requestByReference' | 'statusOf'>;
  readonly contacts: Pick<ContactStore, 'messageByReference'>;
  readonly loans: Pick<LoanStore, 'byReference'>;
}

/** A letter, and whom an answer to it goes to: for the team the person who sent the form. */
export interface Draft {
  readonly letter: Letter;
  readonly replyTo: MailAddress | null;
}

/** A delivery's event is its submission's kind, a dot, and what happened. */
export type DraftedDelivery = Pick<LeasedDelivery, 'event' | 'audience' | 'referenceNumber'>;

/** Drafts the mails about one kind of submission; null where it is not stored, or the event is not told by mail. */
export type MakeDraft = (
  delivery: DraftedDelivery,
  readers: SubmissionReaders,
  terms: PortalTerms,
) => Promise<Draft | null>;

export const toSender = (letter: Letter): Draft => ({ letter, replyTo: null });
