import { z } from 'zod';
import type { RawUpdate } from './bot-client.ts';

/** Telegram's limit. */
const MAX_TEXT_LENGTH = 4_096;

const FILE_FIELDS = ['photo', 'document', 'video', 'video_note', 'audio', 'voice'] as const;

const messageSchema = z.object({
  message_id: z.int(),
  /** Unix seconds. */
  date: z.number(),
  text: z.string().max(MAX_TEXT_LENGTH).optional(),
  caption: z.string().max(MAX_TEXT_LENGTH).optional(),
  chat: z.object({ id: z.number(), type: z.string() }),
  from: z.object({ is_bot: z.boolean(), username: z.string().optional() }).optional(),
  reply_to_message: z.object({ text: z.string().max(MAX_TEXT_LENGTH).optional() }).optional(),
});

export interface IncomingMessage {
  readonly id: number;
  /** The id of Telegram's update, which stays the same if Telegram sends the update again. */
  readonly updateId: number;
  /** Unix ms. */
  readonly at: number;
  /** The text, or the caption of a file; empty for a file without a caption. */
  readonly text: string;
  readonly chatId: string;
  readonly isPrivate: boolean;
  /** The sender's Telegram username without the @; null if there is none. */
  readonly username: string | null;
  /** The text of the message that this one replies to; null if it is not a reply. */
  readonly repliedText: string | null;
}

/** The message in an update; null if it has neither a text nor a file, or if a bot sent it. */
export function parseIncomingMessage(update: RawUpdate): IncomingMessage | null {
  const parsed = messageSchema.safeParse(update.message);
  if (!parsed.success || parsed.data.from?.is_bot) return null;
  const { message_id: id, date, caption, chat, from, reply_to_message: repliedMessage } = parsed.data;
  const hasFile = FILE_FIELDS.some((field) => Object.hasOwn(Object(update.message), field));
  const text = parsed.data.text ?? caption ?? (hasFile ? '' : null);
  if (text === null) return null;
  return {
    id,
    updateId: update.update_id,
    at: date * 1_000,
    text,
    chatId: String(chat.id),
    isPrivate: chat.type === 'private',
    username: from?.username ?? null,
    repliedText: repliedMessage?.text ?? null,
  };
}

/** `/verify 4vJ9…` or, in a group, `/verify@blackduck_bot 4vJ9…`. */
interface BotCommand {
  /** In lower case, without the slash. */
  readonly name: string;
  readonly argument: string;
  /** Whether the command names this bot. */
  readonly isAddressed: boolean;
}

const COMMAND = /^\/([a-z0-9_]{1,32})(?:@([a-z0-9_]{1,64}))?(?:\s+|$)/i;

/** The command at the start of a text; null if there is none or it names another bot. */
export function readCommand(text: string, ownUsername: string): BotCommand | null {
  const commandMatch = COMMAND.exec(text);
  if (!commandMatch) return null;
  const [match, name = '', addressee] = commandMatch;
  if (addressee !== undefined && addressee.toLowerCase() !== ownUsername.toLowerCase()) return null;
  return {
    name: name.toLowerCase(),
    argument: text.slice(match.length).trim(),
    isAddressed: addressee !== undefined,
  };
}
