import { z } from 'zod';
import type { RawUpdate } from './bot-api.ts';

/** UTF-16 units of a message: Telegram's limit. */
const READ_AT_MOST = 4_096;

const message = z.object({
  message_id: z.int(),
  /** Unix seconds. */
  date: z.number(),
  text: z.string().max(READ_AT_MOST).optional(),
  chat: z.object({ id: z.number(), type: z.string() }),
  from: z.object({ is_bot: z.boolean(), username: z.string().optional() }).optional(),
});

/** A text message to the bot, or in a group of the bot. */
export interface IncomingMessage {
  readonly id: number;
  /** Unix ms. */
  readonly at: number;
  readonly text: string;
  readonly chatId: string;
  /** Whether it is in a private chat with the bot. */
  readonly isPrivate: boolean;
  /** The sender's Telegram username without the @, or null. */
  readonly username: string | null;
}

/** The text message of an update; null when there is none, or a bot sent it. */
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

/** A command, such as `/verify 4vJ9…` or, in a group, `/verify@blackduck_bot 4vJ9…`. */
interface BotCommand {
  /** In lower case, without the slash. */
  readonly name: string;
  /** The trimmed text after it. */
  readonly argument: string;
  /** Whether it names this bot. */
  readonly isAddressed: boolean;
}

const COMMAND = /^\/([a-z0-9_]{1,32})(?:@([a-z0-9_]{1,64}))?(?:\s+|$)/i;

/** The command at the start of a text; null when there is none, or it names another bot. */
export function readCommand(text: string, ownUsername: string): BotCommand | null {
  const found = COMMAND.exec(text);
  if (!found) return null;
  const [match, name = '', addressee] = found;
  if (addressee !== undefined && addressee.toLowerCase() !== ownUsername.toLowerCase()) return null;
  return {
    name: name.toLowerCase(),
    argument: text.slice(match.length).trim(),
    isAddressed: addressee !== undefined,
  };
}
