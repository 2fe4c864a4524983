import { queryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type {
  sendTestMessage,
  telegramDiagnostics,
  telegramNewDiagnostics,
} from '../../../data/contract/telegram.ts';
import { errorText } from '../../data/call-error.ts';
import { adminQuery } from '../admin/admin-calls.ts';
import { adminFetch } from '../admin/admin-session.ts';

export type Diagnosis = ResponseOf<typeof telegramDiagnostics>;

/** Milliseconds between two test runs on the page that polls the bot. */
export const TEST_INTERVAL = 5_000;
/** Timeout of a send in milliseconds. The portal waits for Telegram. */
const SEND_TIMEOUT = 20_000;

/** The bot's tests. Each read runs them. */
export const diagnosticsQuery = () => adminQuery<typeof telegramDiagnostics>(PATHS.telegramDiagnostics);

/** The bot's tests, repeated while the page is visible. */
export function newDiagnosticsQuery() {
  return queryOptions({
    ...adminQuery<typeof telegramNewDiagnostics>(PATHS.telegramNewDiagnostics),
    // The next run is the retry.
    retry: false,
    refetchInterval: TEST_INTERVAL,
  });
}

/** The outcome of sending a test. */
export type Sent =
  | { readonly kind: 'sent'; readonly chatId: string | null }
  | { readonly kind: 'failed'; readonly message: string };

async function send(path: string, payload?: unknown): Promise<Sent> {
  try {
    const response = await adminFetch('POST', path, {
      signal: AbortSignal.timeout(SEND_TIMEOUT),
      ...(payload === undefined ? {} : { payload }),
    });
    const body: ResponseOf<typeof sendTestMessage> = await response.json();
    return body.success
      ? { kind: 'sent', chatId: body.chatId }
      : { kind: 'failed', message: body.error ?? 'Telegram gave no reason.' };
  } catch (error) {
    return { kind: 'failed', message: errorText(error, 'Something went wrong on our side. Try again.') };
  }
}

/** Sends a test message. Every failure is an outcome; nothing is thrown. */
export function sendMessage(username: string, message: string): Promise<Sent> {
  return send(PATHS.sendTestMessage, { username, message } satisfies BodyOf<typeof sendTestMessage>);
}

/** Sends the notification about a sample application. Every failure is an outcome; nothing is thrown. */
export const sendApplication = (): Promise<Sent> => send(PATHS.sendTestApplication);

/** The state of a form that sends a test. */
export function useSending() {
  const [isSending, setSending] = useState(false);
  const [sent, setSent] = useState<Sent | null>(null);
  const run = async (sending: () => Promise<Sent>): Promise<Sent> => {
    setSending(true);
    setSent(null);
    const outcome = await sending();
    setSending(false);
    setSent(outcome);
    return outcome;
  };
  return { isSending, sent, run };
}
