import { Telegram, TelegramError } from 'telegraf';
import type { DeliveryConfig } from '../../../data/config/delivery-variables.ts';
import { sanitizePeerMessage } from '../recipients.ts';
import { type SendOutcome, UNREACHABLE_CODES } from '../send-outcome.ts';
import type { NoticeTransport } from './telegram-sender.ts';

type BotConfig = Extract<DeliveryConfig['telegram'], { kind: 'bot' }>;

/** Telegraf's types require the AbortSignal of a polyfill. At run time, Telegraf accepts Node's own AbortSignal. */
export type TelegrafSignal = NonNullable<NonNullable<Parameters<Telegram['callApi']>[2]>['signal']>;

const TIMEOUT_MS = 30_000;

export function createBotTransport({ token, apiRoot }: BotConfig, timeoutMs = TIMEOUT_MS): NoticeTransport {
  const telegram = new Telegram(token, { apiRoot });
  return async ({ chatId, text }, signal) => {
    const message = { chat_id: chatId, text, link_preview_options: { is_disabled: true } };
    try {
      const sendSignal = AbortSignal.any([
        signal,
        AbortSignal.timeout(timeoutMs),
      ]) as unknown as TelegrafSignal;
      const { message_id } = await telegram.callApi('sendMessage', message, { signal: sendSignal });
      return { kind: 'sent', providerId: String(message_id) };
    } catch (error) {
      return telegramOutcome(error);
    }
  };
}

/** Matches errors about the configured chat. Any other error with code 400 is about the message. */
const ABOUT_CHAT = /chat|peer|group|channel|bot/i;

function refusedOutcome(
  code: number,
  description: string,
  retryAfterSeconds: number | undefined,
): SendOutcome {
  const failure = { code: String(code), error: sanitizePeerMessage(description) };
  if (code === 429) {
    const wait = retryAfterSeconds === undefined ? {} : { retryAfterMs: retryAfterSeconds * 1_000 };
    return { kind: 'pause', reason: 'busy', ...failure, ...wait };
  }
  // Telegram responds with 404 to a malformed token.
  const isAboutPortal = code === 401 || code === 403 || code === 404;
  if (isAboutPortal || (code === 400 && ABOUT_CHAT.test(description))) {
    return { kind: 'pause', reason: 'refused', ...failure };
  }
  return { kind: code >= 500 ? 'retry' : 'dead', ...failure };
}

/** Whether the JSON is an error response from Telegram. Telegraf treats any JSON as one. */
function isRefusal(response: unknown): boolean {
  if (typeof response !== 'object' || response === null) return false;
  const { error_code: code, description }: { error_code?: unknown; description?: unknown } = response;
  return typeof code === 'number' && typeof description === 'string';
}

/** Keeps the text of an error only if Telegram sent it, because any other error's text may contain the bot's token. */
export function telegramOutcome(failure: unknown): SendOutcome {
  if (failure instanceof TelegramError && isRefusal(failure.response)) {
    return refusedOutcome(failure.code, failure.description, failure.parameters?.retry_after);
  }
  const code =
    failure instanceof Error && 'code' in failure && typeof failure.code === 'string'
      ? failure.code
      : 'unknown';
  if (UNREACHABLE_CODES.has(code)) {
    return { kind: 'pause', reason: 'unreachable', code, error: 'Telegram cannot be reached.' };
  }
  const isAborted = failure instanceof Error && failure.name === 'AbortError';
  return {
    kind: 'unknown',
    code: isAborted ? 'ETIMEDOUT' : code,
    error: 'The connection ended before Telegram confirmed the notice.',
  };
}
