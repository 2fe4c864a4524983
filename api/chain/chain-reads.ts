import type { Connection, FetchFn } from '@solana/web3.js';
import { endpointNames } from '../../data/config/endpoints.ts';
import { RATE_LIMITS } from '../../data/config/rate-limits.ts';
import { runTraced } from '../../data/runtime/tracing.ts';
import type { EndpointHealth } from '../../data/store/ports.ts';
import { ApiError } from '../errors.ts';

export interface ReadOptions {
  /** The response must be from this slot or a later one, to match the figures that are shown with it. */
  readonly minSlot: number;
  readonly health: readonly Pick<EndpointHealth, 'name' | 'active' | 'state'>[];
  /** Aborts the read once nobody is waiting for it. */
  readonly signal?: AbortSignal;
}

interface ChainReadsOptions {
  /** How long (ms) one read may take in total, across all endpoints. */
  readonly readTimeoutMs?: number;
  /** Reads beyond this number are rejected. */
  readonly maxConcurrentReads?: number;
}

const READ_TIMEOUT_MS = 5_000;

export type Web3 = typeof import('@solana/web3.js');

export interface QueriedEndpoint {
  /**
   * Requests over this connection are aborted once the endpoint's share of `readTimeoutMs` is used up, or once nobody is
   * waiting for them.
   */
  readonly connection: Connection;
  readonly web3: Web3;
}

interface NamedEndpoint {
  /** The endpoint's name in the index. */
  readonly name: string;
  readonly url: string;
}

function connect(web3: Web3, url: string, signal: AbortSignal): QueriedEndpoint {
  // Redirects are not followed: only configured endpoints are trusted.
  const fetchWithin = (input: string, init: RequestInit) =>
    fetch(input, { ...init, signal, redirect: 'error' });
  const connection = new web3.Connection(url, {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    // web3.js declares the type of node-fetch, but uses only features that Node's `fetch` has too.
    fetch: fetchWithin as unknown as FetchFn,
  });
  return { connection, web3 };
}

/** Healthy endpoints first; distrusted ones are left out. */
function trustedUrls(endpoints: readonly NamedEndpoint[], health: ReadOptions['health']): readonly string[] {
  const healthByName = new Map(health.map((endpoint) => [endpoint.name, endpoint]));
  const isHealthy = ({ name }: NamedEndpoint) => {
    const endpoint = healthByName.get(name);
    return endpoint === undefined || (endpoint.active && endpoint.state === 'active');
  };
  const trusted = endpoints.filter(({ name }) => healthByName.get(name)?.state !== 'distrusted');
  return [...trusted.filter(isHealthy), ...trusted.filter((one) => !isHealthy(one))].map(({ url }) => url);
}

export class ChainReads {
  readonly #endpoints: readonly NamedEndpoint[];
  readonly #readTimeoutMs: number;
  readonly #maxConcurrentReads: number;
  #readsInProgress = 0;

  constructor(urls: readonly string[], { readTimeoutMs, maxConcurrentReads }: ChainReadsOptions = {}) {
    const names = endpointNames(urls);
    this.#endpoints = urls.map((url, index) => ({ name: names[index] ?? '', url }));
    this.#readTimeoutMs = readTimeoutMs ?? READ_TIMEOUT_MS;
    this.#maxConcurrentReads = maxConcurrentReads ?? RATE_LIMITS['chain-reads'].limit;
  }

  get readsInProgress(): number {
    return this.#readsInProgress;
  }

  /**
   * Calls the trusted endpoints one after another, and returns the first result. The endpoints share the time limit equally.
   * @throws {ApiError} `chain-unreadable` if no call succeeds in time, too many reads are in progress, or `signal` aborts
   */
  async firstResult<Result>(
    health: ReadOptions['health'],
    call: (endpoint: QueriedEndpoint) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    if (this.#readsInProgress >= this.#maxConcurrentReads) throw new ApiError('chain-unreadable');
    this.#readsInProgress += 1;
    const errors: unknown[] = [];
    const urls = trustedUrls(this.#endpoints, health);
    try {
      // Imported here, so that the portal starts without loading the library. Loading does not count towards an
      // endpoint's time limit.
      const web3 = await import('@solana/web3.js');
      for (const url of urls) {
        if (signal?.aborted) break;
        try {
          const timeoutSignal = AbortSignal.timeout(Math.ceil(this.#readTimeoutMs / urls.length));
          const eitherSignal = signal ? AbortSignal.any([timeoutSignal, signal]) : timeoutSignal;
          // The path may contain a key.
          const attributes = { 'server.address': URL.parse(url)?.hostname ?? '' };
          return await runTraced({ name: 'chain read', kind: 'client', attributes }, () =>
            call(connect(web3, url, eitherSignal)),
          );
        } catch (error) {
          errors.push(error);
        }
      }
    } finally {
      this.#readsInProgress -= 1;
    }
    throw new ApiError('chain-unreadable', { cause: new AggregateError(errors) });
  }

  /** Like `firstResult`, but rejects results from before `minSlot`. */
  read<Result extends { readonly slot: number }>(
    { minSlot, health, signal }: ReadOptions,
    call: (endpoint: QueriedEndpoint) => Promise<Result>,
  ): Promise<Result> {
    const callFromSlot = async (endpoint: QueriedEndpoint) => {
      const result = await call(endpoint);
      if (result.slot < minSlot) throw new RangeError('An endpoint is behind the requested slot.');
      return result;
    };
    return this.firstResult(health, callFromSlot, signal);
  }
}

export interface WalletRead {
  readonly slot: number;
  /** Unix milliseconds. */
  readonly readAt: number;
}

export interface WalletReader<Read extends WalletRead> {
  /**
   * @param account the mint, to read the wallet's balance, or the stake pool, to read the wallet's stake
   * @throws {ApiError} `chain-unreadable` if no endpoint succeeds in time, or too many wallets are being read
   */
  read(wallet: string, account: string, options: ReadOptions): Promise<Read>;
  readonly readsInProgress: number;
}

export function createWalletReader<Read extends { readonly slot: number }>(
  endpoints: readonly string[],
  { now = Date.now, ...options }: ChainReadsOptions & { readonly now?: () => number },
  call: (endpoint: QueriedEndpoint, wallet: string, account: string, minSlot: number) => Promise<Read>,
): WalletReader<Read & WalletRead> {
  const reads = new ChainReads(endpoints, options);
  return {
    get readsInProgress() {
      return reads.readsInProgress;
    },
    read: (wallet, account, options) =>
      reads.read(options, async (endpoint) => {
        const read = await call(endpoint, wallet, account, options.minSlot);
        return { ...read, readAt: now() };
      }),
  };
}
