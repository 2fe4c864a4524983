import { postText, proxyTo, type ReceivedCall, type Responder, replyWith } from './fake-server.ts';

/**
 * A page of Helius' `getTransactionsForAddress` with full transactions. Source:
 * helius.dev/docs/api-reference/rpc/http/gettransactionsforaddress.
 */
export interface HeliusPage {
  /** Transactions as `getTransaction` returns them, each with its index in the block. */
  readonly data: readonly Readonly<Record<string, unknown>>[];
  /** `slot:position` of the next transaction; null on the last page. */
  readonly paginationToken: string | null;
}

interface Row {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
}

interface Config {
  readonly limit: number;
  readonly paginationToken?: string;
  readonly filters: { readonly slot: { readonly gte: number; readonly lte: number } };
}

async function resultsOf(url: string, calls: readonly Pick<ReceivedCall, 'method' | 'params'>[]) {
  const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const response = await postText(url, JSON.stringify(body));
  const replies = (await response.json()) as { readonly id: number; readonly result: never }[];
  return replies.toSorted((one, other) => one.id - other.id).map(({ result }) => result);
}

/**
 * Forwards requests to the node at a URL, and serves `getTransactionsForAddress` from that node's answers.
 * @param edit changes a page; if it returns null, the answer is HTTP 403
 */
export function heliusProxy(
  url: string,
  edit: (page: HeliusPage) => HeliusPage | null = (page) => page,
): Responder {
  const forward = proxyTo(url);
  /** Oldest first. */
  const listAll = async (address: string): Promise<readonly Row[]> => {
    const rows: Row[] = [];
    for (;;) {
      const before = rows.at(-1)?.signature;
      const params = [address, { commitment: 'finalized', limit: 1_000, ...(before && { before }) }];
      const [page = []]: Row[][] = await resultsOf(url, [{ method: 'getSignaturesForAddress', params }]);
      if (page.length === 0) return rows.toReversed();
      rows.push(...page);
    }
  };
  const listingByAddress = new Map<string, Promise<readonly Row[]>>();
  const rowsUpTo = async (address: string, slot: number): Promise<readonly Row[]> => {
    const cachedListing = listingByAddress.get(address);
    if (cachedListing && ((await cachedListing).at(-1)?.slot ?? -1) >= slot) return cachedListing;
    const listing = listAll(address);
    listingByAddress.set(address, listing);
    return listing;
  };

  const pageOf = async (
    address: string,
    { limit, paginationToken, filters }: Config,
  ): Promise<HeliusPage> => {
    const { gte, lte } = filters.slot;
    const rows = await rowsUpTo(address, lte);
    const inRange = rows.filter(({ slot, err }) => err === null && slot >= gte && slot <= lte);
    const from = Number(paginationToken?.split(':')[1] ?? 0);
    const page = inRange.slice(from, from + limit);
    const config = { commitment: 'finalized', encoding: 'base64', maxSupportedTransactionVersion: 1 };
    const transactions = await resultsOf(
      url,
      page.map(({ signature }) => ({ method: 'getTransaction', params: [signature, config] })),
    );
    const next = inRange[from + limit];
    return {
      data: transactions.map((transaction: object, index) => ({ transactionIndex: index, ...transaction })),
      paginationToken: next ? `${next.slot}:${from + limit}` : null,
    };
  };

  return (calls, response, request) => {
    const [call] = calls;
    if (call?.method !== 'getTransactionsForAddress') {
      forward(calls, response, request);
      return;
    }
    const [address, config] = call.params as [string, Config];
    pageOf(address, config).then(
      (page) => {
        const result = edit(page);
        if (result) replyWith(response, [{ jsonrpc: '2.0', id: call.id, result }]);
        else response.writeHead(403).end();
      },
      () => response.writeHead(502).end(),
    );
  };
}
