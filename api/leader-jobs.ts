import type { PortalConfig } from '../data/config/environment.ts';
import type { Logger } from '../data/runtime/log.ts';
import type { AppStore, IndexReader } from '../data/store/ports.ts';
import { startCardStakeChecks } from './cards/check-card-stakes.ts';
import { startTopUps } from './cards/top-ups/start-top-ups.ts';
import type { InboundMetrics } from './conversation/inbound-metrics.ts';
import { startMailbox } from './conversation/mailbox.ts';
import type { MasterKey } from './documents/master-key.ts';
import { createChatLinks } from './reminders/chat-links.ts';
import type { LedgerClock } from './reminders/ledger-clock.ts';
import { startReminders } from './reminders/reminder-job.ts';
import { reminderTokens } from './reminders/reminder-tokens.ts';
import { startReports } from './reports/weekly-schedule.ts';
import { startDeletion } from './retention/scheduled-deletion.ts';
import type { Portal } from './server.ts';
import type { PortalBot } from './telegram/portal-bot.ts';

interface LeaderJobOptions {
  readonly config: Pick<
    PortalConfig,
    'cards' | 'delivery' | 'documentRetentionDays' | 'messageRetentionDays' | 'rateLimits'
  >;
  readonly store: AppStore;
  readonly reader: IndexReader;
  readonly portal: Portal;
  readonly masterKey: MasterKey;
  /** Null if no bot is configured. */
  readonly bot: PortalBot | null;
  /** Null unless the chain is the embedded ledger. */
  readonly ledgerClock: LedgerClock | null;
  readonly sweepLeftovers: (now: number) => readonly string[];
  /** The portal's own email addresses. Emails from them are not stored. */
  readonly ownAddresses: readonly string[];
  readonly inbound: InboundMetrics;
  readonly origin: string;
  readonly log: Logger;
}

/** Starts the jobs that only one replica may run at a time. @returns a function that stops them */
export function startLeaderJobs(options: LeaderJobOptions): () => Promise<void> {
  const { config, store, reader, portal, masterKey, bot, ledgerClock, inbound, origin, log } = options;
  const { rateLimits } = config;
  const { fundingAddress, topUps } = config.cards;
  const mailbox = config.delivery.inbound?.mailbox;
  const { figureInputs } = portal;
  const now = Date.now;

  const stopDeletion = startDeletion({
    store,
    documentRetentionDays: config.documentRetentionDays,
    messageRetentionDays: config.messageRetentionDays,
    sweepLeftovers: options.sweepLeftovers,
    now,
    log,
  });
  const stopReports = startReports({ reports: store.reports, now, log });
  const { subscriptions } = store;
  const stopReminders = startReminders({ subscriptions, reader, figureInputs, ledgerClock, now, log });
  const stopTopUps =
    topUps && fundingAddress
      ? startTopUps({ settings: topUps, fundingAddress, topUps: store.topUps, log })
      : null;
  const stopChecks = startCardStakeChecks({ checkCardStakes: portal.checkCardStakes, log });
  bot?.listen({
    answersPerMinute: rateLimits['bot-answers'],
    figureInputs,
    readiness: portal.readiness,
    store,
    chatLinks: createChatLinks({
      store,
      tokens: reminderTokens(masterKey),
      slot: () => figureInputs().stakes?.slot ?? null,
      answersPerDay: rateLimits['chat-answers-of-record'],
      now,
    }),
    origin,
  });
  const stopMailbox = mailbox
    ? startMailbox({
        mailbox,
        context: {
          store,
          ownAddresses: options.ownAddresses,
          rateLimits,
          masterKey,
          isDiskSpaceLow: portal.isDiskSpaceLow,
          now,
          log,
        },
        onMail: inbound.onMail,
        onConnected: inbound.onConnected,
        log,
      })
    : null;
  portal
    .closeTestCards()
    .catch((error: unknown) => log.error({ err: error }, 'test cards could not be closed'));

  return async () => {
    await Promise.all([
      stopDeletion(),
      stopReports(),
      stopReminders(),
      stopChecks(),
      stopTopUps?.(),
      bot?.stop(),
      stopMailbox?.(),
    ]);
    inbound.onConnected(null);
  };
}
