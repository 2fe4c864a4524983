/** What a provider charges for a call. */
interface PriceList {
  /** The domains of its endpoints. */
  readonly domains: readonly string[];
  /** Credits for each call, by method; 1 for any other. */
  readonly credits: Readonly<Record<string, number>>;
}

const HISTORY = { getSignaturesForAddress: 10, getTransaction: 10, getBlock: 10, getBlockTime: 10 } as const;

const PRICE_LISTS: readonly PriceList[] = [
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
];

/** The credits that an endpoint's provider charges for a call. A provider without a known price list counts calls. */
export function priceOf(url: string): (method: string) => number {
  const { hostname } = new URL(url);
  const list = PRICE_LISTS.find(({ domains }) =>
    domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`)),
  );
  return (method) => list?.credits[method] ?? 1;
}
