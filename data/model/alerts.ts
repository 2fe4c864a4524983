const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Limits beyond which the portal alerts the team. The maximum ages of live values are in `value-state.ts`. */
export const ALERT_LIMITS = {
  /** Milliseconds after which a due delivery is overdue. */
  overdueMs: 10 * MINUTE_MS,
  /** The maximum age (ms) of the newest finalized Ethereum block. Ethereum finalizes blocks about every 7 minutes. */
  finalBlockAgeMs: HOUR_MS,
  lateBackupMs: 2 * HOUR_MS,
  /** How late (ms) the remote copy of a backup may be. */
  lateCopyMs: 3 * HOUR_MS,
  /** Disk space is low if less than this multiple of `DISK_RESERVE_MB` is free. */
  diskReserveFactor: 2,
  failedSignIns: { count: 30, windowMs: 15 * MINUTE_MS },
} as const;

interface AlertKind {
  readonly title: string;
  readonly remedy: string;
  /** How long (ms) a problem must last before the team is alerted. */
  readonly minDurationMs: number;
  /** The rule in `deploy/prometheus/alerts.yaml` with the same threshold and duration. */
  readonly rule: string;
}

export const ALERTS = {
  'figures-stale': {
    title: 'The figures are out of date',
    remedy: 'Check that the indexer runs. Its log has the reason.',
    minDurationMs: 2 * MINUTE_MS,
    rule: 'PortalFiguresStale',
  },
  'index-behind': {
    title: 'The index is behind the chain',
    remedy: 'Check the RPC endpoints and their limits.',
    minDurationMs: 5 * MINUTE_MS,
    rule: 'PortalIndexBehind',
  },
  'history-incomplete': {
    title: 'The event history is incomplete',
    remedy: 'Check the RPC endpoints. The log of the indexer has the reason.',
    minDurationMs: HOUR_MS,
    rule: 'PortalHistoryIncomplete',
  },
  'figures-disagree': {
    title: 'Accounts and indexed events disagree',
    remedy: 'Run: npm run verify',
    minDurationMs: 10 * MINUTE_MS,
    rule: 'PortalFiguresDisagree',
  },
  'no-endpoint': {
    title: 'No RPC endpoint answers',
    remedy: 'Check the indexer and the RPC endpoints.',
    minDurationMs: 2 * MINUTE_MS,
    rule: 'PortalNoEndpoint',
  },
  'quote-stale': {
    title: 'The market quote is out of date',
    remedy: 'Check the market feed. The log of the indexer has the reason.',
    minDurationMs: 10 * MINUTE_MS,
    rule: 'PortalQuoteStale',
  },
  'mail-paused': {
    title: 'Emails are not being sent',
    remedy: 'Check SMTP_URL and the mail server. The log has the reason.',
    minDurationMs: 15 * MINUTE_MS,
    rule: 'PortalChannelPaused',
  },
  'telegram-paused': {
    title: 'Telegram notices are not being sent',
    remedy: 'Check the bot and its chat. The log has the reason.',
    minDurationMs: 15 * MINUTE_MS,
    rule: 'PortalChannelPaused',
  },
  'mailbox-unreachable': {
    title: 'Answers by email are not being read',
    remedy: 'Check IMAP_URL and the mail server. The log has the reason.',
    minDurationMs: HOUR_MS,
    rule: 'PortalMailboxUnreachable',
  },
  'top-ups-behind': {
    title: 'Top-ups are not being read',
    remedy: 'Check ETH_RPC_URLS and the limits of the endpoints. The log has the reason.',
    minDurationMs: 10 * MINUTE_MS,
    rule: 'PortalTopUpsBehind',
  },
  'top-ups-disagree': {
    title: 'Balance and top-ups disagree',
    remedy: 'Compare the transfers of the funding address with the credited top-ups.',
    minDurationMs: 20 * MINUTE_MS,
    rule: 'PortalTopUpsDisagree',
  },
  'top-ups-unmatched': {
    title: 'Transfers of USDT are waiting for the team',
    remedy: 'Credit or close them in the admin area, under Top-ups.',
    minDurationMs: 0,
    rule: 'PortalTopUpsUnmatched',
  },
  'webhook-disabled': {
    title: 'A webhook endpoint is disabled',
    remedy: 'Check the receiver, and enable or remove the endpoint in the admin area, under Webhooks.',
    minDurationMs: 0,
    rule: 'PortalWebhookDisabled',
  },
  'backup-old': {
    title: 'The backup is late or failed',
    remedy: 'Look for "backup" in the log, and run: npm run backup',
    minDurationMs: 15 * MINUTE_MS,
    rule: 'PortalBackupOld',
  },
  'backup-copy-old': {
    title: 'Backups are not being copied elsewhere',
    remedy: 'Look for "copied elsewhere" in the log, and run: npm run backup',
    minDurationMs: 15 * MINUTE_MS,
    rule: 'PortalBackupCopyOld',
  },
  'disk-low': {
    title: 'The disk is filling up',
    remedy: 'Free some space before the portal has to refuse documents.',
    minDurationMs: 10 * MINUTE_MS,
    rule: 'PortalDiskLow',
  },
  'sign-in-attack': {
    title: 'Many admin sign-ins are failing',
    remedy: 'The audit trail has the accounts and addresses, under admin.sign-in-failed.',
    minDurationMs: 0,
    rule: 'PortalSignInsRefused',
  },
  'replica-behind': {
    title: 'A replica cannot follow the indexer',
    remedy: 'Check the database and the load of the replica that runs the shared jobs.',
    minDurationMs: 10 * MINUTE_MS,
    rule: 'PortalReplicaBehind',
  },
  'database-busy': {
    title: 'Calls are waiting for the database',
    remedy: 'Raise DATABASE_POOL, or check the database.',
    minDurationMs: 7 * MINUTE_MS,
    rule: 'PortalConnectionsBusy',
  },
} as const satisfies Record<string, AlertKind>;

export type AlertCode = keyof typeof ALERTS;
export const ALERT_CODES = Object.keys(ALERTS) as [AlertCode, ...AlertCode[]];

export const isAlertCode = (text: string): text is AlertCode => Object.hasOwn(ALERTS, text);
