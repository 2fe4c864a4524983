import type { Connection, FetchFn } from '@solana/web3.js';
import { endpointNames } from '../../data/config/endpoints.ts';
import { RATE_LIMITS } from '../../data/config/rate-limits.ts';
import type { EndpointHealth } from '../../data/store/ports.ts';
import { ApiError } from '../errors.ts';

/** The conditions of a read from the chain. */
export interface ReadingTerms {
  /** The lowest slot that the answer may be from: the figures beside it are from this slot. */
  readonly minSlot: number;
  /** The health of the endpoints, as the indexer reports it. */
  readonly health: readonly Pick<EndpointHealth, 'name' | 'active' | 'state'>[];
  /** Aborts the read once nobody waits for it. */
  readonly signal?: AbortSignal;
}

export interface ReadsOptions {
  /** Milliseconds that one read may take, over all endpoints. */
  readonly readWithinMs?: number;
  /** Concurrent reads; more are rejected. */
  readonly readsAtMost?: number;
}

const READ_WITHIN_MS = 5_000;

/** The lazily loaded library. */
export type Web3 = typeof import('@solana/web3.js');

/** A connection to one endpoint. */
export interface QueriedEndpoint {
  /** Its requests abort when its share of the time is over. */
  readonly connection: Connection;
  readonly web3: Web3;
}

interface NamedEndpoint {
  /** The endpoint's name in the index. */
  readonly name: string;
  readonly url: string;
}

/** Opens a connection that the signal aborts. */
async function connect(url: string, signal: AbortSignal): Promise<QueriedEndpoint> {
  // Loaded on first use: the portal starts without it.
  const web3 = await import('@solana/web3.js');
  // Follow no redirect: only configured endpoints are trusted.
  const fetchWithin = (input: string, init: RequestInit) =>
    fetch(input, { ...init, signal, redirect: 'error' });
  const connection = new web3.Connection(url, {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    // Declared as node-fetch's type; web3.js uses only what both have in common.
    fetch: fetchWithin as unknown as FetchFn,
  });
  return { connection, web3 };
}

/** URLs to ask: healthy endpoints first, each group in the configured order, without distrusted ones. */
function trustedUrls(endpoints: readonly NamedEndpoint[], health: ReadingTerms['health']): readonly string[] {
  const known = new Map(health.map((endpoint) => [endpoint.name, endpoint]));
  const answers = ({ name }: NamedEndpoint) => {
    const endpoint = known.get(name);
    return endpoint === undefined || (endpoint.active && endpoint.state === 'active');
  };
  const asked = endpoints.filter(({ name }) => known.get(name)?.state !== 'distrusted');
  return [...asked.filter(answers), ...asked.filter((one) => !answers(one))].map(({ url }) => url);
}

/** Reads from the chain, each for one caller, with a time limit and a limit on concurrent reads. */
export class ChainReads {
  readonly #endpoints: readonly NamedEndpoint[];
  readonly #readWithinMs: number;
  readonly #readsAtMost: number;
  #readsInProgress = 0;

  constructor(urls: readonly string[], { readWithinMs, readsAtMost }: ReadsOptions = {}) {
    const names = endpointNames(urls);
    this.#endpoints = urls.map((url, index) => ({ name: names[index] ?? '', url }));
    this.#readWithinMs = readWithinMs ?? READ_WITHIN_MS;
    this.#readsAtMost = readsAtMost ?? RATE_LIMITS['chain-reads'].limit;
  }

  /** Reads in progress. */
  get readsInProgress(): number {
    return this.#readsInProgress;
  }

  /**
   * Asks the trusted endpoints in turn, each for its share of the time, and returns the first answer.
   * @throws {ApiError} `chain-unreadable` if none answers in time, too many reads are in progress, or `left` aborts
   */
  async first<Answer>(
    health: ReadingTerms['health'],
    ask: (endpoint: QueriedEndpoint) => Promise<Answer>,
    left?: AbortSignal,
  ): Promise<Answer> {
    if (this.#readsInProgress >= this.#readsAtMost) throw new ApiError('chain-unreadable');
    this.#readsInProgress += 1;
    try {
      return await this.#askInTurn(health, ask, left);
    } finally {
      this.#readsInProgress -= 1;
    }
  }

  /** As `first`, but only an answer from `minSlot` or later counts. */
  read<Answer extends { readonly slot: number }>(
    { minSlot, health, signal }: ReadingTerms,
    ask: (endpoint: QueriedEndpoint) => Promise<Answer>,
  ): Promise<Answer> {
    const askFromSlot = async (endpoint: QueriedEndpoint) => {
      const answer = await ask(endpoint);
      if (answer.slot < minSlot)
        throw new RangeError('An endpoint answered from a slot before the requested one.');
      return answer;
    };
    return this.first(health, askFromSlot, signal);
  }

  async #askInTurn<Answer>(
    health: ReadingTerms['health'],
    ask: (endpoint: QueriedEndpoint) => Promise<Answer>,
    left?: AbortSignal,
  ): Promise<Answer> {
    const errors: unknown[] = [];
    const asked = trustedUrls(this.#endpoints, health);
    for (const url of asked) {
      if (left?.aborted) break;
      try {
        const late = AbortSignal.timeout(Math.ceil(this.#readWithinMs / asked.length));
        return await ask(await connect(url, left ? AbortSignal.any([late, left]) : late));
      } catch (error) {
        errors.push(error);
      }
    }
    throw new ApiError('chain-unreadable', { cause: new AggregateError(errors) });
  }
}
