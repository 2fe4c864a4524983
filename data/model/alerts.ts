const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Limits beyond which the portal alerts the team. The limits for figures are in `value-state.ts`. */
export const ALERT_LIMITS = {
  /** Milliseconds after which a due delivery is overdue. */
  overdue: 10 * MINUTE,
  /** Milliseconds without a new final block of Ethereum. Blocks become final about every 7 minutes. */
  topUpAge: HOUR,
  /** Milliseconds that a backup may be late. */
  lateBackup: 2 * HOUR,
  /** Milliseconds that a copy of a backup elsewhere may be late. */
  lateCopy: 3 * HOUR,
  /** Disk space counts as low if less than this many times `DISK_RESERVE_MB` is free. */
  diskReserves: 2,
  /** Failed sign-ins of admins within a window (ms). */
  failedSignIns: { count: 30, window: 15 * MINUTE },
} as const;

interface AlertKind {
  readonly title: string;
  /** What the operator should do. */
  readonly remedy: string;
  /** For how long (ms) the problem has to last before the team is alerted. */
  readonly holds: number;
  /** The rule in `deploy/prometheus/alerts.yaml` with the same limit. */
  readonly rule: string;
}

/** The alerts that the portal sends to its team, by code. */
export const ALERTS = {
  'figures-stale': {
    title: 'The figures are out of date',
    remedy: 'Check that the indexer runs. Its log has the reason.',
    holds: 2 * MINUTE,
    rule: 'PortalFiguresStale',
  },
  'index-behind': {
    title: 'The index is behind the chain',
    remedy: 'Check the RPC endpoints and their limits.',
    holds: 5 * MINUTE,
    rule: 'PortalIndexBehind',
  },
  'history-incomplete': {
    title: 'The event history is incomplete',
    remedy: 'Check the RPC endpoints. The log of the indexer has the reason.',
    holds: HOUR,
    rule: 'PortalHistoryIncomplete',
  },
  'figures-disagree': {
    title: 'Accounts and indexed events disagree',
    remedy: 'Run: npm run verify',
    holds: 10 * MINUTE,
    rule: 'PortalFiguresDisagree',
  },
  'no-endpoint': {
    title: 'No RPC endpoint answers',
    remedy: 'Check the indexer and the RPC endpoints.',
    holds: 2 * MINUTE,
    rule: 'PortalNoEndpoint',
  },
  'quote-stale': {
    title: 'The market quote is out of date',
    remedy: 'Check the market feed. The log of the indexer has the reason.',
    holds: 10 * MINUTE,
    rule: 'PortalQuoteStale',
  },
  'mail-paused': {
    title: 'Emails are not being sent',
    remedy: 'Check SMTP_URL and the mail server. The log has the reason.',
    holds: 15 * MINUTE,
    rule: 'PortalChannelPaused',
  },
  'telegram-paused': {
    title: 'Telegram notices are not being sent',
    remedy: 'Check the bot and its chat. The log has the reason.',
    holds: 15 * MINUTE,
    rule: 'PortalChannelPaused',
  },
  'mailbox-unreachable': {
    title: 'Answers by email are not being read',
    remedy: 'Check IMAP_URL and the mail server. The log has the reason.',
    holds: HOUR,
    rule: 'PortalMailboxUnreachable',
  },
  'top-ups-behind': {
    title: 'Top-ups are not being read',
    remedy: 'Check ETH_RPC_URLS and the limits of the endpoints. The log has the reason.',
    holds: 10 * MINUTE,
    rule: 'PortalTopUpsBehind',
  },
  'top-ups-disagree': {
    title: 'Balance and top-ups disagree',
    remedy: 'Compare the transfers of the funding address with the credited top-ups.',
    holds: 20 * MINUTE,
    rule: 'PortalTopUpsDisagree',
  },
  'top-ups-unmatched': {
    title: 'Transfers of USDT are waiting for the team',
    remedy: 'Credit or close them in the admin area, under Top-ups.',
    holds: 0,
    rule: 'PortalTopUpsUnmatched',
  },
  'webhook-disabled': {
    title: 'A webhook endpoint is disabled',
    remedy: 'Check the receiver, and enable or remove the endpoint in the admin area, under Webhooks.',
    holds: 0,
    rule: 'PortalWebhookDisabled',
  },
  'backup-old': {
    title: 'The backup is late or failed',
    remedy: 'Look for "backup" in the log, and run: npm run backup',
    holds: 15 * MINUTE,
    rule: 'PortalBackupOld',
  },
  'backup-copy-old': {
    title: 'Backups are not being copied elsewhere',
    remedy: 'Look for "copied elsewhere" in the log, and run: npm run backup',
    holds: 15 * MINUTE,
    rule: 'PortalBackupCopyOld',
  },
  'disk-low': {
    title: 'The disk is filling up',
    remedy: 'Free some space before the portal has to refuse documents.',
    holds: 10 * MINUTE,
    rule: 'PortalDiskLow',
  },
  'sign-in-attack': {
    title: 'Many admin sign-ins are failing',
    remedy: 'The audit trail has the accounts and addresses, under admin.sign-in-failed.',
    holds: 0,
    rule: 'PortalSignInsRefused',
  },
  'replica-behind': {
    title: 'A replica cannot follow the indexer',
    remedy: 'Check the database and the load of the replica that runs the shared jobs.',
    holds: 10 * MINUTE,
    rule: 'PortalReplicaBehind',
  },
  'database-busy': {
    title: 'Calls are waiting for the database',
    remedy: 'Raise DATABASE_POOL, or check the database.',
    holds: 7 * MINUTE,
    rule: 'PortalConnectionsBusy',
  },
} as const satisfies Record<string, AlertKind>;

export type AlertCode = keyof typeof ALERTS;
export const ALERT_CODES = Object.keys(ALERTS) as [AlertCode, ...AlertCode[]];

export const isAlertCode = (text: string): text is AlertCode => Object.hasOwn(ALERTS, text);
