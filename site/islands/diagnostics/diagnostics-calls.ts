import { queryOptions } from '@tanstack/react-query';
import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import type {
  sendTestApplication,
  sendTestMessage,
  telegramDiagnostics,
  telegramNewDiagnostics,
} from '../../../data/contract/telegram.ts';
import { callFault, faultText } from '../../data/call-fault.ts';
import { adminFetch } from '../admin/admin-session.ts';

// Named by their types alone: the declaring module would bring its schemas into the browser.
const DIAGNOSTICS: (typeof telegramDiagnostics)['path'] = '/api/telegram/diagnostics';
const NEW_DIAGNOSTICS: (typeof telegramNewDiagnostics)['path'] = '/api/telegram/new-diagnostics';
const SEND_MESSAGE: (typeof sendTestMessage)['path'] = '/api/telegram/send-test';
const SEND_APPLICATION: (typeof sendTestApplication)['path'] = '/api/telegram/send-test-application';

export type Diagnosis = ResponseOf<typeof telegramDiagnostics>;

/** Milliseconds between two looks of the page that follows the bot. */
const LOOK_EVERY = 5_000;
/** Milliseconds that a test may take: Telegram is asked for it. */
const ANSWER_WITHIN = 20_000;

// Nothing of it stays in memory once its page is signed out.
const FOR_ADMINS = { staleTime: 0, gcTime: 0 } as const;

/** The tests of the bot, made anew each time that they are asked for. */
export function diagnosticsQuery() {
  return queryOptions<Diagnosis>({
    queryKey: [DIAGNOSTICS],
    queryFn: async ({ signal }) => (await adminFetch('GET', DIAGNOSTICS, { signal })).json(),
    retry: (failures, error) => callFault(error) === 'failed' && failures < 2,
    ...FOR_ADMINS,
  });
}

/** The tests of the bot, every five seconds while the page is seen. */
export function newDiagnosticsQuery() {
  return queryOptions<Diagnosis>({
    queryKey: [NEW_DIAGNOSTICS],
    queryFn: async ({ signal }) => (await adminFetch('GET', NEW_DIAGNOSTICS, { signal })).json(),
    // The next look is the retry.
    retry: false,
    refetchInterval: LOOK_EVERY,
    ...FOR_ADMINS,
  });
}

/** What came of sending a test. */
export type Sent =
  | { readonly kind: 'sent'; readonly chatId: string | null }
  | { readonly kind: 'failed'; readonly words: string };

async function send(path: string, payload?: unknown): Promise<Sent> {
  try {
    const response = await adminFetch('POST', path, {
      signal: AbortSignal.timeout(ANSWER_WITHIN),
      ...(payload === undefined ? {} : { payload }),
    });
    const body: ResponseOf<typeof sendTestMessage> = await response.json();
    return body.success
      ? { kind: 'sent', chatId: body.chatId }
      : { kind: 'failed', words: body.error ?? 'Telegram gave no reason.' };
  } catch (error) {
    return {
      kind: 'failed',
      words: faultText(error, 'The portal did not answer as it should. Try again in a moment.'),
    };
  }
}

/** Sends a test message. Whatever happens is an outcome; nothing is thrown. */
export function sendMessage(username: string, message: string): Promise<Sent> {
  return send(SEND_MESSAGE, { username, message } satisfies BodyOf<typeof sendTestMessage>);
}

/** Sends the notice of an application that nobody sent. Whatever happens is an outcome; nothing is thrown. */
export function sendApplication(): Promise<Sent> {
  return send(SEND_APPLICATION);
}
