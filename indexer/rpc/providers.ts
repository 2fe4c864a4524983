/** A provider's prices and limits, found by the domain of an endpoint. */
interface Provider {
  readonly domains: readonly string[];
  /** Credits for each call, by method; 1 for methods that are not listed. */
  readonly credits?: Readonly<Record<string, number>>;
  /** Set if all callers have the same limit. Limits that depend on the plan are learned from rejections. */
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
    // The limits are 100 requests in 10 seconds, and 40 with the same method (solana.com/docs/references/clusters). Most calls
    // have the same method, so the limit for one method is used for all calls together. 3.9 calls per second make 39 in 10
    // seconds. The fortieth is left for the first call of a burst, which is not delayed.
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

/** The credits that an endpoint's provider charges for a call, by method; 1 if the provider's prices are unknown. */
export function createCreditLookup(url: string): (method: string) => number {
  const provider = providerOf(url);
  return (method) => provider?.credits?.[method] ?? 1;
}

/** The calls per second that an endpoint's provider allows every caller, whatever their plan; Infinity if unknown. */
export function maxCallsPerSecond(url: string): number {
  return providerOf(url)?.maxCallsPerSecond ?? Number.POSITIVE_INFINITY;
}
