import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { z } from 'zod';
import { USDT_CONTRACT } from '../model/top-ups.ts';
import {
  type ConfigProblem,
  type GivenVariables,
  isHttpUrl,
  problemsIfMissing,
  problemsIfSet,
  urlList,
  wholeNumber,
} from './variable-types.ts';

/** All cardholders share this address. */
export interface BillingAddress {
  readonly line1: string;
  readonly city: string;
  readonly postalCode: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly state: string | null;
}

interface SandboxSettings {
  readonly kind: 'sandbox';
  /** Whether the sandbox asks for the same cardholder data as Stripe. */
  readonly asksLikeStripe: boolean;
}

export interface StripeSettings {
  readonly kind: 'stripe';
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly billingAddress: BillingAddress;
  /** The origin that is called instead of Stripe's own; null when not configured. */
  readonly apiBase: string | null;
}

export interface TopUpSettings {
  /** Ethereum endpoints. Their URLs may contain keys. */
  readonly rpcUrls: readonly string[];
  readonly chainId: number;
  /** The contract address of USDT. */
  readonly token: string;
}

export interface CardSettings {
  readonly issuer: SandboxSettings | StripeSettings;
  /** The Ethereum address to which cardholders send USDT (ERC-20), with its EIP-55 checksum; null if cards cannot be topped up. */
  readonly fundingAddress: string | null;
  /** How transfers to the funding address are tracked; null if the team credits all of them by hand. */
  readonly topUps: TopUpSettings | null;
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether secrets may be sent to an origin: it must be https or on this machine. */
function isSafeOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !isHttpUrl(text) || url.origin !== text) return false;
  return url.protocol === 'https:' || LOOPBACK.test(url.hostname);
}

const billingAddress = z.string().transform((text, context): BillingAddress => {
  const parts = text.split(';').map((part) => part.trim());
  const [line1 = '', city = '', postalCode = '', country = '', state = ''] = parts;
  const isComplete = line1 !== '' && city !== '' && postalCode !== '' && /^[A-Z]{2}$/.test(country);
  if (!isComplete || parts.length > 5) {
    context.addIssue(
      'is not a billing address. Write it as line 1; city; postal code; two-letter country code; state (if any).',
    );
    return z.NEVER;
  }
  return { line1, city, postalCode, country, state: state === '' ? null : state };
});

/**
 * An Ethereum address with its EIP-55 checksum: a letter is upper case if the hex digit at the same position in the keccak-256
 * hash of the lower-case address is 8 or more (https://eips.ethereum.org/EIPS/eip-55).
 */
function withChecksum(address: string): string {
  const lower = address.slice(2).toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));
  const digits = [...lower].map((digit, index) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${digits.join('')}`;
}

/**
 * The problem with an address; null if it is valid and has the right checksum. An address in which all
 * letters have the same case is rejected too: it has no checksum, so a wrong digit would go unnoticed.
 */
function ethereumAddressProblem(text: string): string | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    return 'is not an Ethereum address. Write it as 0x and 40 hexadecimal digits, as the wallet shows it.';
  }
  if (withChecksum(text) === text) return null;
  const digits = text.slice(2);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase()
    ? 'has no EIP-55 checksum. Copy the address from the wallet with its upper-case and lower-case letters.'
    : 'does not match its EIP-55 checksum, so a character is wrong. Copy the full address from the wallet again.';
}

const ethereumAddress = z.string().superRefine((text, context) => {
  const problem = ethereumAddressProblem(text);
  if (problem !== null) context.addIssue(problem);
});

export const CARD_VARIABLES = {
  CARD_ISSUER: z
    .enum(['sandbox', 'stripe'], { error: 'is not a card issuer. Use sandbox or stripe.' })
    .default('sandbox'),
  SANDBOX_CARDHOLDER: z
    .enum(['name', 'full'], { error: 'is not a cardholder setting. Use name or full.' })
    .default('name'),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(
      /^[sr]k_(live|test)_\w{8,}$/,
      'is not a Stripe secret key. Copy it from the dashboard: it begins with sk_ or rk_.',
    )
    .optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(
      /^whsec_[\w+/=]{8,}$/,
      'is not a Stripe signing secret. Copy it from the webhook’s page: it begins with whsec_.',
    )
    .optional(),
  STRIPE_BILLING_ADDRESS: billingAddress.optional(),
  STRIPE_API_BASE: z
    .string()
    .refine(isSafeOrigin, {
      error: 'is neither an https origin nor an http origin on this machine. Write scheme and host only.',
    })
    .optional(),
  CARD_FUNDING_ADDRESS: ethereumAddress.optional(),
  ETH_RPC_URLS: urlList('leave it unset to credit top-ups by hand').optional(),
  ETH_CHAIN_ID: wholeNumber(1, 999_999_999, 'is not a chain id. Set it to 1 for Ethereum.').default(1),
  USDT_CONTRACT: ethereumAddress.default(USDT_CONTRACT),
};

const NEEDED_FOR_STRIPE = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_BILLING_ADDRESS'] as const;

function liveKeyConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  const { STRIPE_SECRET_KEY: key = '', SOLANA_RPC_URLS: endpoints, PUBLIC_ORIGIN: origin } = variables;
  if (!/^[sr]k_live_/.test(key)) return [];
  const problems: ConfigProblem[] = [];
  // Stakes on the embedded ledger are play money, and the keys of its demo wallets are public.
  if (endpoints === undefined) {
    const message =
      'creates real cards, but without SOLANA_RPC_URLS anyone can stake on the embedded ledger. Set SOLANA_RPC_URLS, or use a test key.';
    problems.push({ variable: 'STRIPE_SECRET_KEY', message });
  }
  // Card numbers and CVVs are revealed on pages of this origin.
  if (origin !== undefined && !isSafeOrigin(origin)) {
    const message =
      'is not https. With a live Stripe key, real card numbers would cross the network unencrypted. Set it to an https origin.';
    problems.push({ variable: 'PUBLIC_ORIGIN', message });
  }
  return problems;
}

function topUpConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  const unusedMessage = 'is set without ETH_RPC_URLS, so nothing uses it. Set ETH_RPC_URLS, or remove it.';
  if (variables.ETH_RPC_URLS === undefined)
    return problemsIfSet(variables, ['ETH_CHAIN_ID', 'USDT_CONTRACT'], unusedMessage);
  const noAddress =
    'is not set. It is needed with ETH_RPC_URLS: the portal reads the transfers to this address.';
  const noToken = 'is not set. A chain other than Ethereum needs the address of its own token.';
  const isOtherChain = variables.ETH_CHAIN_ID !== undefined && variables.ETH_CHAIN_ID.trim() !== '1';
  return [
    ...problemsIfMissing(variables, ['CARD_FUNDING_ADDRESS'], noAddress),
    ...(isOtherChain ? problemsIfMissing(variables, ['USDT_CONTRACT'], noToken) : []),
  ];
}

export const cardConflicts = (variables: GivenVariables): readonly ConfigProblem[] => [
  ...topUpConflicts(variables),
  ...issuerConflicts(variables),
];

function issuerConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  if (variables.CARD_ISSUER === 'stripe') {
    const message = 'is not set. It is needed with CARD_ISSUER=stripe. Set it, or use CARD_ISSUER=sandbox.';
    return [...problemsIfMissing(variables, NEEDED_FOR_STRIPE, message), ...liveKeyConflicts(variables)];
  }
  const unusedMessage = 'is set, but the sandbox does not use it. Set CARD_ISSUER=stripe, or remove it.';
  const unusedProblems = problemsIfSet(variables, [...NEEDED_FOR_STRIPE, 'STRIPE_API_BASE'], unusedMessage);
  if (variables.NODE_ENV !== 'production') return unusedProblems;
  const message =
    'is not set, and NODE_ENV is production. Set CARD_ISSUER=stripe, or CARD_ISSUER=sandbox for test cards.';
  return [...problemsIfMissing(variables, ['CARD_ISSUER'], message), ...unusedProblems];
}

export function cardSettings(values: z.infer<z.ZodObject<typeof CARD_VARIABLES>>): CardSettings {
  const fundingAddress = values.CARD_FUNDING_ADDRESS ?? null;
  const { ETH_RPC_URLS: rpcUrls, ETH_CHAIN_ID: chainId, USDT_CONTRACT: token } = values;
  const topUps = rpcUrls ? { rpcUrls, chainId, token } : null;
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = values;
  const { STRIPE_BILLING_ADDRESS: billing, STRIPE_API_BASE: apiBase = null } = values;
  // `cardConflicts` has checked that all Stripe settings are present.
  if (values.CARD_ISSUER === 'sandbox' || !secretKey || !webhookSecret || !billing) {
    return {
      issuer: { kind: 'sandbox', asksLikeStripe: values.SANDBOX_CARDHOLDER === 'full' },
      fundingAddress,
      topUps,
    };
  }
  const issuer = { kind: 'stripe', secretKey, webhookSecret, billingAddress: billing, apiBase } as const;
  return { issuer, fundingAddress, topUps };
}
