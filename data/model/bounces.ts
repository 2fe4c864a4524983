export const BOUNCE_REASONS = {
  'address-unknown': 'There is no mailbox with this address.',
  'domain-unknown': 'The domain after the @ accepts no email.',
  'mailbox-full': 'The mailbox is full.',
  'mailbox-disabled': 'The mailbox accepts no email. It may be closed.',
  'refused-as-spam': 'The mail server rejected the email as spam or under its own rules.',
  'too-large': 'The email is too large for the mailbox.',
  unreachable: 'The mail server could not be reached.',
  'not-sent': 'The portal could not create or send the email.',
  other: 'The mail server refused the email.',
} as const;
export type BounceReason = keyof typeof BOUNCE_REASONS;

/** How the team informed an applicant whose email bounced. */
export const SETTLED_BY_LABELS = {
  phone: 'By phone',
  telegram: 'On Telegram',
  other: 'In another way',
} as const;
export type SettledBy = keyof typeof SETTLED_BY_LABELS;

/** Maps enhanced status codes (RFC 3463) to reasons, by the subject and the detail of the code. */
const REASONS_BY_STATUS: readonly (readonly [RegExp, BounceReason])[] = [
  [/^[45]\.1\.(2|10)$/, 'domain-unknown'],
  [/^[45]\.1\.[0136]$/, 'address-unknown'],
  [/^[45]\.2\.1$/, 'mailbox-disabled'],
  [/^[45]\.2\.2$/, 'mailbox-full'],
  [/^[45]\.(2\.3|3\.4)$/, 'too-large'],
  [/^[45]\.4\.\d+$/, 'unreachable'],
  [/^[45]\.7\.\d+$/, 'refused-as-spam'],
];

/** Patterns for the server's message, used if `REASONS_BY_STATUS` gives no reason. The first match wins. */
const REASONS_BY_TEXT: readonly (readonly [RegExp, BounceReason])[] = [
  [
    /over ?quota|quota (is )?exceeded|mailbox (is )?full|out of storage|insufficient (system )?storage/i,
    'mailbox-full',
  ],
  [/\bspam\b|blocked|blacklist|blocklist|reputation|policy|content rejected/i, 'refused-as-spam'],
  [/too (large|big)|size (limit|exceeds)|exceeds.*size/i, 'too-large'],
  [/disabled|inactive|suspended|deactivated|closed/i, 'mailbox-disabled'],
  [
    /(domain|host)( name)? (not found|unknown|does not exist)|no such domain|null ?mx|does not accept mail/i,
    'domain-unknown',
  ],
  [
    /no such|does ?n[o']t exist|unknown (user|recipient|mailbox|address)|(user|recipient|mailbox|address)( \S+)? (unknown|not found|unavailable|rejected)|invalid (user|recipient|mailbox|address)/i,
    'address-unknown',
  ],
  [/timed? ?out|unreachable|expired|connection/i, 'unreachable'],
];

const OWN_FAILURES: ReadonlySet<string> = new Set(['no-mail', 'no-stakes', 'internal']);

/** Reasons by SMTP reply code or by one of the portal's own codes, used if the tables above give no reason. */
const REASON_BY_CODE: Readonly<Record<string, BounceReason>> = {
  'no-address': 'address-unknown',
  '552': 'mailbox-full',
  '452': 'mailbox-full',
};

/**
 * @param code an SMTP reply code, an enhanced status code, or one of the portal's own codes
 * @param text the server's message
 */
export function bounceReason(code: string | null, text: string | null): BounceReason {
  if (code !== null && OWN_FAILURES.has(code)) return 'not-sent';
  const status = /\b[45]\.\d{1,3}\.\d{1,3}\b/.exec(`${code ?? ''} ${text ?? ''}`)?.[0];
  const match = (list: typeof REASONS_BY_STATUS, value: string) =>
    list.find(([pattern]) => pattern.test(value))?.[1];
  return (
    (status === undefined ? undefined : match(REASONS_BY_STATUS, status)) ??
    match(REASONS_BY_TEXT, text ?? '') ??
    REASON_BY_CODE[code ?? ''] ??
    'other'
  );
}
