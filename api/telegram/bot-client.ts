import { Telegram } from 'telegraf';
import { z } from 'zod';
import { telegramOutcome } from '../delivery/telegram/telegram-outcome.ts';
import {
  type BotAnswer,
  type BotApi,
  type BotFault,
  type BotFaultKind,
  botChat,
  botMembership,
  botUser,
  rawUpdate,
  webhookInfo,
} from './bot-api.ts';

/** Telegraf's types name the signal of a stand-in from before Node had its own, which it takes as well. */
type TelegrafSignal = NonNullable<NonNullable<Parameters<Telegram['callApi']>[2]>['signal']>;

/** Milliseconds that an answer may take. */
const ANSWER_WITHIN = 5_000;
/** Milliseconds that an answer may come later than the wait that was asked for. */
const AFTER_WAIT = 10_000;

const sent = z.object({ message_id: z.int() });

const KIND_OF_CODE: Readonly<Record<string, BotFaultKind>> = {
  '400': 'chat',
  '401': 'token',
  // Telegram says 404 of a token that cannot be one.
  '404': 'token',
  '403': 'forbidden',
};

function faultOf(failure: unknown): BotFault {
  const outcome = telegramOutcome(failure);
  switch (outcome.kind) {
    case 'pause':
      if (outcome.reason === 'busy') {
        const { retryAfterMs } = outcome;
        return {
          kind: 'busy',
          error: outcome.error,
          ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
        };
      }
      if (outcome.reason === 'unreachable') return { kind: 'unreachable', error: outcome.error };
      return { kind: KIND_OF_CODE[outcome.code] ?? 'refused', error: outcome.error };
    case 'unknown':
      return outcome.code === 'ETIMEDOUT'
        ? { kind: 'silent', error: 'Telegram did not answer in time.' }
        : { kind: 'unreadable', error: 'The connection ended, or what answered is no Bot API.' };
    case 'retry':
      return { kind: 'failed', error: outcome.error };
    case 'dead':
      return { kind: outcome.code === '409' ? 'conflict' : 'refused', error: outcome.error };
    default:
      return { kind: 'refused', error: 'Telegram gave no reason.' };
  }
}

/** Speaks as the bot of a token with Telegram, or with another server of its Bot API. */
export function createBotClient(
  { token, apiRoot }: { readonly token: string; readonly apiRoot: string },
  answerWithin = ANSWER_WITHIN,
): BotApi {
  const telegram = new Telegram(token, { apiRoot });
  /** A bot's own id stands before its secret. */
  const [ownId = ''] = token.split(':');

  /** Telegram's words hold no token; those of another server might repeat the address they were asked at. */
  const withoutToken = (fault: BotFault): BotFault => ({
    ...fault,
    error: fault.error.replaceAll(token, '…'),
  });

  async function call<Result extends z.ZodType>(
    result: Result,
    ask: (options: { readonly signal: TelegrafSignal }) => Promise<unknown>,
    signal?: AbortSignal,
    within = answerWithin,
  ): Promise<BotAnswer<z.output<Result>>> {
    const deadline = AbortSignal.timeout(within);
    const ended = signal ? AbortSignal.any([signal, deadline]) : deadline;
    try {
      const parsed = result.safeParse(await ask({ signal: ended as unknown as TelegrafSignal }));
      if (parsed.success) return { ok: true, result: parsed.data };
      return {
        ok: false,
        fault: { kind: 'unreadable', error: 'What answered is no Bot API that the portal can read.' },
      };
    } catch (failure) {
      return { ok: false, fault: withoutToken(faultOf(failure)) };
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
        waitSeconds === 0 ? answerWithin : waitSeconds * 1_000 + AFTER_WAIT,
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
