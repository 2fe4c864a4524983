import { z } from 'zod';
import { ADMIN_ERRORS } from './admin-session.ts';
import type { Call } from './call.ts';
import { line, lines } from './form-fields.ts';

/** The calls of the two diagnostics pages. None tells the bot's token, or the whole id of a chat. */

/** Characters of a test message that are read: what Telegram takes, less the words that mark it as a test. */
export const TEST_MESSAGE_AT_MOST = 3_000;
const USERNAME_AT_MOST = 33;

const fault = z.string().nullable().describe('Why not, in words; null where it succeeded.');
const maskedChat = z.string().nullable().describe('The last three signs of its id, behind an ellipsis.');

export const telegramDiagnosis = z.object({
  botToken: z.enum(['Present', 'Missing']),
  chatId: maskedChat.describe('The team’s chat: the last three signs of its id; null where none is set.'),
  connectionTest: z.object({
    success: z.boolean(),
    error: fault,
    botInfo: z.object({ first_name: z.string(), username: z.string() }).nullable(),
  }),
  messageTest: z.object({
    success: z
      .boolean()
      .describe('Whether the bot is in the team’s chat and may write there. Nothing is written to find out.'),
    chatId: maskedChat,
    error: fault,
  }),
  updatesTest: z.object({
    success: z.boolean().describe('Whether the bot hears what is written to it.'),
    error: fault,
    updates: z
      .array(
        z.object({
          updateId: z.int(),
          kind: z.enum(['command', 'message', 'other']),
          at: z.iso.datetime(),
        }),
      )
      .describe('What came last, newest first: neither what was written nor by whom.'),
  }),
  recommendations: z.array(z.string()).describe('What to do, most important first; empty where all is well.'),
  checkedAt: z.iso.datetime().describe('When Telegram was asked.'),
});
export type TelegramDiagnosis = z.infer<typeof telegramDiagnosis>;

export const telegramDiagnostics = {
  method: 'GET',
  path: '/api/telegram/diagnostics',
  summary: 'State and tests of the messaging bot, made anew',
  access: 'viewer',
  response: telegramDiagnosis,
  errors: ADMIN_ERRORS,
  live: false,
} as const satisfies Call;

export const telegramNewDiagnostics = {
  method: 'GET',
  path: '/api/telegram/new-diagnostics',
  summary: 'The same for who asks every few seconds: tests of the last seconds are told again',
  access: 'viewer',
  response: telegramDiagnosis,
  errors: ADMIN_ERRORS,
  live: false,
} as const satisfies Call;

const testOutcome = z.object({
  success: z.boolean().describe('Whether Telegram took it.'),
  chatId: maskedChat.describe('The chat that got it: the last three signs of its id; null where none did.'),
  error: fault,
});
export type TestOutcome = z.infer<typeof testOutcome>;

export const sendTestMessage = {
  method: 'POST',
  path: '/api/telegram/send-test',
  summary: 'Sends a message, marked as a test, to the team’s chat or to a person who has written to the bot',
  access: 'reviewer',
  body: z.strictObject({
    username: line({ what: 'the username', atMost: USERNAME_AT_MOST, atLeast: 0 })
      .regex(/^(@?\w{4,32})?$/, 'Give the username as Telegram shows it, such as @ada_lovelace, or nothing.')
      .nullish()
      .describe('Whom it is for; the team’s chat where absent or empty.'),
    message: lines({ what: 'the message', atMost: TEST_MESSAGE_AT_MOST }),
  }),
  response: testOutcome,
  errors: {
    400: 'The message is blank or too long, or the username is none.',
    413: 'The body is too large.',
    ...ADMIN_ERRORS,
  },
  live: false,
} as const satisfies Call;

export const sendTestApplication = {
  method: 'POST',
  path: '/api/telegram/send-test-application',
  summary:
    'Sends the notice of a card application, marked as a test and without anyone’s data, to the team’s chat',
  access: 'reviewer',
  response: testOutcome,
  errors: ADMIN_ERRORS,
  live: false,
} as const satisfies Call;
