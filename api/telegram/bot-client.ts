import { Telegram } from 'telegraf';
import { z } from 'zod';
import { type TelegrafSignal, telegramOutcome } from '../delivery/telegram/bot-transport.ts';

/**
 * Why a call to the Bot API failed. `token`: the token is invalid. `forbidden`: the bot may not do this. `chat`: the chat is
 * unknown. `conflict`: another program or a webhook receives the bot's updates. `busy`: rate limited. `unreachable`: the
 * request was not sent. `silent`: no response in time. `unreadable`: the response is not from a Bot API server. `failed`: an
 * internal error at Telegram. `refused`: anything else.
 */
export type BotErrorKind =
  | 'token'
  | 'forbidden'
  | 'chat'
  | 'conflict'
  | 'busy'
  | 'unreachable'
  | 'silent'
  | 'unreadable'
  | 'failed'
  | 'refused';

export interface BotError {
  readonly kind: BotErrorKind;
  /** Contains neither the token nor a full chat id. */
  readonly message: string;
  readonly retryAfterMs?: number;
}

export type BotAnswer<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: BotError };

const botUser = z.object({ id: z.number(), first_name: z.string(), username: z.string() });
export type BotUser = z.infer<typeof botUser>;

const botChat = z.object({ id: z.number(), type: z.string() });
export type BotChat = z.infer<typeof botChat>;

/** Telegram omits the rights that the status implies. */
const botMembership = z.object({
  status: z.string(),
  can_send_messages: z.boolean().optional(),
  can_post_messages: z.boolean().optional(),
});
export type BotMembership = z.infer<typeof botMembership>;

const webhookInfo = z.object({ url: z.string(), pending_update_count: z.number() });
export type WebhookInfo = z.infer<typeof webhookInfo>;

/** The handler parses the other fields of each update, so that one unreadable update does not block the others. */
const rawUpdate = z.looseObject({ update_id: z.int() });
export type RawUpdate = z.infer<typeof rawUpdate>;

interface OutgoingText {
  readonly chatId: string;
  /** Plain text, without markup. */
  readonly text: string;
  readonly replyTo?: number;
}

const TIMEOUT_MS = 5_000;
/** How much longer, in ms, a read may take than the requested wait for updates. */
const EXTRA_WAIT_MS = 10_000;

const sentMessageSchema = z.object({ message_id: z.int() });

const KIND_OF_CODE: Readonly<Record<string, BotErrorKind>> = {
  '400': 'chat',
  '401': 'token',
  // Telegram responds with 404 to a malformed token.
  '404': 'token',
  '403': 'forbidden',
};

function toBotError(failure: unknown): BotError {
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

/** No call throws, and each has a time limit. */
export type BotClient = ReturnType<typeof createBotClient>;

/** @param apiRoot the URL of Telegram's or another Bot API server */
export function createBotClient(
  { token, apiRoot }: { readonly token: string; readonly apiRoot: string },
  timeoutMs = TIMEOUT_MS,
) {
  const telegram = new Telegram(token, { apiRoot });
  /** A token is the bot's id, a colon and a secret. */
  const [ownId = ''] = token.split(':');

  /** Removes the token, because a server other than Telegram's may repeat the URL, which contains it. */
  const withoutToken = (error: BotError): BotError => ({
    ...error,
    message: error.message.replaceAll(token, '…'),
  });

  async function call<Result extends z.ZodType>(
    resultSchema: Result,
    ask: (options: { readonly signal: TelegrafSignal }) => Promise<unknown>,
    signal?: AbortSignal,
    callTimeoutMs = timeoutMs,
  ): Promise<BotAnswer<z.output<Result>>> {
    const timeoutSignal = AbortSignal.timeout(callTimeoutMs);
    const callSignal = signal ? AbortSignal.any([signal, timeoutSignal]) : timeoutSignal;
    try {
      const parsed = resultSchema.safeParse(await ask({ signal: callSignal as unknown as TelegrafSignal }));
      if (parsed.success) return { ok: true, result: parsed.data };
      return {
        ok: false,
        error: { kind: 'unreadable', message: 'The response is not from a Bot API server.' },
      };
    } catch (failure) {
      return { ok: false, error: withoutToken(toBotError(failure)) };
    }
  }

  return {
    getMe: (signal?: AbortSignal) =>
      call(botUser, (options) => telegram.callApi('getMe', {}, options), signal),
    getChat: (chatId: string) =>
      call(botChat, (options) => telegram.callApi('getChat', { chat_id: chatId }, options)),
    getOwnMembership: (chatId: string) =>
      call(botMembership, (options) =>
        telegram.callApi('getChatMember', { chat_id: chatId, user_id: Number(ownId) }, options),
      ),
    getWebhookInfo: () => call(webhookInfo, (options) => telegram.callApi('getWebhookInfo', {}, options)),
    /** Waits up to `waitSeconds` for updates with ids of at least `offset`, and confirms all updates with lower ids. */
    getUpdates: (offset: number, waitSeconds: number, signal?: AbortSignal) =>
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
    send: ({ chatId, text, replyTo }: OutgoingText) => {
      const message = {
        chat_id: chatId,
        text,
        link_preview_options: { is_disabled: true },
        ...(replyTo === undefined
          ? {}
          : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
      };
      return call(sentMessageSchema, (options) => telegram.callApi('sendMessage', message, options));
    },
  };
}
