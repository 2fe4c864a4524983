import { queryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type {
  sendTestMessage,
  telegramDiagnostics,
  telegramPolledDiagnostics,
} from '../../../data/contract/telegram.ts';
import { errorText } from '../../data/call-error.ts';
import { adminQuery } from '../admin/admin-calls.ts';
import { adminFetch } from '../admin/admin-session.ts';

export type Diagnosis = ResponseOf<typeof telegramDiagnostics>;

export const TEST_INTERVAL_MS = 5_000;
/** Milliseconds. Long, because the portal waits for Telegram before it responds. */
const SEND_TIMEOUT_MS = 20_000;

/** Each read runs the tests, unless the server has results that are less than a second old. */
export const diagnosticsQuery = () => adminQuery<typeof telegramDiagnostics>(PATHS.telegramDiagnostics);

/** Polls the results while an admin is using the page. The server reuses results from the last few seconds. */
export function polledDiagnosticsQuery() {
  return queryOptions({
    ...adminQuery<typeof telegramPolledDiagnostics>(PATHS.telegramPolledDiagnostics),
    // No retries, because the next interval reads again anyway.
    retry: false,
    refetchInterval: TEST_INTERVAL_MS,
    refetchOnWindowFocus: true,
  });
}

export type SendOutcome =
  | { readonly kind: 'sent'; readonly chatId: string | null }
  | { readonly kind: 'failed'; readonly message: string };

async function send(path: string, payload?: unknown): Promise<SendOutcome> {
  try {
    const response = await adminFetch('POST', path, {
      signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
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

/** Returns a failure instead of throwing it. */
export function sendMessage(username: string, message: string): Promise<SendOutcome> {
  return send(PATHS.sendTestMessage, { username, message } satisfies BodyOf<typeof sendTestMessage>);
}

/** Sends the notification about a sample application. Returns a failure instead of throwing it. */
export const sendApplicationNotice = (): Promise<SendOutcome> => send(PATHS.sendTestApplication);

export function useSending() {
  const [isSending, setSending] = useState(false);
  const [lastOutcome, setLastOutcome] = useState<SendOutcome | null>(null);
  const run = async (action: () => Promise<SendOutcome>): Promise<SendOutcome> => {
    setSending(true);
    setLastOutcome(null);
    const outcome = await action();
    setSending(false);
    setLastOutcome(outcome);
    return outcome;
  };
  return { isSending, lastOutcome, run };
}
