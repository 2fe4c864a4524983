import { createDiagnostics, type Diagnostics } from './diagnostics.ts';
import type { PortalBot } from './portal-bot.ts';
import { createTestSender, type TestSender } from './send-tests.ts';

/** What the diagnostics pages work with. */
export interface TelegramDesk {
  readonly diagnostics: Diagnostics;
  readonly tests: TestSender;
}

/** The desk of a bot, or of none. */
export function telegramDesk(options: {
  readonly bot: PortalBot | null;
  readonly now: () => number;
  /** Where people reach the portal, without a slash at its end. */
  readonly origin: () => string;
}): TelegramDesk {
  const { bot, now, origin } = options;
  return { diagnostics: createDiagnostics(bot, now), tests: createTestSender(bot, origin) };
}
