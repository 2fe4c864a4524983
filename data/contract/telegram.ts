import { z } from 'zod';
import type { Call } from './call.ts';
import { textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';
import { moment } from './provenance.ts';

/* The calls of the two diagnostics pages. None returns the bot's token or the full id of a chat. */

/** Telegram's limit is 4,096 characters, and each message gets a prefix that marks it as a test. */
const MAX_TEST_MESSAGE_LENGTH = 3_000;
const MAX_USERNAME_LENGTH = 33;

const errorText = z.string().nullable().describe('The error; null on success.');
const maskedChat = z
  .string()
  .nullable()
  .describe('The last three characters of the chat’s id, after an ellipsis.');

export const telegramDiagnosis = z.object({
  botToken: z.enum(['Present', 'Missing']),
  chatId: maskedChat.describe('The last three characters of the id of the team’s chat; null if none is set.'),
  connectionTest: z.object({
    success: z.boolean(),
    error: errorText,
    botInfo: z.object({ first_name: z.string(), username: z.string() }).nullable(),
  }),
  messageTest: z.object({
    success: z
      .boolean()
      .describe(
        'Whether the bot is in the team’s chat and may write there. No message is sent to check this.',
      ),
    chatId: maskedChat,
    error: errorText,
  }),
  updatesTest: z.object({
    success: z.boolean().describe('Whether the bot receives messages.'),
    error: errorText,
    updates: z
      .array(z.object({ updateId: z.int(), kind: z.enum(['command', 'message', 'other']), at: moment }))
      .describe('The latest updates, newest first, without texts or senders.'),
  }),
  recommendations: z
    .array(z.string())
    .describe('What to do, most important first; empty when everything works.'),
  checkedAt: moment.describe('When the checks ran.'),
});
export type TelegramDiagnosis = z.infer<typeof telegramDiagnosis>;

export const telegramDiagnostics = {
  method: 'GET',
  path: PATHS.telegramDiagnostics,
  summary: 'A new diagnosis of the Telegram bot',
  access: 'viewer',
  response: telegramDiagnosis,
} as const satisfies Call;

export const telegramPolledDiagnostics = {
  method: 'GET',
  path: PATHS.telegramPolledDiagnostics,
  summary: 'A diagnosis of the Telegram bot, for polling: a diagnosis from the last few seconds is reused',
  access: 'viewer',
  response: telegramDiagnosis,
} as const satisfies Call;

const testOutcome = z.object({
  success: z.boolean().describe('Whether Telegram accepted the message.'),
  chatId: maskedChat.describe(
    'The last three characters of the id of the chat that got the message, or null.',
  ),
  error: errorText,
});
export type TestOutcome = z.infer<typeof testOutcome>;

export const sendTestMessage = {
  method: 'POST',
  path: PATHS.sendTestMessage,
  summary: 'Sends a message, marked as a test, to the team’s chat or to a person who has written to the bot',
  access: 'reviewer',
  body: z.strictObject({
    username: z
      .nullish(
        textSchema({ kind: 'line', label: 'Username', maxLength: MAX_USERNAME_LENGTH, optional: true }).check(
          z.regex(
            /^(@?\w{4,32})?$/,
            'Enter the username as Telegram shows it, such as @ada_lovelace, or leave it empty.',
          ),
        ),
      )
      .describe('The recipient; the team’s chat if absent or empty.'),
    message: textSchema({ kind: 'lines', label: 'Message', maxLength: MAX_TEST_MESSAGE_LENGTH }),
  }),
  response: testOutcome,
} as const satisfies Call;

export const sendTestApplication = {
  method: 'POST',
  path: PATHS.sendTestApplication,
  summary:
    'Sends the notice of a card application, marked as a test and without anyone’s data, to the team’s chat',
  access: 'reviewer',
  response: testOutcome,
} as const satisfies Call;
