import type { Facts } from '../metrics/facts.ts';
import type { Readiness } from '../operations/readiness.ts';
import { isAddress } from '../wallet-address.ts';
import { type Allowance, createChatLimit } from './chat-limit.ts';
import { type IncomingMessage, readCommand } from './incoming-message.ts';
import { statusWords, walletWords } from './portal-words.ts';
import { deliveriesWords, queueWords, type TeamStore } from './team-words.ts';

/** Answers to one chat a minute. */
const ANSWERS_PER_MINUTE = 12;
/** Milliseconds after which a message is not answered any more: whoever wrote it has gone on. */
const TOO_OLD = 120_000;

export interface AnswerOptions {
  readonly facts: () => Facts;
  readonly readiness: () => Readiness;
  readonly store: TeamStore;
  /** Chats that may use the team's commands. */
  readonly adminChatIds: readonly string[];
  /** Where people reach the portal, without a slash at its end. */
  readonly origin: string;
  readonly now: () => number;
}

const VERIFY_USAGE =
  'Write /verify and a Solana address, such as /verify 4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T.';

function helpWords(origin: string, isTeam: boolean): string {
  return [
    'BlackDuck portal',
    '/status – how the portal is, and its figures',
    '/verify <wallet> – what a wallet stakes: public data, no signature',
    ...(isTeam
      ? ['/queue – what waits for the team', '/deliveries – references of deliveries that were given up']
      : []),
    '',
    'This bot never asks for keys, recovery phrases or payments.',
    origin,
  ].join('\n');
}

/**
 * What the bot answers to messages: words, or null where it keeps silent. It repeats nothing that was written to it. In
 * groups it answers its commands and nothing else, so that it takes no part in what people say to each other.
 */
export function createBotAnswers(
  options: AnswerOptions,
): (message: IncomingMessage, ownUsername: string) => Promise<string | null> {
  const { facts, readiness, store, origin, now } = options;
  const adminChats = new Set(options.adminChatIds);
  const allow = createChatLimit(ANSWERS_PER_MINUTE, now);

  const publicCommands: Readonly<Record<string, (words: string) => string>> = {
    status: () => statusWords(facts(), readiness(), now()),
    verify: (words) => (isAddress(words) ? walletWords(words, facts(), now()) : VERIFY_USAGE),
  };
  const teamCommands: Readonly<Record<string, () => Promise<string>>> = {
    queue: () => queueWords(store),
    deliveries: () => deliveriesWords(store, now()),
  };

  /** Commands that are taken for the bot's in a group, though they do not name it: every bot has a start and a help. */
  const isOwn = (name: string, isTeam: boolean) =>
    Object.hasOwn(publicCommands, name) || (isTeam && Object.hasOwn(teamCommands, name));

  /** The words of a command; null where there is no such command for this chat. */
  const commandWords = async (name: string, words: string, isTeam: boolean): Promise<string | null> => {
    if (name === 'start' || name === 'help') return helpWords(origin, isTeam);
    if (Object.hasOwn(publicCommands, name)) return publicCommands[name]?.(words) ?? null;
    if (isTeam && Object.hasOwn(teamCommands, name)) return (await teamCommands[name]?.()) ?? null;
    return null;
  };

  const within = async (allowance: Allowance, answer: () => Promise<string>): Promise<string | null> => {
    if (allowance === 'over') return null;
    return allowance === 'last' ? 'That was a lot. Ask again in a minute.' : answer();
  };

  return async (message, ownUsername) => {
    if (now() - message.at > TOO_OLD) return null;
    const { chatId, isPrivate } = message;
    const isTeam = adminChats.has(chatId);
    const command = readCommand(message.text, ownUsername);
    // A group's talk is none of the bot's business, nor are commands that may be another bot's.
    if (!isPrivate && !command) return null;
    if (!isPrivate && !command?.isAddressed && !isOwn(command?.name ?? '', isTeam)) return null;
    return within(allow(chatId), async () => {
      const words = command && (await commandWords(command.name, command.words, isTeam));
      return words ?? `That is no command here.\n\n${helpWords(origin, isTeam)}`;
    });
  };
}
