import { z } from 'zod';
import { ethereumAddressFault } from './eip55.ts';
import { isHttpUrl } from './http-url.ts';

/** The variables about cards. */

/** Where a cardholder's bills go: the address of the card programme. */
export interface BillingAddress {
  readonly line1: string;
  readonly city: string;
  readonly postalCode: string;
  /** ISO 3166-1, two capitals. */
  readonly country: string;
  /** Null where the country has none. */
  readonly state: string | null;
}

export interface StripeSettings {
  readonly kind: 'stripe';
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly billingAddress: BillingAddress;
  /** Asked in place of Stripe's own host; null where it is not configured. */
  readonly apiBase: string | null;
}

export interface CardSettings {
  readonly issuer: { readonly kind: 'sandbox' } | StripeSettings;
  /** USDT (ERC-20) is sent there, with its EIP-55 checksum; null where funding is not open. */
  readonly fundingAddress: string | null;
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** A key is sent there, so it goes over TLS or does not leave the machine. */
function isSafeBase(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !isHttpUrl(text) || url.origin !== text) return false;
  return url.protocol === 'https:' || LOOPBACK.test(url.hostname);
}

const ADDRESS_FAULT =
  'is not a billing address. Write it as line 1; city; postal code; country in two letters, and the state after it where there is one.';

const billingAddress = z.string().transform((text, context): BillingAddress => {
  const parts = text.split(';').map((part) => part.trim());
  const [line1 = '', city = '', postalCode = '', country = '', state = ''] = parts;
  const isWhole = line1 !== '' && city !== '' && postalCode !== '' && /^[A-Z]{2}$/.test(country);
  if (!isWhole || parts.length > 5) {
    context.addIssue(ADDRESS_FAULT);
    return z.NEVER;
  }
  return { line1, city, postalCode, country, state: state === '' ? null : state };
});

export const CARD_VARIABLES = {
  CARD_ISSUER: z
    .enum(['sandbox', 'stripe'], { error: 'is not a card issuer. Use sandbox or stripe.' })
    .default('sandbox'),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(
      /^[sr]k_(live|test)_\w{8,}$/,
      'is not a secret key of Stripe. Copy it from the dashboard: it begins with sk_ or rk_.',
    )
    .optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(
      /^whsec_[\w+/=]{8,}$/,
      'is not a signing secret of Stripe. Copy it from the webhook’s page: it begins with whsec_.',
    )
    .optional(),
  STRIPE_BILLING_ADDRESS: billingAddress.optional(),
  STRIPE_API_BASE: z
    .string()
    .refine(isSafeBase, {
      error: 'is not an https origin, nor an http one of this machine. Write scheme and host only.',
    })
    .optional(),
  CARD_FUNDING_ADDRESS: z
    .string()
    .superRefine((text, context) => {
      const fault = ethereumAddressFault(text);
      if (fault !== null) context.addIssue(fault);
    })
    .optional(),
};

const NEEDED = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_BILLING_ADDRESS'] as const;

const LIVE_KEY = /^[sr]k_live_/;
const PLAYED_FOR =
  'makes real cards, and without SOLANA_RPC_URLS stakes are those of the embedded ledger, which anyone can make. Set SOLANA_RPC_URLS, or use a test key.';
const OVERHEARD =
  'is not https, and with a live key of Stripe the numbers of real cards would cross the network for all to read. Set it to an https origin.';

type Given = Readonly<Record<string, string | undefined>>;

/** What real cards may not be made with. */
function liveContradictions({
  STRIPE_SECRET_KEY: key = '',
  SOLANA_RPC_URLS: endpoints,
  PUBLIC_ORIGIN: origin,
}: Given): { readonly variable: string; readonly fault: string }[] {
  if (!LIVE_KEY.test(key)) return [];
  // Stakes of the embedded ledger are play money, and the keys of its demo wallets are public.
  const isPlayedFor = endpoints === undefined;
  // Number and CVV are told over it.
  const isOverheard = origin !== undefined && !isSafeBase(origin);
  return [
    ...(isPlayedFor ? [{ variable: 'STRIPE_SECRET_KEY', fault: PLAYED_FOR }] : []),
    ...(isOverheard ? [{ variable: 'PUBLIC_ORIGIN', fault: OVERHEARD }] : []),
  ];
}

/** Faults of variables that are right alone and wrong together. */
export function cardContradictions(given: Given): { readonly variable: string; readonly fault: string }[] {
  if (given.CARD_ISSUER === 'stripe') {
    const missing = NEEDED.filter((name) => given[name] === undefined).map((variable) => ({
      variable,
      fault: 'is not set. It is needed with CARD_ISSUER=stripe. Set it, or use CARD_ISSUER=sandbox.',
    }));
    return [...missing, ...liveContradictions(given)];
  }
  const unused = [...NEEDED, 'STRIPE_API_BASE'].filter((name) => given[name] !== undefined);
  return [
    ...(given.CARD_ISSUER === undefined && given.NODE_ENV === 'production'
      ? [
          {
            variable: 'CARD_ISSUER',
            fault:
              'is not set, and NODE_ENV is production. Set CARD_ISSUER=stripe, or CARD_ISSUER=sandbox if test cards are meant.',
          },
        ]
      : []),
    ...unused.map((variable) => ({
      variable,
      fault: 'is set, and the sandbox asks no one. Set CARD_ISSUER=stripe, or remove it.',
    })),
  ];
}

type CardValues = z.infer<z.ZodObject<typeof CARD_VARIABLES>>;

/** The settings that the checked variables make. */
export function cardSettings(values: CardValues): CardSettings {
  const fundingAddress = values.CARD_FUNDING_ADDRESS ?? null;
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = values;
  const { STRIPE_BILLING_ADDRESS: billing } = values;
  // That none is missing with Stripe is for `cardContradictions`, which is asked first.
  if (values.CARD_ISSUER === 'sandbox' || !secretKey || !webhookSecret || !billing) {
    return { issuer: { kind: 'sandbox' }, fundingAddress };
  }
  const apiBase = values.STRIPE_API_BASE ?? null;
  return {
    issuer: { kind: 'stripe', secretKey, webhookSecret, billingAddress: billing, apiBase },
    fundingAddress,
  };
}
