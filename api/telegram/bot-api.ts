import { z } from 'zod';

/**
 * Why a call to the Bot API failed. `token`: the token is invalid. `forbidden`: the bot may not do this. `chat`: the chat is
 * unknown. `conflict`: another program or a webhook receives the bot's updates. `busy`: rate limited. `unreachable`: the
 * request was not sent. `silent`: no response in time. `unreadable`: the response is not from a Bot API. `failed`: an
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
  /** How long Telegram asks the bot to wait. */
  readonly retryAfterMs?: number;
}

export type BotAnswer<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: BotError };

export const botUser = z.object({
  id: z.number(),
  first_name: z.string(),
  username: z.string(),
});
export type BotUser = z.infer<typeof botUser>;

export const botChat = z.object({ id: z.number(), type: z.string() });
export type BotChat = z.infer<typeof botChat>;

/** The bot's membership in a chat. Telegram sends the two rights only for statuses that can lack them. */
export const botMembership = z.object({
  status: z.string(),
  can_send_messages: z.boolean().optional(),
  can_post_messages: z.boolean().optional(),
});
export type BotMembership = z.infer<typeof botMembership>;

export const webhookInfo = z.object({ url: z.string(), pending_update_count: z.number() });
export type WebhookInfo = z.infer<typeof webhookInfo>;

/** Its handler parses the other fields, so that an unreadable update does not stop the others. */
export const rawUpdate = z.looseObject({ update_id: z.int() });
export type RawUpdate = z.infer<typeof rawUpdate>;

interface OutgoingText {
  readonly chatId: string;
  /** Plain text, without markup. */
  readonly text: string;
  /** The id of the message that this one answers. */
  readonly replyTo?: number;
}

/** The calls that the portal makes to the Bot API. None throws, and each has a time limit. */
export interface BotApi {
  getMe(signal?: AbortSignal): Promise<BotAnswer<BotUser>>;
  getChat(chatId: string): Promise<BotAnswer<BotChat>>;
  getOwnMembership(chatId: string): Promise<BotAnswer<BotMembership>>;
  getWebhookInfo(): Promise<BotAnswer<WebhookInfo>>;
  /** Waits up to `waitSeconds` for updates from the id `offset` on, and confirms those before it. */
  getUpdates(
    offset: number,
    waitSeconds: number,
    signal?: AbortSignal,
  ): Promise<BotAnswer<readonly RawUpdate[]>>;
  send(message: OutgoingText, signal?: AbortSignal): Promise<BotAnswer<{ readonly messageId: number }>>;
}
