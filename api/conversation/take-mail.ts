import type { RateLimits } from '../../data/config/rate-limits.ts';
import { isFromChat } from '../../data/model/conversation.ts';
import { CONTACT_FORM } from '../../data/model/forms/contact-form.ts';
import { toStoredFields } from '../../data/model/forms/field.ts';
import { mailboxOf } from '../../data/model/mail-address.ts';
import { referencesIn } from '../../data/model/reference-number.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { RecordMessage } from '../../data/store/conversation-port.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { rowId } from '../../data/store/row-id.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { optionsOf, sha256 } from '../applications/submission-helpers.ts';
import { parseSentMail } from '../delivery/mail/message-thread.ts';
import { recordBounce } from '../delivery/record-bounce.ts';
import { documentQuotas } from '../documents/document-quotas.ts';
import { type AttachmentContext, readAttachments, refusedAttachments } from './read-attachment.ts';
import { readInProgram } from './read-in-program.ts';
import type { InboundMail } from './read-mail.ts';
import { isFromApplicant, notifiesTeam } from './team-notice.ts';

/**
 * The outcomes for an email. `answer`: stored with its record. `automatic`: stored with its record, but nobody is notified,
 * because a program sent it. `new`: it names no record, so it became a message to support. `bounce`: it reports bounced
 * emails. `own`: the portal sent it. `dropped`: a program sent it, and it names no record. `known`: it was stored before.
 * `unreadable`: nothing was stored. `limited`: nothing was stored, because its sender has written too many messages to
 * support, or its record got too many emails.
 */
export const MAIL_OUTCOMES = [
  'answer',
  'automatic',
  'new',
  'bounce',
  'own',
  'dropped',
  'known',
  'unreadable',
  'limited',
] as const;
export type MailOutcome = (typeof MAIL_OUTCOMES)[number];

export interface InboundMailContext extends AttachmentContext {
  readonly store: Pick<AppStore, 'bounces' | 'conversations' | 'records' | 'submissions'>;
  readonly ownAddresses: readonly string[];
  readonly rateLimits: RateLimits;
  /** Unix ms. */
  readonly now: () => number;
  readonly log: Logger;
}

const DAY_MS = 86_400_000;

/** The record that an email answers; null if it names none. The sender may be a stranger: anyone can name a record. */
async function referenceIn(
  { answeredIds, recipients, subject }: InboundMail,
  { conversations }: InboundMailContext['store'],
): Promise<string | null> {
  for (const answeredId of answeredIds) {
    const mail = parseSentMail(answeredId);
    if (mail === null) continue;
    if ('receiptOf' in mail) return mail.receiptOf;
    const reference = await conversations.referenceOfDelivery(mail.deliveryId);
    if (reference !== null) return reference;
  }
  return [...recipients, subject].flatMap(referencesIn)[0] ?? null;
}

/**
 * Stores an email as a message to support, because it names no record.
 * @returns the message's reference number; null if the sender has written too many messages
 */
async function submitMessage(
  { sender, senderName, subject, text, mailId }: InboundMail & { readonly sender: string },
  context: InboundMailContext,
): Promise<string | null> {
  const createdAt = context.now();
  const longest = CONTACT_FORM.fields.message.maxLength;
  const fields = toStoredFields(CONTACT_FORM.fields, {
    name: senderName || sender,
    email: sender,
    subject,
    message: text.length > longest ? `${text.slice(0, longest - 1)}…` : text || 'The email has no text.',
  });
  // The portal may stop after this call, before the email is stored with its record. Then the email is read again, and this key
  // prevents a second message to support.
  const idempotency = { keyHash: sha256(`inbound mail\n${mailId}`), bodyHash: sha256(mailId) };
  const options = optionsOf(idempotency, {}, context);
  const outcome = await context.store.submissions.submit(
    'contact-message',
    { ...fields, id: rowId(createdAt), createdAt },
    {
      ...options,
      // No confirmation is sent, because the sender's address may be forged.
      confirmations: { ...options.confirmations, limit: 0 },
      maxSubmissions: context.rateLimits['inbound-messages-of-email'],
    },
  );
  if (outcome.kind === 'too-many') return null;
  const stored = 'answer' in outcome ? outcome.answer.referenceNumber : null;
  if (typeof stored !== 'string') throw new Error('An email was not stored as a message to support.');
  return stored;
}

/** Stores an email that has been read. See `takeMail`. */
export async function storeMail(mail: InboundMail, context: InboundMailContext): Promise<MailOutcome> {
  const { store, ownAddresses, rateLimits, now } = context;
  const { sender, bounces, isAutomatic } = mail;
  if (bounces !== null && bounces.length > 0) {
    for (const bounce of bounces) await recordBounce(context, bounce);
    return 'bounce';
  }
  if (sender !== null && ownAddresses.some((address) => mailboxOf(address) === mailboxOf(sender)))
    return 'own';
  const { mailId, subject, text, attachments } = mail;
  if (await store.conversations.isKnown(mailId)) return 'known';
  const reference = await referenceIn(mail, store);
  const at = now();
  const kind = isAutomatic ? 'automatic-answer' : 'answer';
  const receive = async (referenceNumber: string, notifies: boolean) =>
    store.conversations.receive({
      kind,
      at,
      sender: sender ?? 'unknown',
      subject,
      text,
      mailId,
      referenceNumber,
      notifies,
      quotas: documentQuotas(context)(null, sender),
      ...(isAutomatic
        ? { attachments: refusedAttachments(attachments, 'automatic'), files: [] }
        : await readAttachments(attachments, context, at)),
    });
  if (reference !== null) {
    // If the record was merged into another one, the email is stored with that other record.
    const record = await store.records.record(reference);
    const messages = await store.conversations.messagesOf(record?.mergedInto ?? reference);
    const recordEmail = record?.record.email ?? '';
    const isApplicant = isFromApplicant({ sender, mailId }, recordEmail);
    // The limit applies separately to the applicant and to other people, and to answers and automatic emails.
    const countsTogether = (message: RecordMessage) => isFromApplicant(message, recordEmail) === isApplicant;
    const countedMessages = messages.filter(
      (message) =>
        message.kind === kind &&
        !isFromChat(message.mailId) &&
        message.at > at - DAY_MS &&
        countsTogether(message),
    );
    if (countedMessages.length >= rateLimits['inbound-answers-of-record']) return 'limited';
    const outcome = await receive(reference, !isAutomatic && notifiesTeam(messages, at, countsTogether));
    if (outcome === 'known') return 'known';
    if (outcome === 'received') return isAutomatic ? 'automatic' : 'answer';
  }
  if (isAutomatic) return 'dropped';
  if (sender === null) return 'unreadable';
  const referenceOfNew = await submitMessage({ ...mail, sender }, context);
  if (referenceOfNew === null) return 'limited';
  // The message to support may contain only part of the text. So the whole email is also stored in the message's conversation,
  // with the Message-ID that later answers refer to. The team is not notified a second time.
  const outcome = await receive(referenceOfNew, false);
  return outcome === 'known' ? 'known' : 'new';
}

/**
 * Stores an email with the record that it answers, or as a new message to support. An email that was stored before changes
 * nothing.
 * @throws {StoreUnavailableError} when it cannot be read or stored now
 */
export async function takeMail(raw: Uint8Array, context: InboundMailContext): Promise<MailOutcome> {
  let mail: InboundMail;
  try {
    mail = await readInProgram(raw);
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    context.log.warn({ err: error, bytes: raw.length }, 'an email cannot be read');
    return 'unreadable';
  }
  return storeMail(mail, context);
}
