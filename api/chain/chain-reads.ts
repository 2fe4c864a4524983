import type { Connection, FetchFn } from '@solana/web3.js';
import { endpointNames } from '../../data/config/endpoint-names.ts';
import type { EndpointHealth } from '../../data/store/ports.ts';
import { ChainUnreadableError } from '../errors.ts';

/** What is known of the chain and its endpoints when it is read. */
export interface ReadingTerms {
  /** The slot that the answer holds at, at least: what is said beside it holds at that one. */
  readonly minSlot: number;
  /** What the indexer says of the endpoints. */
  readonly health: readonly Pick<EndpointHealth, 'name' | 'active' | 'state'>[];
  /** Ends the reading, and frees its place, once nobody waits for it. */
  readonly signal?: AbortSignal;
}

export interface ReadsOptions {
  /** Milliseconds that one reading may take, all endpoints together. */
  readonly readWithinMs?: number;
  /** Readings at a time: more are told to come again. */
  readonly readsAtMost?: number;
}

const READ_WITHIN_MS = 5_000;
const READS_AT_MOST = 32;

/** The library as it is once it was needed. */
export type Web3 = typeof import('@solana/web3.js');

/** An endpoint to be asked. */
export interface AskedEndpoint {
  /** Its requests end when its share of the time is over. */
  readonly connection: Connection;
  readonly web3: Web3;
}

interface NamedEndpoint {
  /** As the index names it. */
  readonly name: string;
  readonly url: string;
}

/** A connection whose requests end with the signal. */
async function connect(url: string, signal: AbortSignal): Promise<AskedEndpoint> {
  // Loaded at the first use: the portal starts without it.
  const web3 = await import('@solana/web3.js');
  // Whoever is not configured is not believed, though a configured one sends there.
  const fetchWithin = (input: string, init: RequestInit) =>
    fetch(input, { ...init, signal, redirect: 'error' });
  const connection = new web3.Connection(url, {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    // Declared as node-fetch, of which only this much is used.
    fetch: fetchWithin as unknown as FetchFn,
  });
  return { connection, web3 };
}

/** Addresses to ask: those that answer first, each group in the order configured, and none that is put aside. */
function believed(endpoints: readonly NamedEndpoint[], health: ReadingTerms['health']): readonly string[] {
  const known = new Map(health.map((endpoint) => [endpoint.name, endpoint]));
  const answers = ({ name }: NamedEndpoint) => {
    const endpoint = known.get(name);
    return endpoint === undefined || (endpoint.active && endpoint.state === 'active');
  };
  const asked = endpoints.filter(({ name }) => known.get(name)?.state !== 'put-aside');
  return [...asked.filter(answers), ...asked.filter((one) => !answers(one))].map(({ url }) => url);
}

/** Readings of the chain itself, for one caller each: within a time, and so many at once. */
export class ChainReads {
  readonly #endpoints: readonly NamedEndpoint[];
  readonly #readWithinMs: number;
  readonly #readsAtMost: number;
  #underWay = 0;

  constructor(urls: readonly string[], { readWithinMs, readsAtMost }: ReadsOptions = {}) {
    const names = endpointNames(urls);
    this.#endpoints = urls.map((url, index) => ({ name: names[index] ?? '', url }));
    this.#readWithinMs = readWithinMs ?? READ_WITHIN_MS;
    this.#readsAtMost = readsAtMost ?? READS_AT_MOST;
  }

  /** Readings that have not ended. */
  get underWay(): number {
    return this.#underWay;
  }

  /**
   * Asks the endpoints that are believed, each for its share of the time, and takes the first answer.
   * @throws {ChainUnreadableError} where none gave it in time, too many are asking already, or `left` said that nobody
   * waits for it any more.
   */
  async first<Answer>(
    health: ReadingTerms['health'],
    ask: (endpoint: AskedEndpoint) => Promise<Answer>,
    left?: AbortSignal,
  ): Promise<Answer> {
    if (this.#underWay >= this.#readsAtMost) throw new ChainUnreadableError();
    this.#underWay += 1;
    try {
      return await this.#askInTurn(health, ask, left);
    } finally {
      this.#underWay -= 1;
    }
  }

  /** As `first`, where an answer counts only if it is of the slot asked for or a later one. */
  read<Answer extends { readonly slot: number }>(
    { minSlot, health, signal }: ReadingTerms,
    ask: (endpoint: AskedEndpoint) => Promise<Answer>,
  ): Promise<Answer> {
    const askAtSlot = async (endpoint: AskedEndpoint) => {
      const answer = await ask(endpoint);
      if (answer.slot < minSlot)
        throw new RangeError('An endpoint answered for an older slot than was asked.');
      return answer;
    };
    return this.first(health, askAtSlot, signal);
  }

  async #askInTurn<Answer>(
    health: ReadingTerms['health'],
    ask: (endpoint: AskedEndpoint) => Promise<Answer>,
    left?: AbortSignal,
  ): Promise<Answer> {
    const faults: unknown[] = [];
    const asked = believed(this.#endpoints, health);
    for (const url of asked) {
      if (left?.aborted) break;
      try {
        const late = AbortSignal.timeout(Math.ceil(this.#readWithinMs / asked.length));
        return await ask(await connect(url, left ? AbortSignal.any([late, left]) : late));
      } catch (error) {
        faults.push(error);
      }
    }
    throw new ChainUnreadableError({ cause: new AggregateError(faults) });
  }
}
