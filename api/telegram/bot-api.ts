import { z } from 'zod';

/**
 * Why a call of the Bot API came to nothing. `token`: it is not accepted. `forbidden`, `chat`: the bot may not do that
 * there, or the chat is not one that it knows. `conflict`: another program reads the bot's updates, or a webhook takes
 * them. `busy`: Telegram asks for patience. `unreachable`: the request never left. `silent`: no answer in time.
 * `unreadable`: what came is no answer of a Bot API. `failed`: a fault on Telegram's side. `refused`: anything else.
 */
export type BotFaultKind =
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

export interface BotFault {
  readonly kind: BotFaultKind;
  /** In words that hold neither the token nor a whole chat id. */
  readonly error: string;
  /** Milliseconds that Telegram asks to wait. */
  readonly retryAfterMs?: number;
}

export type BotAnswer<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly fault: BotFault };

export const botUser = z.object({
  id: z.number(),
  first_name: z.string(),
  username: z.string(),
});
export type BotUser = z.infer<typeof botUser>;

export const botChat = z.object({ id: z.number(), type: z.string() });
export type BotChat = z.infer<typeof botChat>;

/** What the bot is in a chat. The two rights are told of those statuses alone that can lack them. */
export const botMembership = z.object({
  status: z.string(),
  can_send_messages: z.boolean().optional(),
  can_post_messages: z.boolean().optional(),
});
export type BotMembership = z.infer<typeof botMembership>;

export const webhookInfo = z.object({ url: z.string(), pending_update_count: z.number() });
export type WebhookInfo = z.infer<typeof webhookInfo>;

/** An update of any kind; what is in it is read where it is handled, so that one that is odd holds up no other. */
export const rawUpdate = z.looseObject({ update_id: z.int() });
export type RawUpdate = z.infer<typeof rawUpdate>;

export interface OutgoingText {
  readonly chatId: string;
  /** Plain: Telegram reads no markup in it. */
  readonly text: string;
  /** The message that it answers. */
  readonly replyTo?: number;
}

/** The calls of the Bot API that the portal makes as its bot. None throws, each ends within its time. */
export interface BotApi {
  getMe(signal?: AbortSignal): Promise<BotAnswer<BotUser>>;
  getChat(chatId: string): Promise<BotAnswer<BotChat>>;
  /** What the bot itself is in a chat. */
  getOwnMembership(chatId: string): Promise<BotAnswer<BotMembership>>;
  getWebhookInfo(): Promise<BotAnswer<WebhookInfo>>;
  /** Messages from an update id on, which confirms those before it; waits for one as long as it is told to. */
  getUpdates(
    offset: number,
    waitSeconds: number,
    signal?: AbortSignal,
  ): Promise<BotAnswer<readonly RawUpdate[]>>;
  send(message: OutgoingText, signal?: AbortSignal): Promise<BotAnswer<{ readonly messageId: number }>>;
}
