import { isFromChat, isOutgoing } from '../../data/model/conversation.ts';
import type { ConversationStore, RecordMessage } from '../../data/store/conversation-port.ts';
import type { LeasedDelivery } from '../../data/store/delivery-port.ts';
import { type MailSource, renderMail } from '../delivery/mail/layout/render-mail.ts';
import type { MailTemplate } from '../delivery/mail/mail-template.ts';
import type { ComposedMail, MailFile } from '../delivery/mail/mail-transport.ts';
import { receivedFacts } from '../delivery/mail/templates/shared-parts.ts';
import { recordUrl } from '../delivery/record-url.ts';
import type { MasterKey } from '../documents/master-key.ts';
import { openDocument } from '../documents/sealed-document.ts';
import type { ReplyComposer } from './reply-mail.ts';

export interface MessageMailContext {
  readonly conversations: Pick<ConversationStore, 'find' | 'messagesOf' | 'readFile'>;
  readonly masterKey: MasterKey;
  readonly replies: ReplyComposer;
  readonly teamOrigin: string;
}

const MESSAGE_EVENT = /\.(?:replied|answered):(.+)$/;

export const isAboutMessage = ({ event }: Pick<LeasedDelivery, 'event'>): boolean =>
  MESSAGE_EVENT.test(event);

/**
 * The files of a message; null if one of them is no longer stored.
 * @throws {OtherMasterKeyError} @throws {DamagedDocumentError}
 */
async function filesOf(
  { attachments }: RecordMessage,
  { conversations, masterKey }: MessageMailContext,
): Promise<readonly MailFile[] | null> {
  const files: MailFile[] = [];
  for (const { fileId } of attachments) {
    const file = fileId === null ? null : await conversations.readFile(fileId);
    if (file === null) return null;
    const { id, fileName, mediaType } = file;
    files.push({ fileName, mediaType, content: openDocument(masterKey, id, file) });
  }
  return files;
}

/**
 * The email for a message: the team's reply to the applicant, or the notice to the team about an applicant's answer. Null if
 * the message was erased, or a file of the reply was deleted.
 */
export async function composeMessageMail(
  { event, referenceNumber }: Pick<LeasedDelivery, 'event' | 'referenceNumber'>,
  context: MessageMailContext & MailSource,
): Promise<ComposedMail | null> {
  const { conversations, replies, teamOrigin } = context;
  const [, id = ''] = MESSAGE_EVENT.exec(event) ?? [];
  const message = await conversations.find(id);
  if (!message) return null;
  if (isOutgoing(message.kind)) {
    const messages = await conversations.messagesOf(referenceNumber);
    const precedingMessages = messages.slice(
      0,
      messages.findIndex((one) => one.id === id),
    );
    const answeredMessageId =
      precedingMessages.findLast(({ mailId }) => mailId !== null && !isFromChat(mailId))?.mailId ?? null;
    const files = await filesOf(message, context);
    return files && { ...(await replies.compose(message)), answeredMessageId, files };
  }
  return renderMail(answerTemplate(message, teamOrigin), context);
}

export function answerTemplate(
  {
    referenceNumber,
    at,
    sender,
    subject,
    text,
    attachments,
    mailId,
  }: Omit<RecordMessage, 'id' | 'kind' | 'adminId' | 'by'>,
  teamOrigin: string,
): MailTemplate {
  const channelPhrase = isFromChat(mailId) ? 'in Telegram' : 'by email';
  const names = attachments.map(({ fileName }) => fileName).join(', ');
  return {
    subject: `New reply ${channelPhrase}: ${referenceNumber}`,
    title: `New reply ${channelPhrase}`,
    parts: [
      `The applicant replied ${channelPhrase}. Reply from the record, so that your reply is kept with it.`,
      receivedFacts({ referenceNumber, createdAt: at }, [
        ['From', sender],
        ['Subject', subject],
        ['Attachments', names],
      ]),
      { kind: 'quote', label: 'Message', text },
      { kind: 'button', label: 'Open the record', url: recordUrl(teamOrigin, referenceNumber) },
    ],
  };
}
