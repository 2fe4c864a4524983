import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { STOP_TEXT } from '../delivery/telegram/notice.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import type { Readiness } from '../operations/readiness.ts';
import type { ChatAnswerOutcome, ChatLinks } from '../reminders/chat-links.ts';
import { isAddress } from '../wallet-address.ts';
import { deliveriesText, queueText, statusText, type TeamTextSources, walletText } from './bot-texts.ts';
import { type IncomingMessage, readCommand } from './incoming-message.ts';

const MINUTE_MS = 60_000;
/** The maximum number of chats whose messages are counted. For each further chat, the oldest count is dropped. */
const MAX_CHATS = 10_000;

/** `first-over`: the first message over the limit, which gets a notice. `over`: later messages, which get no answer. */
type Allowance = 'within' | 'first-over' | 'over';

function createChatLimit(perMinute: number, now: () => number): (chatId: string) => Allowance {
  const windows = new Map<string, { readonly startedAt: number; messageCount: number }>();
  return (chatId) => {
    const at = now();
    const lastWindow = windows.get(chatId);
    const window =
      lastWindow && Math.abs(at - lastWindow.startedAt) < MINUTE_MS
        ? lastWindow
        : { startedAt: at, messageCount: 0 };
    window.messageCount += 1;
    if (window !== lastWindow) {
      windows.delete(chatId);
      windows.set(chatId, window);
      const [oldest] = windows.keys();
      if (windows.size > MAX_CHATS && oldest !== undefined) windows.delete(oldest);
    }
    if (window.messageCount <= perMinute) return 'within';
    return window.messageCount === perMinute + 1 ? 'first-over' : 'over';
  };
}

/** Older messages get no answer, except /start with a token, /stop and messages to the team. */
const MAX_MESSAGE_AGE_MS = 120_000;

export interface AnswerOptions {
  readonly figureInputs: () => FigureInputs;
  readonly readiness: () => Readiness;
  readonly store: TeamTextSources;
  readonly chatLinks: ChatLinks;
  readonly adminChatIds: readonly string[];
  /** Per chat. */
  readonly answersPerMinute: number;
  /** The portal's URL without a trailing slash. */
  readonly origin: string;
  readonly now: () => number;
}

const linkHelpText = (origin: string) =>
  `For reminders, open ${origin}/my-position, prove that the wallet is yours, and choose Telegram.`;
const STOPPED_TEXT = 'Done. You won’t get any more messages here.';
const LINKED_TEXTS = {
  reminder: `You’ll get a message here before a lock ends and when a stake changes. ${STOP_TEXT}`,
  record: `You’ll get a message here when the team has answered. What you write here goes to the team. ${STOP_TEXT}`,
} as const;
const FILES_TEXT = 'Send files by email.';
const ANSWER_OUTCOME_TEXTS: Readonly<Record<ChatAnswerOutcome, string>> = {
  stored: `The team has your message. ${FILES_TEXT}`,
  which:
    'You have several requests. Reply to our message about one of them, or write its reference number in your message.',
  merged:
    'The team has merged your request with another one, so this message was not stored. Please reply to our last email instead.',
  'too-many':
    'You have sent many messages today, so this one was not stored. Write to us by email, or try again tomorrow.',
};
const NOT_STORED_TEXT = 'Your message could not be stored. Please send it again in a few minutes.';

const VERIFY_USAGE =
  'Send /verify followed by a Solana address, such as /verify 4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T.';

function helpText(origin: string, isTeam: boolean): string {
  return [
    'BlackDuck portal',
    '/status – the portal’s state and figures',
    '/verify <wallet> – a wallet’s stake (public data, no signature)',
    '/remind – reminders before a lock ends',
    '/stop – stop all messages to this chat',
    ...(isTeam
      ? ['/queue – what is waiting for the team', '/deliveries – references of failed deliveries']
      : []),
    '',
    'This bot never asks for keys, recovery phrases or payments.',
    origin,
  ].join('\n');
}

/**
 * Returns a function that answers messages; null means no answer. An answer never repeats text from the message. In groups, the
 * bot only answers its own commands.
 */
export function createBotAnswerer(
  options: AnswerOptions,
): (message: IncomingMessage, ownUsername: string) => Promise<string | null> {
  const { figureInputs, readiness, store, chatLinks, origin, now } = options;
  const adminChats = new Set(options.adminChatIds);
  const countMessage = createChatLimit(options.answersPerMinute, now);

  const publicCommands: Readonly<Record<string, (argument: string) => string>> = {
    status: () => statusText(figureInputs(), readiness(), now()),
    verify: (wallet) => (isAddress(wallet) ? walletText(wallet, figureInputs(), now()) : VERIFY_USAGE),
  };
  const teamCommands: Readonly<Record<string, () => Promise<string>>> = {
    queue: () => queueText(store),
    deliveries: () => deliveriesText(store, now()),
  };

  const remindText = async (chatId: string): Promise<string> => {
    const { wallets, records } = await chatLinks.count(chatId);
    if (wallets + records === 0) return linkHelpText(origin);
    const messages = [
      ...(wallets > 0 ? [`reminders for ${wallets} ${wallets === 1 ? 'wallet' : 'wallets'}`] : []),
      ...(records > 0
        ? [`notices about answers to ${records} ${records === 1 ? 'request' : 'requests'}`]
        : []),
    ];
    return `This chat gets ${messages.join(' and ')}. ${STOP_TEXT}`;
  };

  /**
   * Whether a command in a group is answered even if it does not name the bot. /start and /help are not, because every
   * bot has them.
   */
  const isOwnCommand = (name: string, isTeam: boolean) =>
    name === 'remind' || Object.hasOwn(publicCommands, name) || (isTeam && Object.hasOwn(teamCommands, name));

  /** Null if the command does not exist in this chat. */
  const answerCommand = async (
    { name, argument }: { readonly name: string; readonly argument: string },
    isTeam: boolean,
    chatId: string,
  ): Promise<string | null> => {
    if (name === 'start' || name === 'help') return helpText(origin, isTeam);
    if (name === 'remind') return remindText(chatId);
    if (Object.hasOwn(publicCommands, name)) return publicCommands[name]?.(argument) ?? null;
    if (isTeam && Object.hasOwn(teamCommands, name)) return (await teamCommands[name]?.()) ?? null;
    return null;
  };

  /** The answer to /start with a token, or to /stop; null for any other text. */
  const answerLinkCommand = async (
    command: ReturnType<typeof readCommand>,
    chatId: string,
  ): Promise<string | null> => {
    if (command?.name === 'stop') {
      return (await chatLinks.stop(chatId)) > 0
        ? STOPPED_TEXT
        : 'This chat isn’t receiving any messages from us.';
    }
    if (command?.name !== 'start' || command.argument === '') return null;
    const linkedKind = await chatLinks.start(command.argument, chatId);
    return linkedKind === null
      ? `This link has expired or has already been used. ${linkHelpText(origin)}`
      : LINKED_TEXTS[linkedKind];
  };

  /** Passes a message to the team. @returns the bot's reply; null if the message is not for the team */
  const answerTeamMessage = async (message: IncomingMessage): Promise<string | null> => {
    if (message.text.startsWith('/')) return null;
    if (message.text === '') {
      const { records } = await chatLinks.count(message.chatId);
      return records > 0 ? `Files sent here don’t reach the team. ${FILES_TEXT}` : null;
    }
    const outcome = await chatLinks.answer(message);
    return outcome && ANSWER_OUTCOME_TEXTS[outcome];
  };

  /** The reply to a private message that changes something; null for any other message. */
  const answerChange = async (message: IncomingMessage, ownUsername: string): Promise<string | null> => {
    try {
      const command = readCommand(message.text, ownUsername);
      return (await answerLinkCommand(command, message.chatId)) ?? (await answerTeamMessage(message));
    } catch (error) {
      if (error instanceof StoreUnavailableError) return NOT_STORED_TEXT;
      throw error;
    }
  };

  return async (message, ownUsername) => {
    const { chatId, isPrivate } = message;
    // These messages are handled even beyond the rate limit, because a request to stop must always be obeyed. Old
    // messages are handled too, because the bot may have been down.
    const changeReply = isPrivate ? await answerChange(message, ownUsername) : null;
    if (changeReply !== null) return countMessage(chatId) === 'over' ? null : changeReply;
    if (now() - message.at > MAX_MESSAGE_AGE_MS) return null;
    const isTeam = adminChats.has(chatId);
    const command = readCommand(message.text, ownUsername);
    // In a group, other messages may be for someone else.
    const isForBot = command !== null && (command.isAddressed || isOwnCommand(command.name, isTeam));
    if (!isPrivate && !isForBot) return null;
    const allowance = countMessage(chatId);
    if (allowance === 'over') return null;
    if (allowance === 'first-over') return 'Too many messages. Try again in a minute.';
    const answer = command && (await answerCommand(command, isTeam, chatId));
    return answer ?? `Unknown command.\n\n${helpText(origin, isTeam)}`;
  };
}
