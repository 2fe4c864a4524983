import { SUBMISSION_KINDS, type SubmissionKind } from '../../../data/model/submission-status.ts';
import type { Draft, DraftedDelivery, MakeDraft, SubmissionReaders } from './draft.ts';
import { applicationDraft } from './drafts/application-draft.ts';
import { contactDraft } from './drafts/contact-draft.ts';
import { loanDraft } from './drafts/loan-draft.ts';
import { verificationDraft } from './drafts/verification-draft.ts';
import { type RenderedLetter, renderLetter } from './letter.ts';
import type { PortalTerms } from './letters/shared-parts.ts';

/** A letter in both its forms, and whom an answer to it goes to. */
export type ComposedMail = RenderedLetter & Pick<Draft, 'replyTo'>;

/** Who drafts the mails about which kind of submission. */
const DRAFTS: Readonly<Record<SubmissionKind, MakeDraft>> = {
  'card-application': applicationDraft,
  'verification-request': verificationDraft,
  'contact-message': contactDraft,
  'loan-application': loanDraft,
};

/** The mail of a delivery, from what is stored; null where nothing is stored of it, or it tells of nothing known. */
export async function composeMail(
  delivery: DraftedDelivery,
  readers: SubmissionReaders,
  terms: PortalTerms,
): Promise<ComposedMail | null> {
  const kind = SUBMISSION_KINDS.find((known) => delivery.event.startsWith(`${known}.`));
  const draft = await (kind && DRAFTS[kind])?.(delivery, readers, terms);
  return draft ? { ...renderLetter(draft.letter), replyTo: draft.replyTo } : null;
}
