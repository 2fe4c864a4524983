/** What a provider charges and allows, as far as its endpoints' addresses tell. */
interface Provider {
  /** The domains of its endpoints. */
  readonly domains: readonly string[];
  /** Credits for each call, by method; 1 for any other. */
  readonly credits?: Readonly<Record<string, number>>;
  /** Set if all callers have the same limit. Other limits depend on the plan and are learned from rejections. */
  readonly maxCallsPerSecond?: number;
}

const HISTORY = { getSignaturesForAddress: 10, getTransaction: 10, getBlock: 10, getBlockTime: 10 } as const;

const PROVIDERS: readonly Provider[] = [
  {
    // Source: helius.dev/docs/billing/credits. Standard websockets cost 1 credit a connection.
    domains: ['helius-rpc.com'],
    credits: { ...HISTORY, getProgramAccounts: 10, getTransactionsForAddress: 100 },
  },
  {
    // Source: docs.solanatracker.io/solana-rpc/credits-and-rate-limits.
    domains: ['solanatracker.io'],
    credits: { ...HISTORY, getProgramAccounts: 10, getTokenAccountsByOwner: 10 },
  },
  {
    // 100 requests and 40 of one method in 10 seconds (solana.com/docs/references/clusters). Most calls are of one method, so
    // the limit of a method is kept for all of them together; less than 4 a second leaves room for the first one.
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

/** The credits that an endpoint's provider charges for a call. A provider without a known price list counts calls. */
export function priceOf(url: string): (method: string) => number {
  const provider = providerOf(url);
  return (method) => provider?.credits?.[method] ?? 1;
}

/** The calls per second that an endpoint's provider allows everyone; Infinity if that is unknown. */
export function maxCallsPerSecond(url: string): number {
  return providerOf(url)?.maxCallsPerSecond ?? Number.POSITIVE_INFINITY;
}
