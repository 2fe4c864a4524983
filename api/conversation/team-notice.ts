import { isFromChat, isOutgoing } from '../../data/model/conversation.ts';
import { mailboxOf } from '../../data/model/mail-address.ts';
import type { RecordMessage } from '../../data/store/conversation-port.ts';

/**
 * The team is not notified of an answer that arrives within this many milliseconds after another one. A reply from the team
 * ends this pause.
 */
const QUIET_MS = 600_000;

/**
 * Whether an answer came from its record's email address, or from a chat that is linked to the record. Answers from other
 * people are counted separately. Otherwise anyone who knows the reference number could use up the applicant's limit, or
 * prevent notices about the applicant's answers.
 */
export const isFromApplicant = (
  { sender, mailId }: Pick<RecordMessage, 'sender' | 'mailId'>,
  recordEmail: string,
): boolean => isFromChat(mailId) || (sender !== null && mailboxOf(sender) === mailboxOf(recordEmail));

/**
 * Whether the team is notified of an answer.
 * @param messages the messages about its record, oldest first, without the answer itself
 * @param countsTogether whether an earlier answer is counted together with this one
 */
export const notifiesTeam = (
  messages: readonly RecordMessage[],
  at: number,
  countsTogether: (message: RecordMessage) => boolean,
): boolean =>
  !messages
    .slice(messages.findLastIndex(({ kind }) => isOutgoing(kind)) + 1)
    .some((message) => message.kind === 'answer' && message.at > at - QUIET_MS && countsTogether(message));
