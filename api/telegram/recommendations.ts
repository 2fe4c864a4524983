import type { BotFault, BotFaultKind } from './bot-api.ts';

/** What an operator can do about what the tests found. */

export const NO_BOT_ADVICE =
  'Make a bot with @BotFather, set TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID, and start the portal again. Until then notices are files in DATA_DIR/outbox/telegram, and nobody is told.';

export const NO_BOT = 'No bot is configured.';

const OF_CONNECTION: Readonly<Partial<Record<BotFaultKind, string>>> = {
  token:
    'Telegram does not accept the token. Copy it from @BotFather once more into TELEGRAM_BOT_TOKEN, and start the portal again.',
  unreachable: 'This machine does not reach Telegram. Check its network, its firewall and TELEGRAM_API_ROOT.',
  silent: 'Telegram does not answer in time. Check the network; notices wait, and are sent when it answers.',
  unreadable: 'What answers is no Bot API. Check TELEGRAM_API_ROOT.',
  busy: 'Telegram asks the bot for patience. Wait; nothing is lost.',
  failed: 'Telegram has a fault on its side. Wait; nothing is lost.',
};

/** Advice on a fault of the connection itself. */
export function connectionAdvice({ kind }: BotFault): string {
  return OF_CONNECTION[kind] ?? 'Telegram refuses the bot. Its words stand at the connection test.';
}

const OF_CHAT: Readonly<Partial<Record<BotFaultKind, string>>> = {
  chat: 'Telegram does not know the chat. Check TELEGRAM_CHAT_ID, and add the bot to that chat; a group that became a supergroup has another id.',
  forbidden: 'The bot is not in the team’s chat any more. Add it again.',
};

/** Advice on the team's chat; null where the connection's advice covers it. */
export function chatAdvice({ kind }: BotFault): string | null {
  return OF_CHAT[kind] ?? null;
}

export const MAY_NOT_WRITE_ADVICE =
  'The bot is in the team’s chat but may not write there. Give it the right to send messages.';

export const WEBHOOK_ADVICE =
  'A webhook takes the bot’s updates, so the portal hears nothing. Remove it (deleteWebhook), or give the portal a bot of its own.';

export const CONFLICT_ADVICE =
  'Another program reads this bot’s updates. Stop it, or give the portal a bot of its own.';
