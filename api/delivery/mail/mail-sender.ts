import type { DeliveryConfig } from '../../../data/config/delivery-variables.ts';
import { isSoleMailAddress } from '../../../data/model/mail-address.ts';
import { SUBMISSION_KINDS, type SubmissionKind } from '../../../data/model/submission-status.ts';
import type { AlertStore } from '../../../data/store/alert-port.ts';
import type { DeliveryStore, LeasedDelivery } from '../../../data/store/delivery-port.ts';
import { isAboutCard, spendIdOf } from '../../../data/store/rules/card-changes.ts';
import { mentionIdOf } from '../../../data/store/rules/record-notes.ts';
import { isAboutReminder } from '../../../data/store/rules/subscriptions.ts';
import type { SubmissionStore, Submissions } from '../../../data/store/submission-port.ts';
import { alertMail, isAboutAlert } from '../../alerts/alert-messages.ts';
import type { StatusProofOf } from '../../applications/status-proof.ts';
import {
  composeMessageMail,
  isAboutMessage,
  type MessageMailContext,
} from '../../conversation/message-mails.ts';
import { composeReminderMail, type ReminderContext } from '../../reminders/reminder-messages.ts';
import { type ComposeWeekly, isAboutWeeklyReport } from '../../reports/weekly-mails.ts';
import { waitForTurn } from '../../take-turn.ts';
import { mailRecipient } from '../recipients.ts';
import type { Sender } from '../send-outcome.ts';
import { type MailSource, renderMail } from './layout/render-mail.ts';
import type { MailTemplate } from './mail-template.ts';
import type { ComposedMail, MailTransport } from './mail-transport.ts';
import { firstMessageId, messageIdOf } from './message-thread.ts';
import { type AdminLinkContext, adminLinkMail, isAboutAdminLink } from './templates/admin-link-mails.ts';
import { APPLICATION_MAILS } from './templates/application-mails.ts';
import { type CardMailContext, closedCardMail, spendTemplate } from './templates/card-mails.ts';
import { CONTACT_MAILS } from './templates/contact-mails.ts';
import { LOAN_MAILS } from './templates/loan-mails.ts';
import { type MentionContext, mentionMail } from './templates/mention-mails.ts';
import type { MailContext, MailTemplates } from './templates/shared-parts.ts';
import { VERIFICATION_MAILS } from './templates/verification-mails.ts';

export const MAIL_TEMPLATES: { readonly [Kind in SubmissionKind]: MailTemplates<Submissions[Kind]> } = {
  'card-application': APPLICATION_MAILS,
  'verification-request': VERIFICATION_MAILS,
  'contact-message': CONTACT_MAILS,
  'loan-application': LOAN_MAILS,
};

/**
 * A delivery by email. Its event has the form `<submission kind>.<what happened>`, such as `card-application.received`. A colon
 * and a number may follow.
 */
type MailDelivery = Pick<LeasedDelivery, 'event' | 'audience' | 'referenceNumber'> &
  Partial<Pick<LeasedDelivery, 'recipient'>>;

export type MailSubmissions = Pick<SubmissionStore, 'find' | 'timelineOf'>;

interface ComposeContext extends Omit<MailContext, 'statusProof'>, MailSource {
  readonly statusProofOf?: StatusProofOf;
  readonly submissions: MailSubmissions;
}

async function composeSubmissionMail<Kind extends SubmissionKind>(
  kind: Kind,
  { event, audience, referenceNumber, recipient }: MailDelivery,
  context: ComposeContext,
): Promise<ComposedMail | null> {
  const [eventName] = event.slice(kind.length + 1).split(':', 1);
  const template = MAIL_TEMPLATES[kind][`${eventName} ${audience}`];
  const submission = template && (await context.submissions.find(kind, referenceNumber));
  if (!submission) return null;
  // If the address was corrected after the delivery was leased, the email is not sent: its links are for the corrected
  // address, but it would go to the old one.
  if (audience === 'applicant' && recipient !== undefined && recipient !== submission.email) return null;
  const statusProof = audience === 'applicant' && context.statusProofOf?.(referenceNumber, submission.email);
  const mail = await template(submission, { ...context, ...(statusProof && { statusProof }) });
  const rendered = renderMail(mail, context);
  if (audience === 'applicant') return rendered;
  return {
    ...rendered,
    replyTo: { name: 'name' in submission ? submission.name : '', address: submission.email },
  };
}

/** The email about a payment; null if the payment, card or application is not stored, or the address has changed. */
async function composeSpend(
  delivery: LeasedDelivery,
  { submissions, cards, ...context }: Pick<ComposeContext, 'submissions'> & MailSource & CardMailContext,
): Promise<ComposedMail | null> {
  const application = await submissions.find('card-application', delivery.referenceNumber);
  const spend = await cards.spend(spendIdOf(delivery) ?? '');
  const card = spend && (await cards.card(spend.cardId));
  if (!card || delivery.recipient !== application?.email) return null;
  return renderMail(spendTemplate(spend, card.issued?.lastFour ?? null, context.origin), context);
}

/** The email about a submission; null if the submission is not stored, its address has changed, or the event has no email. */
export async function composeMail(
  delivery: MailDelivery,
  context: ComposeContext,
): Promise<ComposedMail | null> {
  const kind = SUBMISSION_KINDS.find((known) => delivery.event.startsWith(`${known}.`));
  return kind ? composeSubmissionMail(kind, delivery, context) : null;
}

interface MailSenderOptions
  extends Pick<DeliveryConfig['mail'], 'from' | 'teamAddress'>,
    MessageMailContext,
    MentionContext,
    CardMailContext,
    AdminLinkContext,
    MailSource {
  readonly submissions: MailSubmissions;
  readonly alerts: Pick<AlertStore, 'find'>;
  readonly deliveries: Pick<DeliveryStore, 'deliveriesOf'>;
  readonly transport: MailTransport;
  /** Decimals of BD; null until they are read from the chain. */
  readonly decimals: () => Promise<number | null>;
  readonly confirmationToken: MailContext['confirmationToken'];
  readonly statusProofOf?: StatusProofOf;
  /** Composes the emails about the weekly report. Without it, these emails cannot be sent. */
  readonly composeWeekly?: ComposeWeekly;
  /** If it is missing, no reminders can be sent. */
  readonly reminders?: ReminderContext;
}

/**
 * The template of an alert, an admin link, a mention or a closed card, or null if it is outdated; undefined for any other
 * email.
 */
async function otherTemplate(
  delivery: LeasedDelivery,
  context: MailSenderOptions,
): Promise<MailTemplate | null | undefined> {
  if (isAboutAlert(delivery)) return alertMail(delivery, context.alerts, context.teamOrigin);
  if (isAboutAdminLink(delivery)) return adminLinkMail(delivery, context);
  if (mentionIdOf(delivery) !== null) return mentionMail(delivery, context);
  return isAboutCard(delivery) ? closedCardMail(delivery, context) : undefined;
}

/** The email for a delivery; null if it is outdated or the event has no email; `later` while the stakes are unknown. */
async function composeAny(
  delivery: LeasedDelivery,
  context: MailSenderOptions,
): Promise<ComposedMail | 'later' | null> {
  if (isAboutReminder(delivery) || isAboutWeeklyReport(delivery)) {
    const { reminders, composeWeekly } = context;
    const mail = isAboutReminder(delivery)
      ? reminders && (await composeReminderMail(delivery, reminders))
      : await composeWeekly?.(delivery);
    if (!mail || mail === 'later') return mail ?? null;
    return { ...renderMail(mail.template, context), unsubscribeUrl: mail.unsubscribeUrl };
  }
  if (spendIdOf(delivery) !== null) return composeSpend(delivery, context);
  if (isAboutMessage(delivery)) return composeMessageMail(delivery, context);
  const template = await otherTemplate(delivery, context);
  if (template !== undefined) return template && renderMail(template, context);
  return composeMail(delivery, { ...context, decimals: await context.decimals() });
}

export function createMailSender(options: MailSenderOptions): Sender['send'] {
  const { deliveries, transport, from, teamAddress, origin } = options;
  return async (delivery, signal) => {
    const to = mailRecipient(delivery, teamAddress);
    if (!isSoleMailAddress(to)) {
      return { kind: 'dead', code: 'no-address', error: 'The recipient is not an email address.' };
    }
    // Several emails start at once, and each takes some milliseconds to compose. The wait lets other requests run in
    // between.
    await waitForTurn();
    const composedMail = await composeAny(delivery, options);
    if (composedMail === 'later') {
      return { kind: 'retry', code: 'no-stakes', error: 'The stakes are not known at the moment.' };
    }
    if (!composedMail) {
      const error = 'The record or a file for this email is no longer stored, or this event sends no email.';
      return { kind: 'dead', code: 'no-mail', error };
    }
    const { id, referenceNumber, createdAt } = delivery;
    const recordDeliveries = await deliveries.deliveriesOf(referenceNumber);
    const messageId = messageIdOf(delivery, origin);
    const threadMessageId = firstMessageId(delivery, recordDeliveries, origin);
    return transport(
      { ...composedMail, messageId, threadMessageId, id, from, to, date: new Date(createdAt) },
      signal,
    );
  };
}
