import { z } from 'zod';

export interface RateLimit {
  /** The maximum number of calls, or of what the limit's name says, such as megabytes or failed sign-ins. */
  readonly limit: number;
  /** `open`: the limit is for calls that are open at the same time. */
  readonly per: 'minute' | 'day' | 'open';
  /**
   * What is counted separately, such as each IP address or each network (a /24 in IPv4, a /48 in IPv6). `portal`: all
   * callers share one count.
   */
  readonly scope:
    | 'address'
    | 'network'
    | 'wallet'
    | 'email address'
    | 'mail domain'
    | 'account'
    | 'chat'
    | 'record'
    | 'portal';
  /** Whether all replicas share one count, which is kept in the store. Otherwise, each replica counts its own calls. */
  readonly isShared?: true;
  readonly reason: string;
}

const PER_ADDRESS = { per: 'minute', scope: 'address' } as const;
const PER_WALLET = { per: 'minute', scope: 'wallet' } as const;
const SHARED = { isShared: true } as const;
const OPEN_IN_PORTAL = { per: 'open', scope: 'portal' } as const;

/**
 * The portal's rate limits. The environment variable `RATE_LIMITS` can override each `limit`. Limits that protect a process's
 * memory or thread pool, such as the bytes of uploads in progress, are constants in the code that needs them.
 */
export const RATE_LIMITS = {
  calls: {
    ...PER_ADDRESS,
    limit: 300,
    reason: 'All calls except those for figures. A page makes several while it loads.',
  },
  streams: { ...OPEN_IN_PORTAL, limit: 4_000, reason: 'Each stream holds a connection and its buffers.' },
  'streams-of-network': {
    per: 'open',
    scope: 'network',
    limit: 50,
    reason:
      'One person can own a whole network, and a whole office can share one. Pages without a stream poll instead. The last quarter of all streams is reserved for networks without a stream.',
  },
  'streams-of-admin': {
    per: 'open',
    scope: 'account',
    limit: 10,
    reason: 'Each tab of the admin area holds one. A tab without a stream reads its lists every ten seconds.',
  },
  'chain-reads': { ...OPEN_IN_PORTAL, limit: 32, reason: 'Endpoints limit and charge for requests.' },
  'wallet-histories': {
    ...PER_ADDRESS,
    limit: 60,
    reason: 'Each one reads up to ten thousand events, or a hundred thousand for a chart.',
  },
  'wallet-exports': { ...PER_ADDRESS, limit: 10, reason: 'Each one reads all events of a wallet.' },
  verifications: { ...PER_ADDRESS, limit: 30, reason: 'Each one queries the chain; a visitor needs a few.' },
  'stake-balances': {
    ...PER_ADDRESS,
    limit: 30,
    reason: 'Each one queries the chain; a visitor needs a few.',
  },
  names: {
    ...PER_ADDRESS,
    limit: 30,
    reason: 'Each look-up of a name may query the chain; a visitor needs a few.',
  },
  'stakes-built': { ...PER_ADDRESS, limit: 20, reason: 'Each one queries the chain several times.' },
  'stakes-sent': { ...PER_ADDRESS, limit: 20, reason: 'Each one queries the chain several times.' },
  'stake-progress': { ...PER_ADDRESS, limit: 90, reason: 'A page polls once a second.' },
  challenges: { ...PER_ADDRESS, ...SHARED, limit: 20, reason: 'A sign-in needs one.' },
  proofs: { ...PER_ADDRESS, ...SHARED, limit: 20, reason: 'A sign-in needs one.' },
  submissions: {
    ...PER_ADDRESS,
    ...SHARED,
    limit: 10,
    reason: 'For all forms together: a visitor sends one or two.',
  },
  'confirmations-of-email': {
    per: 'day',
    scope: 'email address',
    limit: 5,
    reason:
      'Counted for each kind of form. Anyone can enter any email address in a form. Further forms are accepted without a confirmation email.',
  },
  'confirmations-of-domain': {
    per: 'day',
    scope: 'mail domain',
    limit: 500,
    reason: 'Anyone can enter any email address in a form. Further confirmations wait in the queue.',
  },
  confirmations: {
    per: 'day',
    scope: 'portal',
    limit: 2_000,
    reason:
      'A flood of mail to strangers ruins the sender’s reputation. Further confirmations wait in the queue.',
  },
  'inbound-mails': {
    ...PER_ADDRESS,
    limit: 120,
    reason: 'Emails that a mail server forwards to the portal.',
  },
  'inbound-messages-of-email': {
    per: 'day',
    scope: 'email address',
    limit: 10,
    reason:
      'Emails that mention no record become messages to support. Further emails from the same sender are not stored.',
  },
  'inbound-answers-of-record': {
    per: 'day',
    scope: 'record',
    limit: 50,
    reason:
      'Anyone can mention a record in an email. Further emails about it are not stored. Emails from the address of the record, from other addresses and from programs are counted separately.',
  },
  'chat-answers-of-record': {
    per: 'day',
    scope: 'record',
    limit: 50,
    reason: 'Answers that applicants send through Telegram. Each one is stored with the record.',
  },
  'uploads-of-network': {
    per: 'open',
    scope: 'network',
    limit: 3,
    reason: 'Each one takes disk space that all uploads share.',
  },
  'document-megabytes-of-network': {
    per: 'day',
    scope: 'network',
    limit: 200,
    reason:
      'Enough for ten applications with documents of the largest size. Users of a mobile network share this limit. Stored documents fill the disk.',
  },
  'document-megabytes-of-email': {
    per: 'day',
    scope: 'email address',
    limit: 60,
    reason: 'Enough for three applications with documents of the largest size, from any number of networks.',
  },
  'document-megabytes': {
    per: 'day',
    scope: 'portal',
    limit: 2_000,
    reason: 'Limits the disk space that documents of unconfirmed applications take until they are deleted.',
  },
  'mailbox-confirmations': { ...PER_ADDRESS, ...SHARED, limit: 10, reason: 'An applicant needs one.' },
  'status-checks': { ...PER_ADDRESS, ...SHARED, limit: 10, reason: 'Reference numbers could be guessed.' },
  'status-checks-of-email': {
    ...SHARED,
    per: 'minute',
    scope: 'email address',
    limit: 20,
    reason: 'Reference numbers could be guessed from many IP addresses.',
  },
  'card-reads': {
    ...PER_ADDRESS,
    ...SHARED,
    limit: 60,
    reason: 'A page polls every few seconds while a card is pending.',
  },
  'card-reads-of-wallet': {
    ...PER_WALLET,
    ...SHARED,
    limit: 60,
    reason: 'One wallet can call from many IP addresses.',
  },
  'card-changes': {
    ...PER_ADDRESS,
    ...SHARED,
    limit: 10,
    reason: 'Creating, showing or freezing a card calls the issuer.',
  },
  'card-changes-of-wallet': {
    ...PER_WALLET,
    ...SHARED,
    limit: 10,
    reason: 'One wallet can call from many IP addresses.',
  },
  'reminder-changes': {
    ...PER_ADDRESS,
    ...SHARED,
    limit: 20,
    reason: 'A holder sets up one or two. Each one may send an email.',
  },
  'reminder-changes-of-wallet': {
    ...PER_WALLET,
    ...SHARED,
    limit: 20,
    reason: 'One wallet can call from many IP addresses.',
  },
  'reminder-links': {
    ...PER_ADDRESS,
    limit: 20,
    reason: 'Each one looks up a reminder. A holder needs one or two.',
  },
  'issuer-messages': { ...PER_ADDRESS, limit: 240, reason: 'An issuer sends a few for each payment.' },
  questions: { ...PER_ADDRESS, limit: 30, reason: 'Questions to the assistant and votes on its answers.' },
  'model-answers': {
    per: 'day',
    scope: 'portal',
    limit: 2_000,
    reason: 'The chat model’s provider charges for each one. Further questions get the portal’s own answers.',
  },
  'model-answers-open': {
    ...OPEN_IN_PORTAL,
    limit: 8,
    reason: 'A slow model must not hold up the other answers.',
  },
  'bot-answers': {
    per: 'minute',
    scope: 'chat',
    limit: 12,
    reason: 'Telegram limits what a bot sends to one chat.',
  },
  'admin-setups': { ...PER_ADDRESS, ...SHARED, limit: 10, reason: 'Each one hashes a password.' },
  'admin-logins': {
    ...PER_ADDRESS,
    ...SHARED,
    limit: 30,
    reason: 'Each one hashes a password. A whole office can share one IP address.',
  },
  'passkey-challenges': { ...PER_ADDRESS, ...SHARED, limit: 60, reason: 'Each one is stored for minutes.' },
  'report-links': {
    ...PER_ADDRESS,
    limit: 20,
    reason: 'Each one looks up an account. An admin needs one or two.',
  },
  'admin-changes': { ...PER_ADDRESS, limit: 30, reason: 'Changes to accounts and sessions of the team.' },
  'admin-decisions': {
    ...PER_ADDRESS,
    limit: 60,
    reason: 'Decisions, notes, retries, changes to cards and to the assistant: one a second.',
  },
  'admin-bulk-changes': {
    ...PER_ADDRESS,
    limit: 30,
    reason: 'Each one, and each preview, reads or changes up to 200 records.',
  },
  'admin-replies': { ...PER_ADDRESS, limit: 20, reason: 'Each one sends an email to a person.' },
  'admin-uploads': { ...PER_ADDRESS, limit: 30, reason: 'Each one checks and stores a file.' },
  'admin-searches': { ...PER_ADDRESS, limit: 120, reason: 'A search runs while the admin types.' },
  'admin-exports': { ...PER_ADDRESS, limit: 10, reason: 'Each one reads a whole table.' },
  'admin-documents': { ...PER_ADDRESS, limit: 60, reason: 'Each one decrypts a whole upload.' },
  erasures: { ...PER_ADDRESS, limit: 10, reason: 'Each one searches every table.' },
  'telegram-tests': { ...PER_ADDRESS, limit: 10, reason: 'Each one sends messages.' },
  'failed-sign-ins': {
    per: 'day',
    scope: 'account',
    limit: 4,
    reason:
      'Failed attempts on an account from one IP address or browser before the next attempt has to wait.',
  },
  'failed-sign-ins-of-account': {
    per: 'day',
    scope: 'account',
    limit: 12,
    reason:
      'Failed attempts on an account before unknown IP addresses have to wait and the team is alerted. Wrong codes with the right password are counted separately, up to the same limit.',
  },
  'failed-sign-ins-of-address': {
    per: 'day',
    scope: 'address',
    limit: 12,
    reason: 'A whole office can share one IP address.',
  },
} as const satisfies Readonly<Record<string, RateLimit>>;

export type RateLimitName = keyof typeof RATE_LIMITS;
export type RateLimits = Readonly<Record<RateLimitName, number>>;

const isRateLimit = (name: string): name is RateLimitName => Object.hasOwn(RATE_LIMITS, name);

export function mapRateLimits<Value>(
  toValue: (name: RateLimitName) => Value,
): Readonly<Record<RateLimitName, Value>> {
  return Object.fromEntries(
    Object.keys(RATE_LIMITS)
      .filter(isRateLimit)
      .map((name) => [name, toValue(name)]),
  ) as Record<RateLimitName, Value>;
}

export function rateLimits(replacements: Partial<RateLimits> = {}): RateLimits {
  return { ...mapRateLimits((name) => RATE_LIMITS[name].limit), ...replacements };
}

const MAX_RATE = 1_000_000;

/** For example, `RATE_LIMITS=submissions=20,admin-logins=60` overrides two limits. */
export const RATE_VARIABLES = {
  RATE_LIMITS: z
    .string()
    .transform((text, context): RateLimits => {
      const replacements = text.split(',').map((part) => part.split('=').map((word) => word.trim()));
      const refuse = (message: string) => {
        context.addIssue(message);
        return z.NEVER;
      };
      const names = replacements.map(([name = '']) => name);
      const [unknown] = names.filter((name) => !isRateLimit(name));
      if (unknown !== undefined)
        return refuse(
          `contains “${unknown.slice(0, 40)}”, which is not a rate limit. data/config/rate-limits.ts lists them all.`,
        );
      if (new Set(names).size < names.length) return refuse('sets a rate limit twice. Set each one once.');
      for (const [name, number = '', ...more] of replacements) {
        const isValidLimit = /^[1-9]\d{0,6}$/.test(number) && Number(number) <= MAX_RATE && more.length === 0;
        if (!isValidLimit)
          return refuse(
            `has no valid number for ${name}. Write ${name}= and a whole number from 1 to ${MAX_RATE}.`,
          );
      }
      return rateLimits(
        Object.fromEntries(replacements.map(([name = '', number]) => [name, Number(number)])),
      );
    })
    .optional(),
};
