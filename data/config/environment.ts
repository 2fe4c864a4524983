import { z } from 'zod';
import { SOLANA_ADDRESS_PATTERN } from '../model/form-text.ts';
import { FRESHNESS } from '../model/value-state.ts';
import { ALERT_VARIABLES, type AlertConfig, alertConfig, alertConflicts } from './alert-variables.ts';
import { API_ORIGIN_VARIABLES, apiOriginConflicts, type PublicOrigins } from './api-origin.ts';
import { CARD_VARIABLES, type CardSettings, cardConflicts, cardSettings } from './card-settings.ts';
import { CHAT_VARIABLES, type ChatConfig, chatConfig, chatConflicts } from './chat-variables.ts';
import {
  DATABASE_VARIABLES,
  type DatabaseConfig,
  databaseConfig,
  databaseConflicts,
} from './database-variables.ts';
import {
  DELIVERY_VARIABLES,
  type DeliveryConfig,
  deliveryConfig,
  deliveryConflicts,
} from './delivery-variables.ts';
import {
  type MetricsConfig,
  NETWORK_VARIABLES,
  networkConfig,
  networkConflicts,
} from './network-variables.ts';
import { RATE_VARIABLES, type RateLimits, rateLimits } from './rate-limits.ts';
import { remoteCopyConflicts } from './remote-copy-variables.ts';
import {
  SECURITY_VARIABLES,
  type SecurityContact,
  securityConflicts,
  securityContact,
} from './security-contact.ts';
import { type BackupConfig, backupConfig, STORAGE_VARIABLES } from './storage-variables.ts';
import { TRACING_VARIABLES, type TracingConfig, tracingConfig } from './tracing-variables.ts';
import {
  type ConfigProblem,
  type GivenVariables,
  httpUrl,
  onOrOff,
  origin,
  port,
  portUpTo,
  problemsIfMissing,
  problemsIfSet,
  urlList,
  wholeNumber,
} from './variable-types.ts';

/*
 * All environment variables of the portal. They are read once, at startup. An empty variable counts as unset.
 */

/**
 * The defaults of `BD_MINT`, `BD_VAULT` and `BD_STAKE_POOL`: addresses on the embedded ledger, which generates the same keys
 * every time. A test checks that they match the ledger's addresses.
 */
export const EMBEDDED_ADDRESSES = {
  mint: 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota',
  vault: 'G7usfsa1PD2hmkXpYw4YwBefwPD2rhggGrbHz6q5AJr2',
  stakePool: 'CQNNNiXR6o9mYRgJ4iAweQiTpiKuUdGP3VmJUNmcXi7V',
} as const;

const address = (what: string) =>
  z
    .string()
    .regex(SOLANA_ADDRESS_PATTERN, `is not a Solana address. Set it to the base58 address of ${what}.`);

const url = httpUrl('https://host/path');

const REAL_FEEDS = ['dexscreener', 'jupiter'] as const;
type RealFeed = (typeof REAL_FEEDS)[number];
/** A source of market prices. `demo` makes them up. */
export type MarketFeedName = RealFeed | 'demo';

const isRealFeed = (name: string): name is RealFeed => REAL_FEEDS.some((feed) => feed === name);

/** The feeds in the order in which they are tried: the listed ones, then the other real feeds. `demo` must be the only one. */
const marketFeeds = z
  .string()
  .transform((text, context): readonly MarketFeedName[] => {
    const names = text.split(',').map((name) => name.trim());
    if (names.join() === 'demo') return ['demo'];
    const realFeeds = names.filter(isRealFeed);
    if (realFeeds.length < names.length || new Set(realFeeds).size < realFeeds.length) {
      context.addIssue(
        names.includes('demo')
          ? 'mixes demo, which is made up, with other feeds. Use demo alone, or dexscreener,jupiter without it.'
          : 'is not a market feed. Use demo, or dexscreener and jupiter in the order of use, such as dexscreener,jupiter.',
      );
      return z.NEVER;
    }
    return [...realFeeds, ...REAL_FEEDS.filter((name) => !realFeeds.includes(name))];
  })
  .default(['demo']);

/** One year, in hours. */
const MAX_VOTE_ACCOUNT_AGE_HOURS = 8_760;

const environment = z.object({
  PORT: port.default(4000),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('data/var'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'is not a log level. Use one of fatal, error, warn, info, debug, trace, silent.',
    })
    .default('info'),
  PUBLIC_ORIGIN: origin('https://portal.example.com').optional(),
  SOLANA_RPC_URLS: urlList('leave it unset for the embedded ledger').optional(),
  HELIUS_API_KEY: z
    .string()
    .regex(/^[\w-]{8,}$/, 'is not a Helius key. Copy it from the Helius dashboard.')
    .optional(),
  HELIUS_BASE_URL: url.optional(),
  BD_MINT: address('the BD mint').optional(),
  BD_VAULT: address('the vault token account').optional(),
  BD_STAKE_POOL: address('the Streamflow stake pool').optional(),
  INDEXER_POLL_MS: wholeNumber(
    100,
    FRESHNESS.chain.intervalMs,
    `is not a number of milliseconds from 100 to ${FRESHNESS.chain.intervalMs}. Figures become stale if they are read less often.`,
  ).optional(),
  MARKET_FEED: marketFeeds,
  MARKET_BASE_URL: url.optional(),
  // The ledger serves websockets on the next higher port, so this one cannot be 65535.
  LEDGER_PORT: portUpTo(65_534).default(8899),
  LEDGER_ACTORS: onOrOff.default('on'),
  VOTE_ACCOUNT_AGE_HOURS: wholeNumber(
    0,
    MAX_VOTE_ACCOUNT_AGE_HOURS,
    `is not a number of hours from 0 to ${MAX_VOTE_ACCOUNT_AGE_HOURS}. Set it to how old an admin account must be to vote on loan applications and to close cards.`,
  ).default(24),
  ...API_ORIGIN_VARIABLES,
  ...CARD_VARIABLES,
  ...DELIVERY_VARIABLES,
  ...ALERT_VARIABLES,
  ...CHAT_VARIABLES,
  ...STORAGE_VARIABLES,
  ...DATABASE_VARIABLES,
  ...RATE_VARIABLES,
  ...SECURITY_VARIABLES,
  ...NETWORK_VARIABLES,
  ...TRACING_VARIABLES,
});

export const VARIABLE_NAMES: readonly string[] = Object.keys(environment.shape);

function chainConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  const missing =
    'is not set. It is needed with SOLANA_RPC_URLS, because the default addresses belong to the embedded ledger.';
  const unused =
    'is set without SOLANA_RPC_URLS, so the embedded ledger would be shown. Set both, or neither.';
  return variables.SOLANA_RPC_URLS === undefined
    ? problemsIfSet(variables, ['HELIUS_API_KEY'], unused)
    : problemsIfMissing(variables, ['BD_MINT', 'BD_VAULT', 'BD_STAKE_POOL'], missing);
}

function marketConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  const { MARKET_FEED: feed = 'demo' } = variables;
  const message =
    'is set, but the demo feed sends no requests. Set MARKET_FEED to a real feed, or remove MARKET_BASE_URL.';
  return feed.trim() === 'demo' ? problemsIfSet(variables, ['MARKET_BASE_URL'], message) : [];
}

/** Each check finds conflicts between variables that are valid on their own. */
const CONFLICT_CHECKS = [
  chainConflicts,
  marketConflicts,
  cardConflicts,
  deliveryConflicts,
  alertConflicts,
  chatConflicts,
  securityConflicts,
  networkConflicts,
  apiOriginConflicts,
  databaseConflicts,
  remoteCopyConflicts,
];

export interface PortalConfig extends PublicOrigins {
  readonly port: number;
  /** The address that the API listens on. Loopback, the default, does not work in a container or behind a remote proxy. */
  readonly host: string;
  readonly dataDir: string;
  readonly logLevel: string;
  /** The IP addresses and networks of the proxies that are trusted to report a client's IP address. */
  readonly trustedProxies: readonly string[];
  readonly metrics: MetricsConfig;
  /** `embedded` when no endpoint is configured. */
  readonly solana:
    | {
        readonly kind: 'embedded';
        readonly ledgerPort: number;
        /** Whether simulated holders keep staking, unstaking and paying each other on the ledger. */
        readonly runsActors: boolean;
      }
    | { readonly kind: 'cluster'; readonly rpcUrls: readonly string[] };
  /** Null if no Helius key is set. A `baseUrl` replaces Helius' own URL. */
  readonly helius: { readonly apiKey: string; readonly baseUrl: string | null } | null;
  readonly addresses: { readonly mint: string; readonly vault: string; readonly stakePool: string };
  readonly pollMs: number;
  readonly market: {
    /** In the order in which they are tried. */
    readonly feeds: readonly MarketFeedName[];
    /** Replaces the feeds' own hosts, for example with a test server or a proxy. */
    readonly baseUrl: string | null;
  };
  readonly cards: CardSettings;
  readonly delivery: DeliveryConfig;
  readonly alerts: AlertConfig;
  readonly tracing: TracingConfig | null;
  /** Null if everything is stored in SQLite files in the data folder. */
  readonly database: DatabaseConfig | null;
  readonly backup: BackupConfig;
  readonly chat: ChatConfig;
  readonly rateLimits: RateLimits;
  readonly securityContact: SecurityContact | null;
  /** The master key for documents, in base64; null if it is read from a file in the data folder. */
  readonly documentKey: string | null;
  /** How many days documents are kept after the decision on the loan application. */
  readonly documentRetentionDays: number;
  readonly messageRetentionDays: number;
  /** Documents are rejected while the data folder's disk has less free space than this. */
  readonly diskReserveBytes: number;
  /** How old an admin account must be, in hours, to vote on loan applications or close cards. */
  readonly voteAccountAgeHours: number;
}

type ConfigOutcome =
  | { readonly ok: true; readonly config: PortalConfig }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

const EMBEDDED_POLL_MS = 400;
const CLUSTER_POLL_MS = 1_500;

/** Validates all variables and reports every problem at once. The reports contain no values that may be secret. */
export function parseEnvironment(env: GivenVariables): ConfigOutcome {
  const variables = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(variables, { reportInput: false });
  const problems = [
    ...(parsed.error?.issues ?? []).map((issue) => ({
      variable: String(issue.path[0] ?? 'environment'),
      message: issue.message,
    })),
    ...CONFLICT_CHECKS.flatMap((findConflicts) => findConflicts(variables)),
  ];
  if (!parsed.success || problems.length > 0) return { ok: false, problems };
  const values = parsed.data;
  const { PUBLIC_ORIGIN: publicOrigin = null, PUBLIC_API_ORIGIN: publicApiOrigin = null } = values;
  const config: PortalConfig = {
    port: values.PORT,
    host: values.HOST,
    dataDir: values.DATA_DIR,
    logLevel: values.LOG_LEVEL,
    publicOrigin,
    publicApiOrigin,
    ...networkConfig(values, publicApiOrigin ?? publicOrigin),
    solana: values.SOLANA_RPC_URLS
      ? { kind: 'cluster', rpcUrls: values.SOLANA_RPC_URLS }
      : { kind: 'embedded', ledgerPort: values.LEDGER_PORT, runsActors: values.LEDGER_ACTORS === 'on' },
    helius: values.HELIUS_API_KEY
      ? { apiKey: values.HELIUS_API_KEY, baseUrl: values.HELIUS_BASE_URL ?? null }
      : null,
    addresses: {
      mint: values.BD_MINT ?? EMBEDDED_ADDRESSES.mint,
      vault: values.BD_VAULT ?? EMBEDDED_ADDRESSES.vault,
      stakePool: values.BD_STAKE_POOL ?? EMBEDDED_ADDRESSES.stakePool,
    },
    pollMs: values.INDEXER_POLL_MS ?? (values.SOLANA_RPC_URLS ? CLUSTER_POLL_MS : EMBEDDED_POLL_MS),
    market: { feeds: values.MARKET_FEED, baseUrl: values.MARKET_BASE_URL ?? null },
    cards: cardSettings(values),
    delivery: deliveryConfig(values),
    alerts: alertConfig(values),
    tracing: tracingConfig(values),
    database: databaseConfig(values),
    backup: backupConfig(values, values.DATABASE_URL === undefined),
    chat: chatConfig(values),
    rateLimits: values.RATE_LIMITS ?? rateLimits(),
    securityContact: securityContact(values),
    documentKey: values.DOCUMENT_KEY ?? null,
    documentRetentionDays: values.DOCUMENT_RETENTION_DAYS,
    messageRetentionDays: values.MESSAGE_RETENTION_DAYS,
    diskReserveBytes: values.DISK_RESERVE_MB * 1_000_000,
    voteAccountAgeHours: values.VOTE_ACCOUNT_AGE_HOURS,
  };
  return { ok: true, config: deepFreeze(config) };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
