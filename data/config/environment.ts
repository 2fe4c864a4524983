import { z } from 'zod';
import { BACKUP_VARIABLES, type BackupConfig, backupConfig } from './backup-variables.ts';
import { CARD_VARIABLES, type CardSettings, cardContradictions, cardSettings } from './card-settings.ts';
import { CHAT_VARIABLES, type ChatConfig, chatConfig, chatContradictions } from './chat-variables.ts';
import {
  DELIVERY_VARIABLES,
  type DeliveryConfig,
  deliveryConfig,
  deliveryContradictions,
} from './delivery-variables.ts';
import { DOCUMENT_VARIABLES } from './document-key.ts';
import { EMBEDDED_ADDRESSES } from './embedded.ts';
import { isHttpUrl } from './http-url.ts';
import { RETENTION_VARIABLES } from './retention-variables.ts';

/** Every variable the portal reads, read once at start. An empty variable counts as unset. */

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

const address = (what: string) =>
  z.string().regex(ADDRESS, `is not a Solana address. Set it to the base58 address of ${what}.`);

/** A whole number in digits alone: neither ` `, `0x10` nor `1e3` is one. */
const wholeNumber = (smallest: number, largest: number, fault: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, fault)
    .transform(Number)
    .refine((value) => value >= smallest && value <= largest, fault);

const port = (fallback: number, largest = 65_535) =>
  wholeNumber(
    0,
    largest,
    `is not a port. Set it to a whole number from 0 to ${largest} (0 takes any free one).`,
  ).default(fallback);

const httpUrl = z.string().refine(isHttpUrl, {
  error: 'is not an http(s) URL without a user. Write it as https://host/path.',
});

const urlList = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .pipe(
    z
      .array(
        z.string().refine(isHttpUrl, {
          error:
            'holds an entry that is not an http(s) URL without a user. Separate endpoints by commas: https://a,https://b',
        }),
      )
      .min(1, 'names no endpoint. Separate endpoints by commas, or leave it unset for the embedded ledger.'),
  );

/** Feeds that read a market that exists. */
const REAL_FEEDS = ['dexscreener', 'jupiter'] as const;
type RealFeed = (typeof REAL_FEEDS)[number];
/** Where the price comes from; `demo` is made up. */
export type MarketFeedName = RealFeed | 'demo';

const FEEDS_FAULT =
  'is not a market feed. Use demo, or dexscreener and jupiter in the order they are to be asked, such as dexscreener,jupiter.';

const isRealFeed = (name: string): name is RealFeed => REAL_FEEDS.some((feed) => feed === name);

/**
 * The feeds in the order they are asked. One real feed has the other as its fallback; the made-up one stands in for none,
 * and none for it.
 */
const marketFeeds = z
  .string()
  .transform((text, context): readonly MarketFeedName[] => {
    const names = text.split(',').map((name) => name.trim());
    if (names.join() === 'demo') return ['demo'];
    const real = names.filter(isRealFeed);
    if (real.length < names.length || new Set(real).size < real.length) {
      const hasDemo = names.includes('demo');
      const fault = hasDemo
        ? 'mixes demo, which is made up, with other feeds. Use demo alone, or dexscreener,jupiter without it.'
        : FEEDS_FAULT;
      context.addIssue(fault);
      return z.NEVER;
    }
    return [...real, ...REAL_FEEDS.filter((name) => !real.includes(name))];
  })
  .default(['demo']);

const environment = z.object({
  PORT: port(4000),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('data/var'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'is not a log level. Use one of fatal, error, warn, info, debug, trace, silent.',
    })
    .default('info'),
  PUBLIC_ORIGIN: httpUrl
    .refine((text) => URL.parse(text)?.origin === text, {
      error: 'is not an origin. Write scheme and host only, such as https://portal.example.com',
    })
    .optional(),
  SOLANA_RPC_URLS: urlList.optional(),
  HELIUS_API_KEY: z
    .string()
    .regex(/^[\w-]{8,}$/, 'is not a Helius key. Copy it from the Helius dashboard.')
    .optional(),
  HELIUS_BASE_URL: httpUrl.optional(),
  BD_MINT: address('the BD mint').optional(),
  BD_VAULT: address('the vault token account').optional(),
  BD_STAKE_POOL: address('the Streamflow stake pool').optional(),
  INDEXER_POLL_MS: wholeNumber(
    100,
    5_000,
    'is not a number of milliseconds from 100 to 5000. A figure ages after ten seconds.',
  ).optional(),
  MARKET_FEED: marketFeeds,
  MARKET_BASE_URL: httpUrl.optional(),
  // Websockets are on the next port too, so the last one cannot be had.
  LEDGER_PORT: port(8899, 65_534),
  LEDGER_ACTORS: z.enum(['on', 'off'], { error: 'is neither on nor off.' }).default('on'),
  ...CARD_VARIABLES,
  ...DELIVERY_VARIABLES,
  ...BACKUP_VARIABLES,
  ...CHAT_VARIABLES,
  ...DOCUMENT_VARIABLES,
  ...RETENTION_VARIABLES,
});

/** The names of all variables. */
export const VARIABLES: readonly string[] = Object.keys(environment.shape);

const CLUSTER_ADDRESSES = ['BD_MINT', 'BD_VAULT', 'BD_STAKE_POOL'] as const;

/** Faults of variables that are right alone and wrong together. */
function contradictions(given: Readonly<Record<string, string | undefined>>): ConfigFault[] {
  return [
    ...chainContradictions(given),
    ...marketContradictions(given),
    ...cardContradictions(given),
    ...deliveryContradictions(given),
    ...chatContradictions(given),
  ];
}

function marketContradictions({
  MARKET_FEED: feed = 'demo',
  MARKET_BASE_URL: baseUrl,
}: Readonly<Record<string, string | undefined>>): ConfigFault[] {
  if (baseUrl === undefined || feed.trim() !== 'demo') return [];
  const fault = 'is set, and the demo feed asks no one. Set MARKET_FEED to a real feed, or remove it.';
  return [{ variable: 'MARKET_BASE_URL', fault }];
}

function chainContradictions(given: Readonly<Record<string, string | undefined>>): ConfigFault[] {
  if (given.SOLANA_RPC_URLS !== undefined) {
    return CLUSTER_ADDRESSES.filter((name) => given[name] === undefined).map((variable) => ({
      variable,
      fault:
        'is not set. It is needed with SOLANA_RPC_URLS, since the defaults belong to the embedded ledger.',
    }));
  }
  if (given.HELIUS_API_KEY === undefined) return [];
  const fault =
    'is set without SOLANA_RPC_URLS, so the embedded ledger would be shown. Set both, or neither.';
  return [{ variable: 'HELIUS_API_KEY', fault }];
}

export interface PortalConfig {
  readonly port: number;
  /** Address the API listens on: loopback, unless a container or a proxy on another machine needs more. */
  readonly host: string;
  readonly dataDir: string;
  readonly logLevel: string;
  readonly publicOrigin: string | null;
  /** `embedded` where no endpoint is configured. */
  readonly solana:
    | { readonly kind: 'embedded'; readonly ledgerPort: number; readonly actors: boolean }
    | { readonly kind: 'cluster'; readonly rpcUrls: readonly string[] };
  readonly helius: { readonly apiKey: string; readonly baseUrl: string | null } | null;
  readonly addresses: { readonly mint: string; readonly vault: string; readonly stakePool: string };
  /** Milliseconds between two looks at the chain. */
  readonly pollMs: number;
  readonly market: {
    /** In the order they are asked. */
    readonly feeds: readonly MarketFeedName[];
    /** Asked in place of the feeds' own hosts: for tests and proxies. */
    readonly baseUrl: string | null;
  };
  readonly cards: CardSettings;
  readonly delivery: DeliveryConfig;
  readonly backup: BackupConfig;
  readonly chat: ChatConfig;
  /** Base64 of the master key of documents; null where it is kept in a file beside the store files. */
  readonly documentKey: string | null;
  /** Days for which documents are kept after the decision that they were sent for. */
  readonly documentRetentionDays: number;
}

/** One wrong variable, in plain words. */
export interface ConfigFault {
  readonly variable: string;
  readonly fault: string;
}

export type ConfigOutcome =
  | { readonly ok: true; readonly config: PortalConfig }
  | { readonly ok: false; readonly faults: readonly ConfigFault[] };

const EMBEDDED_POLL_MS = 400;
const CLUSTER_POLL_MS = 2_000;

/** Reads and checks the whole environment. Reports every fault at once and echoes no value, since some are secret. */
export function parseEnvironment(env: Readonly<Record<string, string | undefined>>): ConfigOutcome {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(given, { reportInput: false });
  const faults = [
    ...(parsed.error?.issues ?? []).map((issue) => ({
      variable: String(issue.path[0] ?? 'environment'),
      fault: issue.message,
    })),
    ...contradictions(given),
  ];
  if (!parsed.success || faults.length > 0) return { ok: false, faults };
  const values = parsed.data;
  const config: PortalConfig = {
    port: values.PORT,
    host: values.HOST,
    dataDir: values.DATA_DIR,
    logLevel: values.LOG_LEVEL,
    publicOrigin: values.PUBLIC_ORIGIN ?? null,
    solana: values.SOLANA_RPC_URLS
      ? { kind: 'cluster', rpcUrls: values.SOLANA_RPC_URLS }
      : { kind: 'embedded', ledgerPort: values.LEDGER_PORT, actors: values.LEDGER_ACTORS === 'on' },
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
    backup: backupConfig(values),
    chat: chatConfig(values),
    documentKey: values.DOCUMENT_KEY ?? null,
    documentRetentionDays: values.DOCUMENT_RETENTION_DAYS,
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
