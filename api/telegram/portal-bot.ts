import { setTimeout } from 'node:timers/promises';
import type { DeliveryConfig } from '../../data/config/delivery-variables.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { maskedChat } from '../delivery/recipients.ts';
import { type AnswerOptions, createBotAnswers } from './bot-answers.ts';
import type { BotApi, BotUser, RawUpdate } from './bot-api.ts';
import type { IncomingMessage } from './incoming-message.ts';
import { incomingMessage } from './incoming-message.ts';
import { type PollState, pollUpdates, type UpdatePolling } from './poll-updates.ts';

/** Beyond this number, the person who wrote longest ago is forgotten. */
const PEOPLE_AT_MOST = 1_000;
/** Updates that the diagnostics show. */
const UPDATES_SHOWN = 5;

/** An update without its text and sender. */
interface SeenUpdate {
  readonly updateId: number;
  readonly kind: 'command' | 'message' | 'other';
  /** Unix ms. */
  readonly at: number;
}

/**
 * The people who wrote to the bot since its start, for test messages: a bot may write only to people who wrote to it
 * first. Kept in memory only.
 */
interface KnownChats {
  noteUpdate(updateId: number, message: IncomingMessage | null, at: number): void;
  /** The chat of a person by username, without the @; null when that person has not written. */
  chatOf(username: string): string | null;
  /** Newest first. */
  recentUpdates(): readonly SeenUpdate[];
}

function createKnownChats(): KnownChats {
  const people = new Map<string, string>();
  let seen: readonly SeenUpdate[] = [];
  return {
    noteUpdate: (updateId, message, at) => {
      const kind = message === null ? 'other' : message.text.startsWith('/') ? 'command' : 'message';
      seen = [{ updateId, kind, at } as const, ...seen].slice(0, UPDATES_SHOWN);
      if (!message?.isPrivate || message.username === null) return;
      const name = message.username.toLowerCase();
      people.delete(name);
      people.set(name, message.chatId);
      const [longestSilent] = people.keys();
      if (people.size > PEOPLE_AT_MOST && longestSilent !== undefined) people.delete(longestSilent);
    },
    chatOf: (username) => people.get(username.toLowerCase()) ?? null,
    recentUpdates: () => seen,
  };
}

type BotConfig = Extract<DeliveryConfig['telegram'], { kind: 'bot' }>;

/** The portal's Telegram bot. */
export interface PortalBot {
  readonly config: BotConfig;
  /** The Bot API client, loaded at the first use. */
  readonly api: () => Promise<BotApi>;
  readonly chats: KnownChats;
  pollState(): PollState;
  /** Starts to read and answer messages; returns at once. */
  listen(options: Omit<AnswerOptions, 'adminChatIds' | 'now'>): void;
  /** Stops reading, and waits for the handlers. */
  stop(): Promise<void>;
}

/** Resolves after a time or at the signal. */
const abortablePause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);

/** Makes the bot; `listen` starts it. */
export function createPortalBot(options: {
  readonly config: BotConfig;
  readonly log: Logger;
  readonly now: () => number;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}): PortalBot {
  const { config, log, now, pause = abortablePause } = options;
  const chats = createKnownChats();
  let loading: Promise<BotApi> | undefined;
  const load = async () => {
    const { createBotClient } = await import('./bot-client.ts');
    return createBotClient(config);
  };
  const api = () => {
    loading ??= load();
    return loading;
  };
  let polling: UpdatePolling | undefined;
  let starting: Promise<void> = Promise.resolve();
  let isStopped = false;

  function answerer(bot: BotApi, answers: ReturnType<typeof createBotAnswers>) {
    return async (update: RawUpdate, { username }: BotUser, signal: AbortSignal): Promise<void> => {
      try {
        const message = incomingMessage(update);
        chats.noteUpdate(update.update_id, message, now());
        const text = message && (await answers(message, username));
        if (!message || text === null) return;
        const sent = await bot.send({ chatId: message.chatId, text, replyTo: message.id }, signal);
        if (sent.ok || signal.aborted) return;
        log.warn(
          { chat: maskedChat(message.chatId), kind: sent.error.kind, error: sent.error.message },
          'an answer of the bot was not sent',
        );
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
    pollState: () => polling?.state() ?? { kind: 'starting' },
    listen: (about) => {
      const answers = createBotAnswers({ ...about, adminChatIds: config.adminChatIds, now });
      starting = api()
        .then((bot) => {
          if (isStopped) return;
          polling = pollUpdates({ api: bot, handle: answerer(bot, answers), log, now, pause });
        })
        .catch((error: unknown) => log.error({ err: error }, 'the bot could not be started'));
    },
    stop: async () => {
      isStopped = true;
      await starting;
      await polling?.stop();
    },
  };
}
