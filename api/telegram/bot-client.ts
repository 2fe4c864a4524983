import { Telegram } from 'telegraf';
import { z } from 'zod';
import { type TelegrafSignal, telegramOutcome } from '../delivery/telegram/telegram-sender.ts';
import {
  type BotAnswer,
  type BotApi,
  type BotError,
  type BotErrorKind,
  botChat,
  botMembership,
  botUser,
  rawUpdate,
  webhookInfo,
} from './bot-api.ts';

const TIMEOUT_MS = 5_000;
/** Milliseconds that a read may take beyond the requested wait for updates. */
const EXTRA_WAIT_MS = 10_000;

const sent = z.object({ message_id: z.int() });

const KIND_OF_CODE: Readonly<Record<string, BotErrorKind>> = {
  '400': 'chat',
  '401': 'token',
  // Telegram responds with 404 to a malformed token.
  '404': 'token',
  '403': 'forbidden',
};

function botError(failure: unknown): BotError {
  const outcome = telegramOutcome(failure);
  switch (outcome.kind) {
    case 'pause':
      if (outcome.reason === 'refused') {
        return { kind: KIND_OF_CODE[outcome.code] ?? 'refused', message: outcome.error };
      }
      return {
        kind: outcome.reason,
        message: outcome.error,
        ...(outcome.retryAfterMs !== undefined && { retryAfterMs: outcome.retryAfterMs }),
      };
    case 'unknown':
      return outcome.code === 'ETIMEDOUT'
        ? { kind: 'silent', message: 'Telegram did not answer in time.' }
        : {
            kind: 'unreadable',
            message: "The connection ended, or the server isn't a Telegram Bot API server.",
          };
    case 'retry':
      return { kind: 'failed', message: outcome.error };
    case 'dead':
      return { kind: outcome.code === '409' ? 'conflict' : 'refused', message: outcome.error };
    default:
      return { kind: 'refused', message: 'Telegram gave no reason.' };
  }
}

/** @param apiRoot Telegram or another Bot API server */
export function createBotClient(
  { token, apiRoot }: { readonly token: string; readonly apiRoot: string },
  timeoutMs = TIMEOUT_MS,
): BotApi {
  const telegram = new Telegram(token, { apiRoot });
  /** A token is the bot's id, a colon and a secret. */
  const [ownId = ''] = token.split(':');

  /** Other servers may repeat the URL, which contains the token. */
  const withoutToken = (error: BotError): BotError => ({
    ...error,
    message: error.message.replaceAll(token, '…'),
  });

  async function call<Result extends z.ZodType>(
    result: Result,
    ask: (options: { readonly signal: TelegrafSignal }) => Promise<unknown>,
    signal?: AbortSignal,
    callTimeoutMs = timeoutMs,
  ): Promise<BotAnswer<z.output<Result>>> {
    const deadline = AbortSignal.timeout(callTimeoutMs);
    const ended = signal ? AbortSignal.any([signal, deadline]) : deadline;
    try {
      const parsed = result.safeParse(await ask({ signal: ended as unknown as TelegrafSignal }));
      if (parsed.success) return { ok: true, result: parsed.data };
      return { ok: false, error: { kind: 'unreadable', message: 'The response is not from a Bot API.' } };
    } catch (failure) {
      return { ok: false, error: withoutToken(botError(failure)) };
    }
  }

  return {
    getMe: (signal) => call(botUser, (options) => telegram.callApi('getMe', {}, options), signal),
    getChat: (chatId) =>
      call(botChat, (options) => telegram.callApi('getChat', { chat_id: chatId }, options)),
    getOwnMembership: (chatId) =>
      call(botMembership, (options) =>
        telegram.callApi('getChatMember', { chat_id: chatId, user_id: Number(ownId) }, options),
      ),
    getWebhookInfo: () => call(webhookInfo, (options) => telegram.callApi('getWebhookInfo', {}, options)),
    getUpdates: (offset, waitSeconds, signal) =>
      call(
        z.array(rawUpdate),
        (options) =>
          telegram.callApi(
            'getUpdates',
            { offset, timeout: waitSeconds, allowed_updates: ['message'] },
            options,
          ),
        signal,
        waitSeconds === 0 ? timeoutMs : waitSeconds * 1_000 + EXTRA_WAIT_MS,
      ),
    send: async ({ chatId, text, replyTo }, signal) => {
      const message = {
        chat_id: chatId,
        text,
        link_preview_options: { is_disabled: true },
        ...(replyTo === undefined
          ? {}
          : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
      };
      const answer = await call(sent, (options) => telegram.callApi('sendMessage', message, options), signal);
      return answer.ok ? { ok: true, result: { messageId: answer.result.message_id } } : answer;
    },
  };
}
