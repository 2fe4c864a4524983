import { setTimeout } from 'node:timers/promises';
import type { DeliveryConfig } from '../../data/config/delivery-variables.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { maskedChat } from '../delivery/recipients.ts';
import { type AnswerOptions, createBotAnswers } from './bot-answers.ts';
import type { BotApi, BotUser, RawUpdate } from './bot-client.ts';
import { type IncomingMessage, incomingMessage } from './incoming-message.ts';
import { type PollState, pollUpdates, type UpdatePolling } from './poll-updates.ts';

/** If more people write, the one who wrote longest ago is forgotten. */
const MAX_PEOPLE = 1_000;
/** Updates that the diagnostics show. */
const MAX_UPDATES = 5;

/** An update without its text and sender. */
interface SeenUpdate {
  readonly updateId: number;
  readonly kind: 'command' | 'message' | 'other';
  /** Unix ms. */
  readonly at: number;
}

/**
 * The people who wrote to the bot since the portal started, for test messages: a bot may only write to people who wrote to
 * it first. Stored in memory only.
 */
interface KnownChats {
  addUpdate(updateId: number, message: IncomingMessage | null, at: number): void;
  /** A person's chat by username, without the @; null if that person has not written. */
  chatOf(username: string): string | null;
  /** Newest first. */
  recentUpdates(): readonly SeenUpdate[];
}

function createKnownChats(): KnownChats {
  const people = new Map<string, string>();
  let recentUpdates: readonly SeenUpdate[] = [];
  return {
    addUpdate: (updateId, message, at) => {
      const kind = message === null ? 'other' : message.text.startsWith('/') ? 'command' : 'message';
      recentUpdates = [{ updateId, kind, at } as const, ...recentUpdates].slice(0, MAX_UPDATES);
      if (!message?.isPrivate || message.username === null) return;
      const name = message.username.toLowerCase();
      people.delete(name);
      people.set(name, message.chatId);
      const [longestSilent] = people.keys();
      if (people.size > MAX_PEOPLE && longestSilent !== undefined) people.delete(longestSilent);
    },
    chatOf: (username) => people.get(username.toLowerCase()) ?? null,
    recentUpdates: () => recentUpdates,
  };
}

type BotConfig = Extract<DeliveryConfig['telegram'], { kind: 'bot' }>;

export interface PortalBot {
  readonly config: BotConfig;
  /** Loads the Bot API client at its first use. */
  readonly api: () => Promise<BotApi>;
  readonly chats: KnownChats;
  pollState(): PollState;
  /** Starts to read and answer messages, and returns at once. */
  listen(options: Omit<AnswerOptions, 'adminChatIds' | 'now'>): void;
  /** Stops reading until `listen` is called again, and waits until all handlers end. */
  stop(): Promise<void>;
}

/** Resolves after the time, or when the signal aborts. */
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
  /** Whether other replicas use the bot too. Only one at a time reads its updates. */
  readonly isShared?: boolean;
}): PortalBot {
  const chats = createKnownChats();
  let loading: Promise<BotApi> | undefined;
  const api = () => {
    loading ??= import('./bot-client.ts').then(({ createBotClient }) => createBotClient(config));
    return loading;
  };
  let polling: UpdatePolling | undefined;
  let starting: Promise<void> = Promise.resolve();
  let isListening = false;

  function createHandler(bot: BotApi, answers: ReturnType<typeof createBotAnswers>) {
    return async (update: RawUpdate, { username }: BotUser, signal: AbortSignal): Promise<void> => {
      try {
        const message = incomingMessage(update);
        chats.addUpdate(update.update_id, message, now());
        const text = message && (await answers(message, username));
        if (!message || text === null) return;
        const sent = await bot.send({ chatId: message.chatId, text, replyTo: message.id }, signal);
        if (sent.ok || signal.aborted) return;
        const { kind, message: error } = sent.error;
        log.warn({ chat: maskedChat(message.chatId), kind, error }, 'the bot’s answer was not sent');
      } catch (error) {
        // One message must not stop the bot from answering others.
        log.error({ err: error, update: update.update_id }, 'the bot could not answer');
      }
    };
  }

  return {
    config,
    api,
    chats,
    pollState: () => {
      if (isShared && !isListening) return { kind: 'elsewhere' };
      return polling?.state() ?? { kind: 'starting' };
    },
    listen: (options) => {
      isListening = true;
      const answers = createBotAnswers({ ...options, adminChatIds: config.adminChatIds, now });
      starting = api()
        .then((bot) => {
          if (!isListening) return;
          polling = pollUpdates({ api: bot, handle: createHandler(bot, answers), log, now, pause });
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
