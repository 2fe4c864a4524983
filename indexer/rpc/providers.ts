/** A provider's prices and limits. An endpoint's domain identifies its provider. */
interface Provider {
  readonly domains: readonly string[];
  /** Credits per call, by method. A method that is not listed costs 1. */
  readonly credits?: Readonly<Record<string, number>>;
  /** Set only if the provider has one limit for everyone. A limit that depends on the plan is learned from rejections. */
  readonly maxCallsPerSecond?: number;
}

const HISTORY_CREDITS = {
  getSignaturesForAddress: 10,
  getTransaction: 10,
  getBlock: 10,
  getBlockTime: 10,
} as const;

const PROVIDERS: readonly Provider[] = [
  {
    // Source: helius.dev/docs/billing/credits. Standard websockets cost 1 credit per connection.
    domains: ['helius-rpc.com'],
    credits: { ...HISTORY_CREDITS, getProgramAccounts: 10, getTransactionsForAddress: 100 },
  },
  {
    // Source: docs.solanatracker.io/solana-rpc/credits-and-rate-limits.
    domains: ['solanatracker.io'],
    credits: { ...HISTORY_CREDITS, getProgramAccounts: 10, getTokenAccountsByOwner: 10 },
  },
  {
    // The limits per 10 seconds are 100 requests in total and 40 for each method (solana.com/docs/references/clusters). Most
    // calls use the same method, so all calls together stay within the limit for one method. 3.9 calls per second are 39 in 10
    // seconds. That leaves room for the first call of a burst, which is sent without delay.
    domains: ['solana.com'],
    maxCallsPerSecond: 3.9,
  },
];

function providerOf(url: string): Provider | undefined {
  const { hostname } = new URL(url);
  return PROVIDERS.find(({ domains }) =>
    domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`)),
  );
}

/** Returns a function that looks up how many credits an endpoint's provider charges for a method; 1 if unknown. */
export function createCreditLookup(url: string): (method: string) => number {
  const provider = providerOf(url);
  return (method) => provider?.credits?.[method] ?? 1;
}

/** The number of calls per second that an endpoint's provider allows on any plan; Infinity if unknown. */
export function maxCallsPerSecond(url: string): number {
  return providerOf(url)?.maxCallsPerSecond ?? Number.POSITIVE_INFINITY;
}
