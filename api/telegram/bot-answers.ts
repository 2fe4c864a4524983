import type { FigureInputs } from '../metrics/figure.ts';
import type { Readiness } from '../operations/readiness.ts';
import { isAddress } from '../wallet-address.ts';
import { deliveriesText, queueText, statusText, type TeamStore, walletText } from './bot-texts.ts';
import { type IncomingMessage, readCommand } from './incoming-message.ts';

/** Milliseconds in which messages are counted. */
const WINDOW_MS = 60_000;
/** Beyond this number of chats, the oldest count is dropped. */
const CHATS_AT_MOST = 10_000;

/** `last`: the first message over the limit gets a notice. `over`: further ones get no answer. */
type Allowance = 'within' | 'last' | 'over';

/** Counts the messages of each chat per minute. */
function createChatLimit(perMinute: number, now: () => number): (chatId: string) => Allowance {
  const windows = new Map<string, { readonly since: number; asked: number }>();
  return (chatId) => {
    const at = now();
    const known = windows.get(chatId);
    const window = known && at - known.since < WINDOW_MS ? known : { since: at, asked: 0 };
    window.asked += 1;
    if (window !== known) {
      windows.delete(chatId);
      windows.set(chatId, window);
      const [oldest] = windows.keys();
      if (windows.size > CHATS_AT_MOST && oldest !== undefined) windows.delete(oldest);
    }
    if (window.asked <= perMinute) return 'within';
    return window.asked === perMinute + 1 ? 'last' : 'over';
  };
}

/** Milliseconds after which a message is no longer answered. */
const TOO_OLD = 120_000;

export interface AnswerOptions {
  readonly facts: () => FigureInputs;
  readonly readiness: () => Readiness;
  readonly store: TeamStore;
  /** Chats that may use the team's commands. */
  readonly adminChatIds: readonly string[];
  /** Answers per chat and minute. */
  readonly answersPerMinute: number;
  /** The portal's address, without a slash at the end. */
  readonly origin: string;
  readonly now: () => number;
}

const VERIFY_USAGE =
  'Send /verify and a Solana address, such as /verify 4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T.';

function helpText(origin: string, isTeam: boolean): string {
  return [
    'BlackDuck portal',
    '/status – the state of the portal, and its figures',
    '/verify <wallet> – the stake of a wallet: public data, no signature',
    ...(isTeam
      ? ['/queue – what is waiting for the team', '/deliveries – references of failed deliveries']
      : []),
    '',
    'This bot never asks for keys, recovery phrases or payments.',
    origin,
  ].join('\n');
}

/**
 * The bot's answer to a message, or null for none. It never repeats text from the message. In groups it answers its own
 * commands only.
 */
export function createBotAnswers(
  options: AnswerOptions,
): (message: IncomingMessage, ownUsername: string) => Promise<string | null> {
  const { facts, readiness, store, origin, now } = options;
  const adminChats = new Set(options.adminChatIds);
  const allow = createChatLimit(options.answersPerMinute, now);

  const publicCommands: Readonly<Record<string, (argument: string) => string>> = {
    status: () => statusText(facts(), readiness(), now()),
    verify: (wallet) => (isAddress(wallet) ? walletText(wallet, facts(), now()) : VERIFY_USAGE),
  };
  const teamCommands: Readonly<Record<string, () => Promise<string>>> = {
    queue: () => queueText(store),
    deliveries: () => deliveriesText(store, now()),
  };

  /** Commands that need not name the bot in a group. /start and /help do: every bot has them. */
  const isOwn = (name: string, isTeam: boolean) =>
    Object.hasOwn(publicCommands, name) || (isTeam && Object.hasOwn(teamCommands, name));

  /** The answer to a command; null when this chat has no such command. */
  const commandAnswer = async (name: string, argument: string, isTeam: boolean): Promise<string | null> => {
    if (name === 'start' || name === 'help') return helpText(origin, isTeam);
    if (Object.hasOwn(publicCommands, name)) return publicCommands[name]?.(argument) ?? null;
    if (isTeam && Object.hasOwn(teamCommands, name)) return (await teamCommands[name]?.()) ?? null;
    return null;
  };

  const within = async (allowance: Allowance, answer: () => Promise<string>): Promise<string | null> => {
    if (allowance === 'over') return null;
    return allowance === 'last' ? 'Too many messages. Try again in a minute.' : answer();
  };

  return async (message, ownUsername) => {
    if (now() - message.at > TOO_OLD) return null;
    const { chatId, isPrivate } = message;
    const isTeam = adminChats.has(chatId);
    const command = readCommand(message.text, ownUsername);
    // In a group, a message or an unaddressed command may be for somebody else.
    if (!isPrivate && !command) return null;
    if (!isPrivate && !command?.isAddressed && !isOwn(command?.name ?? '', isTeam)) return null;
    return within(allow(chatId), async () => {
      const answer = command && (await commandAnswer(command.name, command.argument, isTeam));
      return answer ?? `Unknown command.\n\n${helpText(origin, isTeam)}`;
    });
  };
}
