import type { AccountInfo, Connection, FetchFn } from '@solana/web3.js';
import bs58 from 'bs58';
import { endpointNames } from '../../data/config/endpoint-names.ts';
import type { PortalConfig } from '../../data/config/environment.ts';
import type { EndpointHealth } from '../../data/store/ports.ts';
import { ChainUnreadableError } from '../errors.ts';

/** What a wallet's token accounts of the mint hold together, in base units, at a slot and moment (Unix ms). */
export interface HeldTokens {
  readonly amount: bigint;
  readonly slot: number;
  readonly readAt: number;
}

/** What is known of the chain and its endpoints when a wallet is read. */
export interface ReadingTerms {
  /** The slot that the answer holds at, at least: what is said beside it holds at that one. */
  readonly minSlot: number;
  /** What the indexer says of the endpoints. */
  readonly health: readonly Pick<EndpointHealth, 'name' | 'active' | 'state'>[];
}

/** Reads what wallets hold, straight from the chain. */
export interface HeldTokensReader {
  /** @throws {ChainUnreadableError} where no endpoint told it in time, or too many wallets are being read already. */
  read(wallet: string, mint: string, terms: ReadingTerms): Promise<HeldTokens>;
  /** Wallets being read. */
  readonly underWay: number;
}

/** Milliseconds that reading a wallet may take, all endpoints together. */
const READ_WITHIN_MS = 5_000;
/** Wallets read at a time: more are told to come again. */
const READS_AT_MOST = 32;

/** Token accounts of SPL Token and Token-2022 begin alike: mint, owner, amount (source: `spl-token` 4, `state.rs`). */
const TOKEN_ACCOUNT_SIZE = 165;
const OWNER_OFFSET = 32;
const AMOUNT_OFFSET = 64;

/** Where the chain is read: the embedded ledger, or the configured endpoints. */
export function chainEndpoints(solana: PortalConfig['solana']): readonly string[] {
  return solana.kind === 'embedded' ? [`http://127.0.0.1:${solana.ledgerPort}`] : solana.rpcUrls;
}

/** @throws {RangeError} where the account is no token account of that wallet and mint. */
function amountOf({ data }: AccountInfo<Buffer>, wallet: string, mint: string): bigint {
  const isOurs =
    data.length >= TOKEN_ACCOUNT_SIZE &&
    bs58.encode(data.subarray(0, OWNER_OFFSET)) === mint &&
    bs58.encode(data.subarray(OWNER_OFFSET, AMOUNT_OFFSET)) === wallet;
  if (!isOurs) throw new RangeError('An endpoint listed an account that is not what was asked for.');
  return data.readBigUInt64LE(AMOUNT_OFFSET);
}

/** A connection whose requests end with the signal. */
async function connect(url: string, signal: AbortSignal): Promise<Connection> {
  // Loaded at the first use: the portal starts without it.
  const { Connection } = await import('@solana/web3.js');
  // Whoever is not configured is not believed, though a configured one sends there.
  const fetchWithin = (input: string, init: RequestInit) =>
    fetch(input, { ...init, signal, redirect: 'error' });
  return new Connection(url, {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    // Declared as node-fetch, of which only this much is used.
    fetch: fetchWithin as unknown as FetchFn,
  });
}

async function readFrom(
  url: string,
  wallet: string,
  mint: string,
  minSlot: number,
  signal: AbortSignal,
): Promise<Omit<HeldTokens, 'readAt'>> {
  const { PublicKey } = await import('@solana/web3.js');
  const connection = await connect(url, signal);
  // By mint a node finds the accounts of whichever token program the mint belongs to.
  const { context, value } = await connection.getTokenAccountsByOwner(
    new PublicKey(wallet),
    { mint: new PublicKey(mint) },
    { minContextSlot: minSlot },
  );
  if (context.slot < minSlot) throw new RangeError('An endpoint answered for an older slot than was asked.');
  const amount = value.reduce((sum, { account }) => sum + amountOf(account, wallet, mint), 0n);
  return { amount, slot: context.slot };
}

interface NamedEndpoint {
  /** As the index names it. */
  readonly name: string;
  readonly url: string;
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

/** Asks the endpoints that are believed, each for its share of the time, and takes the first answer. */
export function createHeldTokensReader(
  endpoints: readonly string[],
  { readWithinMs = READ_WITHIN_MS, readsAtMost = READS_AT_MOST, now = Date.now } = {},
): HeldTokensReader {
  const names = endpointNames(endpoints);
  const named = endpoints.map((url, index) => ({ name: names[index] ?? '', url }));
  let underWay = 0;
  const readFirst = async (wallet: string, mint: string, terms: ReadingTerms): Promise<HeldTokens> => {
    const faults: unknown[] = [];
    const asked = believed(named, terms.health);
    for (const url of asked) {
      try {
        const signal = AbortSignal.timeout(Math.ceil(readWithinMs / asked.length));
        return { ...(await readFrom(url, wallet, mint, terms.minSlot, signal)), readAt: now() };
      } catch (error) {
        faults.push(error);
      }
    }
    throw new ChainUnreadableError({ cause: new AggregateError(faults) });
  };
  return {
    get underWay() {
      return underWay;
    },
    async read(wallet, mint, terms) {
      if (underWay >= readsAtMost) throw new ChainUnreadableError();
      underWay += 1;
      try {
        return await readFirst(wallet, mint, terms);
      } finally {
        underWay -= 1;
      }
    },
  };
}
