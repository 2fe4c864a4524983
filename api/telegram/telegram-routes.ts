import {
  sendTestApplication,
  sendTestMessage,
  type TestOutcome,
  telegramDiagnostics,
  telegramPolledDiagnostics,
} from '../../data/contract/telegram.ts';
import { type AuthorizeAdmin, adminRoute } from '../admin/authorize-admin.ts';
import type { ApiRoute } from '../call-router.ts';
import { maskChatId } from '../delivery/recipients.ts';
import { composeTeamNotice } from '../delivery/telegram/notice.ts';
import { readBody } from '../request-input.ts';
import {
  createDiagnostics,
  type Diagnostics,
  ELSEWHERE_ADVICE,
  NO_BOT_ADVICE,
  NO_BOT_TEXT,
} from './diagnostics.ts';
import type { PortalBot } from './portal-bot.ts';

export interface TelegramContext {
  readonly diagnostics: Diagnostics;
  readonly testSender: TestSender;
  /**
   * Returns a link that opens the bot and sends it the token; undefined if Telegram does not answer. The field is null without
   * a bot.
   */
  readonly chatUrlFor: ((token: string) => Promise<string | undefined>) | null;
}

export function createTelegramContext(options: {
  readonly bot: PortalBot | null;
  readonly now: () => number;
  readonly teamOrigin: () => string;
}): TelegramContext {
  const { bot, now, teamOrigin } = options;
  let username: string | undefined;
  const chatUrlFor = async ({ api }: PortalBot, token: string): Promise<string | undefined> => {
    if (username === undefined) {
      const me = await (await api()).getMe();
      username = me.ok ? me.result.username : undefined;
    }
    return username === undefined ? undefined : `https://t.me/${username}?start=${token}`;
  };
  return {
    diagnostics: createDiagnostics(bot, now),
    testSender: createTestSender(bot, teamOrigin),
    chatUrlFor: bot && ((token) => chatUrlFor(bot, token)),
  };
}

interface TestSender {
  /** Sends to a person who has written to the bot, or to the team's chat if `username` is empty. */
  sendMessage(username: string, message: string): Promise<TestOutcome>;
  /** Sends the team's chat a notice about a card application that does not exist. */
  sendApplication(): Promise<TestOutcome>;
}

/** Deliberately invalid, so that no record has it. */
const TEST_REFERENCE = 'BD-00000000-000000';

export function createTestSender(bot: PortalBot | null, teamOrigin: () => string): TestSender {
  const failedOutcome = (error: string): TestOutcome => ({ success: false, chatId: null, error });

  const send = async ({ api }: PortalBot, chatId: string, text: string): Promise<TestOutcome> => {
    const answer = await (await api()).send({ chatId, text });
    return answer.ok
      ? { success: true, chatId: maskChatId(chatId), error: null }
      : failedOutcome(answer.error.message);
  };

  return {
    sendMessage: async (username, message) => {
      if (!bot) return failedOutcome(`${NO_BOT_TEXT} ${NO_BOT_ADVICE}`);
      const name = username.replace(/^@/, '');
      const chatId = name === '' ? bot.config.chatId : bot.knownChats.chatOf(name);
      if (chatId === null) {
        if (bot.pollState().kind === 'elsewhere') return failedOutcome(ELSEWHERE_ADVICE);
        return failedOutcome(
          `@${name} has not written to the bot since the portal started. Send /start to the bot from that account, then try again.`,
        );
      }
      return send(bot, chatId, `Test message from the BlackDuck portal\n\n${message}`);
    },
    sendApplication: async () => {
      if (!bot) return failedOutcome(`${NO_BOT_TEXT} ${NO_BOT_ADVICE}`);
      const notice = composeTeamNotice(
        { event: 'card-application.received', referenceNumber: TEST_REFERENCE, audience: 'team' },
        teamOrigin(),
      );
      if (notice === null) return failedOutcome('Card applications have no Telegram notice.');
      return send(bot, bot.config.chatId, `TEST: this is not a real application\n${notice}`);
    },
  };
}

/** The maximum age (ms) of a diagnosis for a page that polls. Shorter than the polling interval of 5 seconds. */
const MAX_POLLED_AGE_MS = 4_000;
/** The maximum age (ms) of a diagnosis that an admin requests with the button. */
const MAX_REQUESTED_AGE_MS = 1_000;

export function telegramRoutes(options: {
  readonly telegram: TelegramContext;
  readonly authorize: AuthorizeAdmin;
}): ApiRoute[] {
  const { telegram, authorize } = options;
  const diagnosticsRoute = (
    call: typeof telegramDiagnostics | typeof telegramPolledDiagnostics,
    maxAgeMs: number,
  ): ApiRoute =>
    adminRoute(call, { authorize }, async (_admin, _request, response) => {
      response.json(await telegram.diagnostics.read(maxAgeMs));
    });
  return [
    diagnosticsRoute(telegramDiagnostics, MAX_REQUESTED_AGE_MS),
    diagnosticsRoute(telegramPolledDiagnostics, MAX_POLLED_AGE_MS),
    adminRoute(sendTestMessage, { authorize, limit: 'telegram-tests' }, async (_admin, request, response) => {
      const { username, message } = readBody(sendTestMessage.body, request.body);
      response.json(await telegram.testSender.sendMessage(username ?? '', message));
    }),
    adminRoute(
      sendTestApplication,
      { authorize, limit: 'telegram-tests' },
      async (_admin, _request, response) => {
        response.json(await telegram.testSender.sendApplication());
      },
    ),
  ];
}
