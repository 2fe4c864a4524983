import { setTimeout } from 'node:timers/promises';
import type { DeliveryConfig } from '../../data/config/delivery-variables.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { maskedChat } from '../delivery/masked-recipient.ts';
import { type AnswerOptions, createBotAnswers } from './bot-answers.ts';
import type { BotApi, BotUser, RawUpdate } from './bot-api.ts';
import { incomingMessage } from './incoming-message.ts';
import { createKnownChats, type KnownChats } from './known-chats.ts';
import { type PollState, pollUpdates, type UpdatePolling } from './poll-updates.ts';

export type BotConfig = Extract<DeliveryConfig['telegram'], { kind: 'bot' }>;

/** The portal's bot: who wrote to it, how its reading goes, and the Bot API behind it. */
export interface PortalBot {
  readonly config: BotConfig;
  /** The Bot API; what speaks with it is loaded at the first use. */
  readonly api: () => Promise<BotApi>;
  readonly chats: KnownChats;
  pollState(): PollState;
  /** Begins to read and answer messages, and returns at once. */
  listen(options: Omit<AnswerOptions, 'adminChatIds' | 'now'>): void;
  /** Ends the reading, and waits for it. */
  stop(): Promise<void>;
}

/** Waits, or until the signal; either way without a fault. */
const abortablePause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);

/** The bot of a configuration; it does nothing yet. */
export function createPortalBot(options: {
  readonly config: BotConfig;
  readonly log: Logger;
  readonly now: () => number;
  readonly loadApi?: () => Promise<BotApi>;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}): PortalBot {
  const { config, log, now, pause = abortablePause } = options;
  const chats = createKnownChats();
  let loading: Promise<BotApi> | undefined;
  const load =
    options.loadApi ??
    (async () => {
      const { createBotClient } = await import('./bot-client.ts');
      return createBotClient(config);
    });
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
          { chat: maskedChat(message.chatId), fault: sent.fault.kind, error: sent.fault.error },
          'an answer of the bot was not taken',
        );
      } catch (error) {
        // One message that cannot be answered must not end the answering of all.
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
