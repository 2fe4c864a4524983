import type { TestOutcome } from '../../data/contract/telegram.ts';
import { maskedChatId } from '../delivery/masked-recipient.ts';
import { composeNotice } from '../delivery/telegram/notice.ts';
import type { PortalBot } from './portal-bot.ts';
import { NO_BOT, NO_BOT_ADVICE } from './recommendations.ts';

/** Messages that an admin sends to see them arrive. Each says that it is a test. */
export interface TestSender {
  /** To a person who has written to the bot, by the name on Telegram, or to the team's chat where it is empty. */
  sendMessage(username: string, message: string): Promise<TestOutcome>;
  /** The notice of a card application that nobody sent, to the team's chat. */
  sendApplication(): Promise<TestOutcome>;
}

/** The number of no application: serials begin above it. */
const TEST_REFERENCE = 'BD-00000000-000000';

export function createTestSender(
  bot: PortalBot | null,
  /** Where people reach the portal, without a slash at its end. */
  origin: () => string,
): TestSender {
  const failed = (error: string): TestOutcome => ({ success: false, chatId: null, error });

  const send = async ({ api }: PortalBot, chatId: string, text: string): Promise<TestOutcome> => {
    const answer = await (await api()).send({ chatId, text });
    return answer.ok
      ? { success: true, chatId: maskedChatId(chatId), error: null }
      : failed(answer.fault.error);
  };

  return {
    sendMessage: async (username, message) => {
      if (!bot) return failed(`${NO_BOT} ${NO_BOT_ADVICE}`);
      const name = username.replace(/^@/, '');
      const chatId = name === '' ? bot.config.chatId : bot.chats.chatOf(name);
      if (chatId === null) {
        return failed(
          `@${name} has not written to the bot since the portal was started. A bot may write only to who wrote to it: send it /start from that account, and try again.`,
        );
      }
      return send(bot, chatId, `Test message from the BlackDuck portal\n\n${message}`);
    },
    sendApplication: async () => {
      if (!bot) return failed(`${NO_BOT} ${NO_BOT_ADVICE}`);
      const notice = composeNotice(
        { event: 'card-application.received', referenceNumber: TEST_REFERENCE, audience: 'team' },
        origin(),
      );
      if (!notice) return failed('Card applications are not told by Telegram.');
      return send(bot, bot.config.chatId, `TEST: nobody applied for this\n${notice.text}`);
    },
  };
}
