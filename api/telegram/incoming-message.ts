import { z } from 'zod';
import type { RawUpdate } from './bot-api.ts';

/** UTF-16 units that are read of a message; Telegram's own limit is 4,096. */
const READ_AT_MOST = 4_096;

const message = z.object({
  message_id: z.int(),
  /** Unix seconds. */
  date: z.number(),
  text: z.string().max(READ_AT_MOST).optional(),
  chat: z.object({ id: z.number(), type: z.string() }),
  from: z.object({ is_bot: z.boolean(), username: z.string().optional() }).optional(),
});

/** A message that somebody wrote where the bot reads it. */
export interface IncomingMessage {
  readonly id: number;
  /** Unix ms. */
  readonly at: number;
  readonly text: string;
  readonly chatId: string;
  /** Whether it is a conversation with the bot alone. */
  readonly isPrivate: boolean;
  /** The sender's name on Telegram, without the @; null where there is none. */
  readonly username: string | null;
}

/** The message of an update; null where it has none that is text, or a bot wrote it. */
export function incomingMessage(update: RawUpdate): IncomingMessage | null {
  const parsed = message.safeParse(update.message);
  if (!parsed.success || parsed.data.text === undefined || parsed.data.from?.is_bot) return null;
  const { message_id: id, date, text, chat, from } = parsed.data;
  return {
    id,
    at: date * 1_000,
    text,
    chatId: String(chat.id),
    isPrivate: chat.type === 'private',
    username: from?.username ?? null,
  };
}

/** A command as it was written: `/verify 4vJ9…` or, in a group, `/verify@blackduck_bot 4vJ9…`. */
export interface BotCommand {
  /** In lower case, without the slash. */
  readonly name: string;
  /** What follows it, without the space around. */
  readonly words: string;
  /** Whether it names a bot, which then is this one. */
  readonly isAddressed: boolean;
}

const COMMAND = /^\/([a-z0-9_]{1,32})(?:@([a-z0-9_]{1,64}))?(?:\s+|$)/i;

/** The command that a text begins with; null where it begins with none, or with another bot's. */
export function readCommand(text: string, ownUsername: string): BotCommand | null {
  const found = COMMAND.exec(text);
  if (!found) return null;
  const [whole, name = '', addressee] = found;
  if (addressee !== undefined && addressee.toLowerCase() !== ownUsername.toLowerCase()) return null;
  return {
    name: name.toLowerCase(),
    words: text.slice(whole.length).trim(),
    isAddressed: addressee !== undefined,
  };
}
