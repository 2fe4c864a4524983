import { setTimeout } from 'node:timers/promises';
import type { DeliveryConfig } from '../../data/config/delivery-variables.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { maskChat } from '../delivery/recipients.ts';
import { type AnswerOptions, createBotAnswerer } from './bot-answers.ts';
import type { BotClient, BotUser, RawUpdate } from './bot-client.ts';
import { type IncomingMessage, parseIncomingMessage } from './incoming-message.ts';
import { type PollState, pollUpdates, type UpdatePolling } from './poll-updates.ts';

/** How many people the bot remembers. Beyond that, the person who wrote longest ago is forgotten. */
const MAX_PEOPLE = 1_000;
/** How many recent updates the diagnostics show. */
const MAX_UPDATES = 5;

/** An update without its text and sender. */
interface UpdateSummary {
  readonly updateId: number;
  readonly kind: 'command' | 'message' | 'other';
  /** Unix ms. */
  readonly at: number;
}

/**
 * The chats of people who have written to the bot since the portal started. Test messages need them, because a bot may only
 * write to people who have written to it first. Stored in memory only.
 */
interface KnownChats {
  addUpdate(updateId: number, message: IncomingMessage | null, at: number): void;
  /** A person's chat by username, without the @; null if that person has not written. */
  chatOf(username: string): string | null;
  /** Newest first. */
  recentUpdates(): readonly UpdateSummary[];
}

function createKnownChats(): KnownChats {
  const chatIdByUsername = new Map<string, string>();
  let recentUpdates: readonly UpdateSummary[] = [];
  return {
    addUpdate: (updateId, message, at) => {
      const kind = message === null ? 'other' : message.text.startsWith('/') ? 'command' : 'message';
      recentUpdates = [{ updateId, kind, at } as const, ...recentUpdates].slice(0, MAX_UPDATES);
      if (!message?.isPrivate || message.username === null) return;
      const name = message.username.toLowerCase();
      chatIdByUsername.delete(name);
      chatIdByUsername.set(name, message.chatId);
      const [oldestUsername] = chatIdByUsername.keys();
      if (chatIdByUsername.size > MAX_PEOPLE && oldestUsername !== undefined)
        chatIdByUsername.delete(oldestUsername);
    },
    chatOf: (username) => chatIdByUsername.get(username.toLowerCase()) ?? null,
    recentUpdates: () => recentUpdates,
  };
}

type BotConfig = Extract<DeliveryConfig['telegram'], { kind: 'bot' }>;

export interface PortalBot {
  readonly config: BotConfig;
  /** Loads the Bot API client on first use. */
  readonly api: () => Promise<BotClient>;
  readonly knownChats: KnownChats;
  pollState(): PollState;
  /** Starts reading and answering messages, and returns immediately. */
  listen(options: Omit<AnswerOptions, 'adminChatIds' | 'now'>): void;
  /** Stops reading until `listen` is called again, and waits for all handlers to finish. */
  stop(): Promise<void>;
}

const abortablePause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);

export function createPortalBot({
  config,
  log,
  now,
  pause = abortablePause,
  isShared = false,
}: {
  readonly config: BotConfig;
  readonly log: Logger;
  readonly now: () => number;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Whether other replicas use the bot too. Only one replica at a time reads its updates. */
  readonly isShared?: boolean;
}): PortalBot {
  const knownChats = createKnownChats();
  let loading: Promise<BotClient> | undefined;
  const api = () => {
    loading ??= import('./bot-client.ts').then(({ createBotClient }) => createBotClient(config));
    return loading;
  };
  let polling: UpdatePolling | undefined;
  let starting: Promise<void> = Promise.resolve();
  let isListening = false;

  function createHandler(bot: BotClient, answerMessage: ReturnType<typeof createBotAnswerer>) {
    return async (update: RawUpdate, { username }: BotUser): Promise<void> => {
      try {
        const message = parseIncomingMessage(update);
        knownChats.addUpdate(update.update_id, message, now());
        const text = message && (await answerMessage(message, username));
        if (!message || text === null) return;
        const sendResult = await bot.send({ chatId: message.chatId, text, replyTo: message.id });
        if (sendResult.ok) return;
        const { kind, message: error } = sendResult.error;
        log.warn({ chat: maskChat(message.chatId), kind, error }, 'the bot’s answer was not sent');
      } catch (error) {
        // A message that fails must not stop the bot from answering others.
        log.error({ err: error, update: update.update_id }, 'the bot could not answer');
      }
    };
  }

  return {
    config,
    api,
    knownChats,
    pollState: () => {
      if (isShared && !isListening) return { kind: 'elsewhere' };
      return polling?.state() ?? { kind: 'starting' };
    },
    listen: (options) => {
      isListening = true;
      const answerMessage = createBotAnswerer({ ...options, adminChatIds: config.adminChatIds, now });
      starting = api()
        .then((bot) => {
          if (!isListening) return;
          polling = pollUpdates({ api: bot, handle: createHandler(bot, answerMessage), log, now, pause });
        })
        .catch((error: unknown) => log.error({ err: error }, 'the bot could not be started'));
    },
    stop: async () => {
      isListening = false;
      await starting;
      await polling?.stop();
    },
  };
}
