import type { TelegramDiagnosis } from '../../data/contract/telegram.ts';
import { maskedChatId } from '../delivery/masked-recipient.ts';
import type { BotAnswer, BotChat, BotFault, BotMembership, BotUser, WebhookInfo } from './bot-api.ts';
import type { PollState } from './poll-updates.ts';
import type { PortalBot } from './portal-bot.ts';
import {
  CONFLICT_ADVICE,
  chatAdvice,
  connectionAdvice,
  MAY_NOT_WRITE_ADVICE,
  NO_BOT,
  NO_BOT_ADVICE,
  WEBHOOK_ADVICE,
} from './recommendations.ts';

/** What Telegram said to the tests. None of them writes anything to anybody. */
interface Findings {
  readonly me: BotAnswer<BotUser>;
  readonly chat: BotAnswer<BotChat>;
  readonly membership: BotAnswer<BotMembership>;
  readonly webhook: BotAnswer<WebhookInfo>;
}

type Part<Name extends keyof TelegramDiagnosis> = TelegramDiagnosis[Name] & {
  readonly advice: readonly string[];
};

/** Where no bot is configured. */
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
    return { success: false, error: me.fault.error, botInfo: null, advice: [connectionAdvice(me.fault)] };
  }
  const { first_name, username } = me.result;
  return { success: true, error: null, botInfo: { first_name, username }, advice: [] };
}

const OUTSIDE = new Set(['left', 'kicked']);

/** Why a member of a chat may not write there; null where it may. */
function writingFault({ status, ...rights }: BotMembership, type: string): BotFault | null {
  if (OUTSIDE.has(status)) return { kind: 'forbidden', error: 'The bot is not a member of the chat.' };
  const mayNot =
    rights.can_send_messages === false || (type === 'channel' && rights.can_post_messages !== true);
  // A creator has every right and is told none of them.
  if (mayNot && status !== 'creator') {
    return { kind: 'refused', error: 'The bot may not write in the chat.' };
  }
  return null;
}

function messagePart({ chat, membership }: Findings, chatId: string): Part<'messageTest'> {
  const failed = (fault: BotFault, advice: string | null): Part<'messageTest'> => ({
    success: false,
    chatId,
    error: fault.error,
    advice: advice === null ? [] : [advice],
  });
  if (!chat.ok) return failed(chat.fault, chatAdvice(chat.fault));
  // In a conversation with one person there are no members.
  if (chat.result.type === 'private') return { success: true, chatId, error: null, advice: [] };
  if (!membership.ok) return failed(membership.fault, chatAdvice(membership.fault));
  const fault = writingFault(membership.result, chat.result.type);
  if (fault) return failed(fault, chatAdvice(fault) ?? MAY_NOT_WRITE_ADVICE);
  return { success: true, chatId, error: null, advice: [] };
}

function updatesFault(
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
        error: poll.fault.error,
        ...(poll.fault.kind === 'conflict' ? { advice: CONFLICT_ADVICE } : {}),
      };
    case 'starting':
      return { error: 'The bot has only begun to listen. Look again in a few seconds.' };
    case 'stopped':
      return { error: 'The bot has stopped listening, since the portal is stopping.' };
  }
}

/** Whether updates arrive is known from the bot's own reading: a second reader would take them away from it. */
function updatesPart(bot: PortalBot, { webhook }: Findings): Part<'updatesTest'> {
  const fault = updatesFault(bot.pollState(), webhook);
  return {
    success: fault === null,
    error: fault?.error ?? null,
    updates: bot.chats
      .recentUpdates()
      .map(({ updateId, kind, at }) => ({ updateId, kind, at: new Date(at).toISOString() })),
    advice: fault?.advice === undefined ? [] : [fault.advice],
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

/** Milliseconds for which a wish of Telegram for patience is kept at most. */
const LONGEST_PATIENCE = 60_000;

export interface Diagnostics {
  /** What the tests found, at most so many milliseconds ago. Who asks while they are made shares them. */
  read(maxAgeMs: number): Promise<TelegramDiagnosis>;
}

/** Tests the bot: its token (getMe), its place in the team's chat (getChat, getChatMember) and its updates. */
export function createDiagnostics(bot: PortalBot | null, now: () => number): Diagnostics {
  let newest: { readonly diagnosis: TelegramDiagnosis; readonly at: number } | null = null;
  let underWay: Promise<TelegramDiagnosis> | null = null;
  let patientUntil = 0;

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
      if (answer.ok || answer.fault.kind !== 'busy') continue;
      const wait = Math.min(answer.fault.retryAfterMs ?? 0, LONGEST_PATIENCE);
      patientUntil = Math.max(patientUntil, at + wait);
    }
    const diagnosis = diagnosisOf(examined, { me, chat, membership, webhook }, at);
    newest = { diagnosis, at };
    return diagnosis;
  };

  return {
    read: (maxAgeMs) => {
      if (!bot) return Promise.resolve(noBotDiagnosis(now()));
      if (underWay) return underWay;
      const isYoung = newest !== null && (now() - newest.at < maxAgeMs || now() < patientUntil);
      if (newest && isYoung) return Promise.resolve(newest.diagnosis);
      underWay = examine(bot).finally(() => {
        underWay = null;
      });
      return underWay;
    },
  };
}
