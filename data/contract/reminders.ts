import { z } from 'zod';
import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import type { Call } from './call.ts';
import { textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';
import { address, moment } from './provenance.ts';
import { submissionKey } from './submissions.ts';

/** Links in emails lead to this page. Each link ends with `#confirm=…` or `#stop=…`, which browsers do not send. */
export const REMINDERS_PAGE = '/reminders';

const reminder = z.object({
  id: z.string(),
  channel: z.enum(['mail', 'telegram', 'push']),
  target: z
    .string()
    .nullable()
    .describe('The masked email address, or the host of the browser’s push service; null for a chat.'),
  state: z.enum(['unconfirmed', 'on']).describe('unconfirmed: the link has not been used yet.'),
  requestedAt: moment,
});

const reminderList = z.object({
  walletAddress: address,
  reminders: z.array(reminder).describe('Oldest first.'),
  hasBot: z.boolean().describe('Whether reminders can be sent by Telegram.'),
  pushKey: z.string().describe('The key that a browser needs to subscribe to push messages (VAPID).'),
});

export const reminders = {
  method: 'GET',
  path: PATHS.reminders,
  summary: 'The reminders of the signed-in wallet: before a lock ends, and after a stake changes',
  access: 'wallet-owner',
  response: reminderList,
} as const satisfies Call;

const ENDPOINT_ERROR = 'Set endpoint to the URL of the browser’s push service.';
const KEY_ERROR = 'Set keys to the keys of the browser’s subscription.';
/** @param bytes the key's length */
const subscriptionKey = (bytes: number) =>
  z
    .string({ error: KEY_ERROR })
    .regex(new RegExp(`^[\\w-]{${Math.ceil((bytes * 4) / 3)}}=*$`), KEY_ERROR)
    .max(Math.ceil((bytes * 4) / 3) + 2, KEY_ERROR);

export const addReminder = {
  method: 'POST',
  path: PATHS.addReminder,
  summary: `Sets up reminders for the signed-in wallet. An email asks its recipient to confirm the address within ${PORTAL_LIMITS.reminderLinkHours} hours`,
  access: 'wallet-owner',
  body: z.discriminatedUnion(
    'channel',
    [
      z.strictObject({
        channel: z.literal('mail'),
        email: textSchema({ kind: 'email', label: 'Email address' }),
      }),
      z.strictObject({ channel: z.literal('telegram') }),
      z.strictObject({
        channel: z.literal('push'),
        endpoint: z.url({ error: ENDPOINT_ERROR }).max(1_000, ENDPOINT_ERROR),
        keys: z.strictObject({ p256dh: subscriptionKey(65), auth: subscriptionKey(16) }),
      }),
    ],
    { error: 'Set channel to mail, telegram or push.' },
  ),
  response: reminderList.extend({
    chatUrl: z
      .string()
      .nullable()
      .describe(
        `A link that opens the bot, which then connects the chat. The link works once, within ${PORTAL_LIMITS.chatLinkMinutes} minutes. Null for other channels.`,
      ),
  }),
  errors: ['too-many-reminders', 'push-endpoint', 'no-bot'],
} as const satisfies Call;

export const removeReminder = {
  method: 'POST',
  path: PATHS.removeReminder,
  summary: 'Stops one reminder of the signed-in wallet',
  access: 'wallet-owner',
  body: z.strictObject({
    id: z.string({ error: 'Set id to the id of a reminder.' }).max(64, 'Set id to the id of a reminder.'),
  }),
  response: reminderList,
} as const satisfies Call;

const TOKEN_ERROR = 'Open the link from the email again.';
const token = z.string({ error: TOKEN_ERROR }).max(120, TOKEN_ERROR).describe('The token of the link.');
const successBody = z.object({ success: z.literal(true) });

export const confirmReminder = {
  method: 'POST',
  path: PATHS.confirmReminder,
  summary: 'Confirms the email address for reminders, with the link from the first email',
  body: z.strictObject({ token }),
  response: successBody,
  errors: ['reminder-link-ended'],
} as const satisfies Call;

export const stopReminder = {
  method: 'POST',
  path: PATHS.stopReminder,
  summary: 'Stops the reminders of one address. Mail programs use it for one-click unsubscribe (RFC 8058)',
  // The token is in the URL, because the body of a one-click unsubscribe is fixed (RFC 8058). The token can only stop this one
  // reminder.
  query: z.object({ subscription: token }),
  response: successBody,
  errors: ['reminder-link-ended'],
} as const satisfies Call;

export const createTelegramAnswerLink = {
  method: 'POST',
  path: PATHS.createTelegramAnswerLink,
  summary:
    'Creates a link to the bot. The Telegram chat that opens it gets a message when the team answers the applicant',
  body: submissionKey,
  response: z.object({
    chatUrl: z
      .string()
      .nullable()
      .describe(
        `A link that opens the bot, which then connects the chat. The link works once, within ${PORTAL_LIMITS.chatLinkMinutes} minutes. Null if the portal has no bot. Also null unless the mailbox or the wallet of the submission is proven; a message to support needs no proof for ${PORTAL_LIMITS.chatLinkMinutes} minutes after it was sent. Always null for a message to support that is part of a merge.`,
      ),
  }),
  errors: ['unknown-submission'],
} as const satisfies Call;
