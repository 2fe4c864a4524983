import { isFromChat, isOutgoing } from '../../data/model/conversation.ts';
import { mailboxOf } from '../../data/model/mail-address.ts';
import type { RecordMessage } from '../../data/store/conversation-port.ts';

/**
 * An answer that arrives within this many milliseconds after another one does not notify the team. A reply from the team
 * ends this pause.
 */
const QUIET_MS = 600_000;

/**
 * Whether an answer came from the address of its record, or from a chat that is linked to it. Answers from other people are
 * counted separately. Otherwise anybody who knows the number could use up the applicant's limit or notices.
 */
export const isFromApplicant = (
  { sender, mailId }: Pick<RecordMessage, 'sender' | 'mailId'>,
  recordEmail: string,
): boolean => isFromChat(mailId) || (sender !== null && mailboxOf(sender) === mailboxOf(recordEmail));

/**
 * Whether an answer notifies the team.
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
