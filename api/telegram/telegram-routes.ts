import type { RequestHandler } from 'express';
import {
  sendTestApplication,
  sendTestMessage,
  telegramDiagnostics,
  telegramNewDiagnostics,
} from '../../data/contract/telegram.ts';
import { adminRoute } from '../admin/admin-route.ts';
import type { AdmitAdmin } from '../admin/signed-in-admin.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import type { TelegramDesk } from './telegram-desk.ts';

/** Tests that one address may send a minute. */
export const TESTS_PER_MINUTE = 10;
/** Milliseconds: a page asks every five seconds, so each look of it is a new one, and those of others share it. */
const POLLED_AGE = 4_000;
/** Milliseconds: who asks by hand gets a new look, however often the button is pressed. */
const ASKED_AGE = 1_000;

/** The calls of the diagnostics pages, for admins alone. */
export function telegramRoutes(options: {
  readonly desk: TelegramDesk;
  readonly admitAdmin: AdmitAdmin;
  /** Counts the tests that one address sends. */
  readonly limit: RequestHandler;
}): ApiRoute[] {
  const { desk, admitAdmin, limit } = options;
  const reading = (call: typeof telegramDiagnostics | typeof telegramNewDiagnostics, age: number): ApiRoute =>
    adminRoute(call, admitAdmin, async (_admin, _request, response) => {
      response.json(await desk.diagnostics.read(age));
    });
  return [
    reading(telegramDiagnostics, ASKED_AGE),
    reading(telegramNewDiagnostics, POLLED_AGE),
    adminRoute(
      sendTestMessage,
      admitAdmin,
      async (_admin, request, response) => {
        const { username, message } = readBody(sendTestMessage.body, request.body);
        response.json(await desk.tests.sendMessage(username ?? '', message));
      },
      limit,
    ),
    adminRoute(
      sendTestApplication,
      admitAdmin,
      async (_admin, _request, response) => {
        response.json(await desk.tests.sendApplication());
      },
      limit,
    ),
  ];
}
