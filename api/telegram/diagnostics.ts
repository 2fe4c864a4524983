import type { TelegramDiagnosis } from '../../data/contract/telegram.ts';
import { maskedChatId } from '../delivery/recipients.ts';
import type {
  BotAnswer,
  BotChat,
  BotError,
  BotErrorKind,
  BotMembership,
  BotUser,
  WebhookInfo,
} from './bot-api.ts';
import type { PollState } from './poll-updates.ts';
import type { PortalBot } from './portal-bot.ts';

export const NO_BOT_ADVICE =
  'Create a bot with @BotFather, set TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID, and restart the portal. Until then, notices are only written to DATA_DIR/outbox/telegram.';

export const NO_BOT = 'No bot is configured.';

const OF_CONNECTION: Readonly<Partial<Record<BotErrorKind, string>>> = {
  token:
    'Telegram does not accept the token. Copy it from @BotFather into TELEGRAM_BOT_TOKEN again, and restart the portal.',
  unreachable: 'This machine cannot reach Telegram. Check its network, its firewall and TELEGRAM_API_ROOT.',
  silent: 'Telegram does not answer in time. Check the network. Notices are sent once it answers.',
  unreadable: "The server isn't a Telegram Bot API server. Check TELEGRAM_API_ROOT.",
  busy: 'Telegram limits the rate of the bot. No action is needed: notices are retried.',
  failed: 'Telegram reports an internal error. No action is needed: notices are retried.',
};

function connectionAdvice({ kind }: BotError): string {
  return OF_CONNECTION[kind] ?? 'Telegram rejects the bot. The connection test shows the reason.';
}

const OF_CHAT: Readonly<Partial<Record<BotErrorKind, string>>> = {
  chat: 'Telegram does not know the chat. Check TELEGRAM_CHAT_ID, and add the bot to that chat. A group that became a supergroup has a new id.',
  forbidden: 'The bot is no longer in the team’s chat. Add it again.',
};

/** Null when the connection's advice covers the error. */
function chatAdvice({ kind }: BotError): string | null {
  return OF_CHAT[kind] ?? null;
}

const MAY_NOT_WRITE_ADVICE =
  'The bot is in the team’s chat but may not write there. Give it the right to send messages.';

const WEBHOOK_ADVICE =
  'A webhook receives the bot’s updates. Remove it (deleteWebhook), or use another bot for the portal.';

const CONFLICT_ADVICE =
  'Another program reads this bot’s updates. Stop it, or use another bot for the portal.';

/** Telegram's answers. None of the calls sends a message. */
interface Findings {
  readonly me: BotAnswer<BotUser>;
  readonly chat: BotAnswer<BotChat>;
  readonly membership: BotAnswer<BotMembership>;
  readonly webhook: BotAnswer<WebhookInfo>;
}

type Part<Name extends keyof TelegramDiagnosis> = TelegramDiagnosis[Name] & {
  readonly advice: readonly string[];
};

/** The diagnosis when no bot is configured. */
export function noBotDiagnosis(now: number): TelegramDiagnosis {
  return {
    botToken: 'Missing',
    chatId: null,
    connectionTest: { success: false, error: NO_BOT, botInfo: null },
    messageTest: { success: false, chatId: null, error: NO_BOT },
    updatesTest: { success: false, error: NO_BOT, updates: [] },
    recommendations: [NO_BOT_ADVICE],
    checkedAt: new Date(now).toISOString(),
  };
}

function connectionPart(me: BotAnswer<BotUser>): Part<'connectionTest'> {
  if (!me.ok) {
    return { success: false, error: me.error.message, botInfo: null, advice: [connectionAdvice(me.error)] };
  }
  const { first_name, username } = me.result;
  return { success: true, error: null, botInfo: { first_name, username }, advice: [] };
}

const OUTSIDE = new Set(['left', 'kicked']);

/** Why a member may not write in a chat; null when it may. */
function writingError({ status, ...rights }: BotMembership, type: string): BotError | null {
  if (OUTSIDE.has(status)) return { kind: 'forbidden', message: 'The bot is not a member of the chat.' };
  const mayNot =
    rights.can_send_messages === false || (type === 'channel' && rights.can_post_messages !== true);
  // A creator has every right, and Telegram lists none of them.
  if (mayNot && status !== 'creator') {
    return { kind: 'refused', message: 'The bot may not write in the chat.' };
  }
  return null;
}

function messagePart({ chat, membership }: Findings, chatId: string): Part<'messageTest'> {
  const failed = (error: BotError, advice: string | null): Part<'messageTest'> => ({
    success: false,
    chatId,
    error: error.message,
    advice: advice === null ? [] : [advice],
  });
  if (!chat.ok) return failed(chat.error, chatAdvice(chat.error));
  // A private chat has no members.
  if (chat.result.type === 'private') return { success: true, chatId, error: null, advice: [] };
  if (!membership.ok) return failed(membership.error, chatAdvice(membership.error));
  const error = writingError(membership.result, chat.result.type);
  if (error) return failed(error, chatAdvice(error) ?? MAY_NOT_WRITE_ADVICE);
  return { success: true, chatId, error: null, advice: [] };
}

function updatesError(
  poll: PollState,
  webhook: BotAnswer<WebhookInfo>,
): { error: string; advice?: string } | null {
  if (webhook.ok && webhook.result.url !== '') {
    return { error: 'A webhook is set for this bot.', advice: WEBHOOK_ADVICE };
  }
  switch (poll.kind) {
    case 'listening':
      return null;
    case 'failing':
      return {
        error: poll.error.message,
        ...(poll.error.kind === 'conflict' ? { advice: CONFLICT_ADVICE } : {}),
      };
    case 'starting':
      return { error: 'The bot is starting. Try again in a few seconds.' };
    case 'stopped':
      return { error: 'The bot has stopped because the portal is stopping.' };
  }
}

/** From the bot's own polling: a second reader would take its updates. */
function updatesPart(bot: PortalBot, { webhook }: Findings): Part<'updatesTest'> {
  const error = updatesError(bot.pollState(), webhook);
  return {
    success: error === null,
    error: error?.error ?? null,
    updates: bot.chats
      .recentUpdates()
      .map(({ updateId, kind, at }) => ({ updateId, kind, at: new Date(at).toISOString() })),
    advice: error?.advice === undefined ? [] : [error.advice],
  };
}

function diagnosisOf(bot: PortalBot, findings: Findings, now: number): TelegramDiagnosis {
  const chatId = maskedChatId(bot.config.chatId);
  const { advice: ofConnection, ...connectionTest } = connectionPart(findings.me);
  const { advice: ofChat, ...messageTest } = messagePart(findings, chatId);
  const { advice: ofUpdates, ...updatesTest } = updatesPart(bot, findings);
  return {
    botToken: 'Present',
    chatId,
    connectionTest,
    messageTest,
    updatesTest,
    recommendations: [...ofConnection, ...ofChat, ...ofUpdates],
    checkedAt: new Date(now).toISOString(),
  };
}

/** The longest time (ms) that Telegram's rate limit is respected. */
const LONGEST_RATE_LIMIT = 60_000;

export interface Diagnostics {
  /** A diagnosis of at most this age. Concurrent callers share one. */
  read(maxAgeMs: number): Promise<TelegramDiagnosis>;
}

/** Checks the bot's token (getMe), its membership of the team's chat (getChat, getChatMember) and its updates. */
export function createDiagnostics(bot: PortalBot | null, now: () => number): Diagnostics {
  let newest: { readonly diagnosis: TelegramDiagnosis; readonly at: number } | null = null;
  let running: Promise<TelegramDiagnosis> | null = null;
  let limitedUntil = 0;

  const examine = async (examined: PortalBot): Promise<TelegramDiagnosis> => {
    const api = await examined.api();
    const { chatId } = examined.config;
    const [me, chat, membership, webhook] = await Promise.all([
      api.getMe(),
      api.getChat(chatId),
      api.getOwnMembership(chatId),
      api.getWebhookInfo(),
    ]);
    const at = now();
    for (const answer of [me, chat, membership, webhook]) {
      if (answer.ok || answer.error.kind !== 'busy') continue;
      const wait = Math.min(answer.error.retryAfterMs ?? 0, LONGEST_RATE_LIMIT);
      limitedUntil = Math.max(limitedUntil, at + wait);
    }
    const diagnosis = diagnosisOf(examined, { me, chat, membership, webhook }, at);
    newest = { diagnosis, at };
    return diagnosis;
  };

  return {
    read: (maxAgeMs) => {
      if (!bot) return Promise.resolve(noBotDiagnosis(now()));
      if (running) return running;
      const isFresh = newest !== null && (now() - newest.at < maxAgeMs || now() < limitedUntil);
      if (newest && isFresh) return Promise.resolve(newest.diagnosis);
      running = examine(bot).finally(() => {
        running = null;
      });
      return running;
    },
  };
}
