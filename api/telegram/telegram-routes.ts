import type { RequestHandler } from 'express';
import {
  sendTestApplication,
  sendTestMessage,
  telegramDiagnostics,
  telegramNewDiagnostics,
} from '../../data/contract/telegram.ts';
import type { AdmitAdmin } from '../admin/signed-in-admin.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import { limitCalls, limited } from '../security/rate-limit.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { TestSender } from './send-tests.ts';

/** Tests that one address may send a minute. */
export const TESTS_PER_MINUTE = 10;
/** Milliseconds: a page asks every five seconds, so each look of it is a new one, and those of others share it. */
const POLLED_AGE = 4_000;
/** Milliseconds: who asks by hand gets a new look, however often the button is pressed. */
const ASKED_AGE = 1_000;

/** What the diagnostics pages work with. */
export interface TelegramDesk {
  readonly diagnostics: Diagnostics;
  readonly tests: TestSender;
}

/** The calls of the diagnostics pages, for admins alone. */
export function telegramRoutes(options: {
  readonly desk: TelegramDesk;
  readonly admitAdmin: AdmitAdmin;
  /** Counts the tests that one address sends. */
  readonly limit?: RequestHandler;
}): ApiRoute[] {
  const { desk, admitAdmin, limit = limitCalls(TESTS_PER_MINUTE, 'telegram-tests') } = options;
  const reading = (
    call: typeof telegramDiagnostics | typeof telegramNewDiagnostics,
    age: number,
  ): ApiRoute => ({
    method: call.method,
    path: call.path,
    handle: async (request, response) => {
      await admitAdmin(request, call.access);
      response.json(await desk.diagnostics.read(age));
    },
  });
  return [
    reading(telegramDiagnostics, ASKED_AGE),
    reading(telegramNewDiagnostics, POLLED_AGE),
    {
      method: sendTestMessage.method,
      path: sendTestMessage.path,
      handle: limited(limit, async (request, response) => {
        await admitAdmin(request, sendTestMessage.access);
        const { username, message } = readBody(sendTestMessage.body, request.body);
        response.json(await desk.tests.sendMessage(username ?? '', message));
      }),
    },
    {
      method: sendTestApplication.method,
      path: sendTestApplication.path,
      handle: limited(limit, async (request, response) => {
        await admitAdmin(request, sendTestApplication.access);
        response.json(await desk.tests.sendApplication());
      }),
    },
  ];
}
