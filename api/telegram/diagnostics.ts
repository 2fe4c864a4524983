import type { TelegramDiagnosis } from '../../data/contract/telegram.ts';
import { maskChatId } from '../delivery/recipients.ts';
import type {
  BotAnswer,
  BotChat,
  BotError,
  BotErrorKind,
  BotMembership,
  BotUser,
  WebhookInfo,
} from './bot-client.ts';
import type { PollState } from './poll-updates.ts';
import type { PortalBot } from './portal-bot.ts';

export const NO_BOT_ADVICE =
  'Create a bot with @BotFather, set TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID, and restart the portal. Until then, notices are only written to DATA_DIR/outbox/telegram.';

export const NO_BOT_TEXT = 'No bot is configured.';

const CONNECTION_ADVICE: Readonly<Partial<Record<BotErrorKind, string>>> = {
  token:
    'Telegram does not accept the token. Copy it from @BotFather into TELEGRAM_BOT_TOKEN again, and restart the portal.',
  unreachable: 'This machine cannot reach Telegram. Check its network, its firewall and TELEGRAM_API_ROOT.',
  silent: 'Telegram does not respond in time. Check the network. Notices are sent as soon as it responds.',
  unreadable: "The server isn't a Telegram Bot API server. Check TELEGRAM_API_ROOT.",
  busy: 'Telegram is rate limiting the bot. No action is needed: notices are retried.',
  failed: 'Telegram reports an internal error. No action is needed: notices are retried.',
};

const OTHER_CONNECTION_ADVICE = 'Telegram rejects the bot. The connection test shows the reason.';

/** Advice for errors that concern only the team's chat. The connection test gives the advice for other kinds of errors. */
const CHAT_ADVICE: Readonly<Partial<Record<BotErrorKind, string>>> = {
  chat: 'Telegram does not know the chat. Check TELEGRAM_CHAT_ID, and add the bot to that chat. A group that became a supergroup has a new id.',
  forbidden: 'The bot is no longer in the team’s chat. Add it again.',
};

const MAY_NOT_WRITE_ADVICE =
  'The bot is in the team’s chat but is not allowed to write there. Give it the right to send messages.';

const WEBHOOK_ADVICE =
  'A webhook receives the bot’s updates. Remove it (deleteWebhook), or use another bot for the portal.';

const CONFLICT_ADVICE =
  'Another program reads this bot’s updates. Stop it, or use another bot for the portal.';

export const ELSEWHERE_ADVICE =
  'This replica of the portal does not read the bot’s messages, so it does not know who wrote to the bot. Repeat the test until it reaches the replica that reads them: the /readyz of that replica has "runsJobs": true.';

/** Telegram's answers to calls that send no message. */
interface Findings {
  readonly me: BotAnswer<BotUser>;
  readonly chat: BotAnswer<BotChat>;
  readonly membership: BotAnswer<BotMembership>;
  readonly webhook: BotAnswer<WebhookInfo>;
}

type DiagnosisPart<Name extends keyof TelegramDiagnosis> = TelegramDiagnosis[Name] & {
  readonly advice: readonly string[];
};

export function noBotDiagnosis(now: number): TelegramDiagnosis {
  return {
    botToken: 'Missing',
    chatId: null,
    connectionTest: { success: false, error: NO_BOT_TEXT, botInfo: null },
    messageTest: { success: false, chatId: null, error: NO_BOT_TEXT },
    updatesTest: { success: false, error: NO_BOT_TEXT, updates: [] },
    recommendations: [NO_BOT_ADVICE],
    checkedAt: new Date(now).toISOString(),
  };
}

function connectionPart(me: BotAnswer<BotUser>): DiagnosisPart<'connectionTest'> {
  if (!me.ok) {
    const advice = CONNECTION_ADVICE[me.error.kind] ?? OTHER_CONNECTION_ADVICE;
    return { success: false, error: me.error.message, botInfo: null, advice: [advice] };
  }
  const { first_name, username } = me.result;
  return { success: true, error: null, botInfo: { first_name, username }, advice: [] };
}

/** Null if the bot is allowed to write in the chat. */
function writingError({ status, ...rights }: BotMembership, chatType: string): BotError | null {
  if (status === 'left' || status === 'kicked') {
    return { kind: 'forbidden', message: 'The bot is not a member of the chat.' };
  }
  const mayNotPost = chatType === 'channel' && rights.can_post_messages !== true;
  const mayNotWrite = rights.can_send_messages === false || mayNotPost;
  // A chat's creator has every right, but Telegram does not list these rights.
  if (!mayNotWrite || status === 'creator') return null;
  return { kind: 'refused', message: 'The bot is not allowed to write in the chat.' };
}

function messagePart({ chat, membership }: Findings, chatId: string): DiagnosisPart<'messageTest'> {
  const failedPart = ({ kind, message }: BotError, otherAdvice?: string): DiagnosisPart<'messageTest'> => {
    const advice = CHAT_ADVICE[kind] ?? otherAdvice;
    return { success: false, chatId, error: message, advice: advice === undefined ? [] : [advice] };
  };
  if (!chat.ok) return failedPart(chat.error);
  const passedPart = { success: true, chatId, error: null, advice: [] } as const;
  // A private chat has no members, so there is nothing else to check.
  if (chat.result.type === 'private') return passedPart;
  if (!membership.ok) return failedPart(membership.error);
  const error = writingError(membership.result, chat.result.type);
  return error ? failedPart(error, MAY_NOT_WRITE_ADVICE) : passedPart;
}

function updatesError(
  poll: PollState,
  webhook: BotAnswer<WebhookInfo>,
): { error: string | null; advice?: string } | null {
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
    case 'elsewhere':
      return { error: null, advice: ELSEWHERE_ADVICE };
    case 'starting':
      return { error: 'The bot is starting. Try again in a few seconds.' };
    case 'stopped':
      return { error: 'The bot has stopped because the portal is stopping.' };
  }
}

/** Uses the state of the bot's own polling instead of a test read, because a second reader would take the bot's updates. */
function updatesPart(bot: PortalBot, { webhook }: Findings): DiagnosisPart<'updatesTest'> {
  const error = updatesError(bot.pollState(), webhook);
  return {
    success: (error?.error ?? null) === null,
    error: error?.error ?? null,
    updates: bot.knownChats
      .recentUpdates()
      .map(({ updateId, kind, at }) => ({ updateId, kind, at: new Date(at).toISOString() })),
    advice: error?.advice === undefined ? [] : [error.advice],
  };
}

function diagnose(bot: PortalBot, findings: Findings, now: number): TelegramDiagnosis {
  const chatId = maskChatId(bot.config.chatId);
  const { advice: connectionAdvice, ...connectionTest } = connectionPart(findings.me);
  const { advice: chatAdvice, ...messageTest } = messagePart(findings, chatId);
  const { advice: updatesAdvice, ...updatesTest } = updatesPart(bot, findings);
  return {
    botToken: 'Present',
    chatId,
    connectionTest,
    messageTest,
    updatesTest,
    recommendations: [...connectionAdvice, ...chatAdvice, ...updatesAdvice],
    checkedAt: new Date(now).toISOString(),
  };
}

/** The longest wait, in ms, before the next diagnosis, even if Telegram asks for a longer one. */
const MAX_RATE_LIMIT_WAIT_MS = 60_000;

export interface Diagnostics {
  /**
   * Returns a diagnosis of at most this age (ms), or an older one while Telegram limits the rate. Concurrent calls share one
   * diagnosis.
   */
  read(maxAgeMs: number): Promise<TelegramDiagnosis>;
}

/** Checks the bot's token (getMe), its membership in the team's chat (getChat, getChatMember) and its updates. */
export function createDiagnostics(bot: PortalBot | null, now: () => number): Diagnostics {
  let newestDiagnosis: { readonly diagnosis: TelegramDiagnosis; readonly at: number } | null = null;
  let runningDiagnosis: Promise<TelegramDiagnosis> | null = null;
  let limitedUntil = 0;

  const runDiagnosis = async (testedBot: PortalBot): Promise<TelegramDiagnosis> => {
    const api = await testedBot.api();
    const { chatId } = testedBot.config;
    const [me, chat, membership, webhook] = await Promise.all([
      api.getMe(),
      api.getChat(chatId),
      api.getOwnMembership(chatId),
      api.getWebhookInfo(),
    ]);
    const at = now();
    for (const answer of [me, chat, membership, webhook]) {
      if (answer.ok || answer.error.kind !== 'busy') continue;
      const waitMs = Math.min(answer.error.retryAfterMs ?? 0, MAX_RATE_LIMIT_WAIT_MS);
      limitedUntil = Math.max(limitedUntil, at + waitMs);
    }
    const diagnosis = diagnose(testedBot, { me, chat, membership, webhook }, at);
    newestDiagnosis = { diagnosis, at };
    return diagnosis;
  };

  return {
    read: (maxAgeMs) => {
      if (!bot) return Promise.resolve(noBotDiagnosis(now()));
      if (runningDiagnosis) return runningDiagnosis;
      const isFresh =
        newestDiagnosis !== null && (now() - newestDiagnosis.at < maxAgeMs || now() < limitedUntil);
      if (newestDiagnosis && isFresh) return Promise.resolve(newestDiagnosis.diagnosis);
      runningDiagnosis = runDiagnosis(bot).finally(() => {
        runningDiagnosis = null;
      });
      return runningDiagnosis;
    },
  };
}
