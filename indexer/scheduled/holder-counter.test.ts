import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainSnapshot } from '../../data/store/chain-rows.ts';
import type { HolderCount } from '../../data/store/ports.ts';
import { decodeTokenAccount, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../chain/accounts.ts';
import { createEndpointPool, type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import { multipleAccountsCall } from '../rpc/solana-calls.ts';
import { decodeEntries, type SnapshotAnswers, snapshotCalls, snapshotOf } from '../sync/snapshot.ts';
import {
  endpointsAt,
  type FakeServer,
  proxyTo,
  type ReceivedCall,
  type Responder,
  respondWithReplies,
  respondWithResults,
  respondWithStatus,
  startFakeServer,
} from '../testing/fake-server.ts';
import { neverExceedsSlotRate, startTestChain, type TestChain } from '../testing/test-chain.ts';
import { countWallets, createHolderCounter, type Holding, HoldingsError } from './holder-counter.ts';
import { createLoopProgress } from './loop-progress.ts';

const holding = (address: string, owner: string, amount: bigint): Holding => ({ address, owner, amount });

const VAULT = holding('vault', 'vault owner', 50n);
const POOL_VAULT = holding('pool vault', 'pool', 30n);

function count(holdings: readonly Holding[], stakers: readonly string[] = [], changes: object = {}): number {
  const all = [VAULT, POOL_VAULT, ...holdings];
  const supply = all.reduce((sum, { amount }) => sum + amount, 0n);
  const followed = { vault: VAULT.address, poolVault: POOL_VAULT.address };
  return countWallets({ holdings: all, ...followed, supply, isPartWithheld: false, stakers, ...changes });
}

describe('the wallets that hold BD', () => {
  it('are the owners of accounts that are not empty', () => {
    expect(count([holding('a', 'alice', 1n), holding('b', 'bob', 0n)])).toBe(1);
  });

  it('each count once, however many accounts they have', () => {
    expect(count([holding('a', 'alice', 1n), holding('b', 'alice', 2n), holding('c', 'carol', 3n)])).toBe(2);
  });

  it('exclude the owners of the vault and the stake pool, although these hold BD', () => {
    expect(count([])).toBe(0);
    expect(count([holding('more', 'vault owner', 5n), holding('b', 'pool', 5n)])).toBe(0);
  });

  it('include stakers without any other BD, and count a staker with BD once', () => {
    expect(count([holding('a', 'alice', 1n), holding('b', 'bob', 0n)], ['bob', 'alice', 'dave'])).toBe(3);
  });

  it('are not counted if the list lacks a watched account', () => {
    const withoutVault = { holdings: [POOL_VAULT, holding('a', 'alice', 50n)] };
    expect(() => count([], [], withoutVault)).toThrow(HoldingsError);
    expect(() => count([], [], { holdings: [] })).toThrow(HoldingsError);
  });

  it('are not counted if the list adds up to less or more than the supply', () => {
    expect(() => count([], [], { supply: 81n })).toThrow(/supply/);
    expect(() => count([], [], { supply: 79n })).toThrow(/supply/);
    expect(() => count([], [], { supply: 79n, isPartWithheld: true })).toThrow(/supply/);
    expect(count([holding('a', 'alice', 1n)], [], { supply: 90n, isPartWithheld: true })).toBe(1);
  });

  it('are never fewer than the stakers', () => {
    const name = fc.constantFrom('alice', 'bob', 'carol', 'dave', 'vault owner', 'pool');
    const holdings = fc.array(fc.tuple(name, fc.bigInt({ min: 0n, max: 3n })));
    fc.assert(
      fc.property(holdings, fc.uniqueArray(name), (drawn, stakers) => {
        const rows = drawn.map(([owner, amount], index) => holding(`account ${index}`, owner, amount));
        const counted = count(rows, stakers);
        expect(counted).toBeGreaterThanOrEqual(stakers.length);
        const staking = new Set<string>(stakers);
        const others = new Set(rows.map(({ owner }) => owner).filter((owner) => !staking.has(owner)));
        expect(counted).toBeLessThanOrEqual(stakers.length + others.size);
      }),
    );
  });
});

const neverAborted = new AbortController().signal;
const NOW = 1_000;

let ledger: TestChain;
let server: FakeServer;
let snapshot: ChainSnapshot;
beforeAll(async () => {
  ledger = await startTestChain({ history: true });
  server = await startFakeServer(proxyTo(ledger.url));
  const [accounts, entries] = await ledger.pool.batch<SnapshotAnswers>(
    snapshotCalls(ledger.identity),
    neverAborted,
  );
  const readings = { accounts: resultOf(accounts), ...decodeEntries(resultOf(entries)) };
  snapshot = snapshotOf(readings, ledger.identity, NOW);
});
afterAll(async () => {
  await server.close();
  await ledger.close();
});

const isListing = ({ method }: ReceivedCall) => method === 'getProgramAccounts';

/** A shorter time limit (ms) for listing the accounts; null for the counter's own limit. */
let listingTimeoutMs: number | null = null;

/** Creates a counter with an endpoint that the test can break. Passes it the ledger's snapshot, as the chain loop would. */
function setUp(
  startSnapshot: ChainSnapshot | null = snapshot,
  changes: { readonly pool?: EndpointPool } = {},
) {
  server.answerWith(proxyTo(ledger.url));
  server.batches.length = 0;
  listingTimeoutMs = null;
  const committed: HolderCount[] = [];
  const messages: string[] = [];
  const log = pino({}, { write: (line: string) => void messages.push(JSON.parse(line).msg) });
  const progress = createLoopProgress();
  if (startSnapshot) progress.noteSnapshot(startSnapshot);
  const { waitUntil } = progress;
  progress.waitUntil = (isMet, _withinMs, signal) => waitUntil(isMet, 20, signal);
  const endpoints = endpointsAt(server.url);
  const pool = changes.pool ?? createEndpointPool({ endpoints, exceedsSlotRate: neverExceedsSlotRate });
  const counter = createHolderCounter({
    pool: {
      ...pool,
      requestWithoutPenalty: (calls, signal, withinMs) =>
        pool.requestWithoutPenalty(calls, signal, listingTimeoutMs ?? withinMs),
    },
    writer: { commitHolders: async (holders) => void committed.push(holders) },
    identity: ledger.identity,
    progress,
    log,
    now: () => NOW,
  });
  return { counter, committed, messages, progress, pool, count: () => counter.count(neverAborted) };
}

function walletsOnLedger(): number {
  const { vault, poolVault, mint } = ledger.identity;
  const accounts = [...ledger.chain.programAccounts(TOKEN_PROGRAM)].flatMap(([address, account]) => {
    const decoded = decodeTokenAccount(account);
    return decoded?.mint === mint ? [{ address, ...decoded }] : [];
  });
  const followed = accounts.filter(({ address }) => [vault, poolVault].includes(address));
  const holdingAccounts = accounts.filter(
    ({ amount, owner }) => amount > 0n && followed.every((account) => account.owner !== owner),
  );
  const staking = snapshot.entries.filter(({ closedAt }) => closedAt === null);
  return new Set([...holdingAccounts.map(({ owner }) => owner), ...staking.map(({ wallet }) => wallet)]).size;
}

describe('counting the wallets that hold BD', () => {
  it('commits holders and stakers at the slot of the listing, and requests only owner and amount', async () => {
    const { count, committed } = setUp();
    const holders = await count();
    expect(committed).toEqual([holders]);
    expect(holders).toEqual({ slot: snapshot.slot, wallets: walletsOnLedger(), readAt: NOW });
    expect(holders?.wallets).toBeGreaterThan(5);
    const [listing] = server.batches.flat().filter(isListing);
    expect(listing?.params[1]).toMatchObject({
      dataSlice: { offset: 32, length: 40 },
      filters: [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: ledger.identity.mint } }],
    });
  });

  it('requests accounts of every size for a Token-2022 mint', async () => {
    const { pool } = setUp();
    const listed: unknown[] = [];
    const token2022Pool: EndpointPool = {
      ...pool,
      batch: (async () => [
        { ok: true, by: '', value: { slot: 1, value: [{ owner: TOKEN_2022_PROGRAM }] } },
      ]) as unknown as EndpointPool['batch'],
      requestWithoutPenalty: async (calls, signal, withinMs) => {
        listed.push(...calls.map(({ params }) => params));
        return pool.requestWithoutPenalty(calls, signal, withinMs);
      },
    };
    await setUp(snapshot, { pool: token2022Pool }).count();
    const [program, config] = listed[0] as [string, { filters: unknown }];
    expect(program).toBe(TOKEN_2022_PROGRAM);
    expect(config.filters).toEqual([{ memcmp: { offset: 0, bytes: ledger.identity.mint } }]);
  });

  it.each<[string, Responder]>([
    ['refuses the listing', respondWithReplies(() => ({ error: { code: -32_010, message: 'no' } }))],
    ['fails at the listing', respondWithReplies(() => ({ error: { code: -32_603, message: 'no' } }))],
    ['ends the request with HTTP 413', respondWithStatus(413)],
    ['does not answer in time', () => {}],
    ['lists nothing', respondWithResults(() => ({ context: { slot: snapshot.slot }, value: [] }))],
  ])('commits nothing if the endpoint %s, warns once, and does not penalize it', async (_case, answer) => {
    const { count, committed, messages, pool } = setUp();
    listingTimeoutMs = 200;
    server.answerWith((calls, ...rest) =>
      (calls.some(isListing) ? answer : proxyTo(ledger.url))(calls, ...rest),
    );
    const before = pool.health();
    expect(await count()).toBeNull();
    expect(await count()).toBeNull();
    expect(committed).toEqual([]);
    expect(messages).toEqual(['the wallets that hold BD cannot be counted']);
    const { errorCount, state, active } = pool.health()[0] ?? {};
    expect({ errorCount, state, active }).toEqual({ errorCount: 0, state: 'active', active: true });
    expect(before[0]?.state).toBe('active');
    // The chain loop's own calls are still answered.
    const [accounts] = await pool.batch([multipleAccountsCall([ledger.identity.vault])], neverAborted);
    expect(resultOf(accounts).value[0]?.owner).toBeTypeOf('string');

    listingTimeoutMs = null;
    server.answerWith(proxyTo(ledger.url));
    expect(await count()).not.toBeNull();
    expect(messages.at(-1)).toBe('counting the wallets that hold BD works again');
  });

  it('waits for the snapshot at the slot of the listing, and uses no other', async () => {
    const { count, progress, committed } = setUp({ ...snapshot, slot: snapshot.slot - 1 });
    expect(await count()).toBeNull();
    expect(committed).toEqual([]);
    const counting = count();
    progress.noteSnapshot(snapshot);
    expect(await counting).toMatchObject({ slot: snapshot.slot });
  });

  it('commits nothing while stakes begin between the snapshots before and after the listing', async () => {
    const { progress, count, committed } = setUp({ ...snapshot, slot: snapshot.slot - 1 });
    let newcomers = 0;
    const { waitUntil } = progress;
    progress.waitUntil = (isTrue, withinMs, signal) => {
      newcomers += 1;
      const [entry] = snapshot.entries;
      if (!entry) throw new Error('Nobody stakes on the ledger.');
      const newcomer = { ...entry, wallet: `newcomer ${newcomers}`, closedAt: null };
      progress.noteSnapshot({ ...snapshot, entries: [...snapshot.entries, newcomer] });
      return waitUntil(isTrue, withinMs, signal);
    };
    expect(await count()).toBeNull();
    expect(committed).toEqual([]);
    expect(newcomers).toBe(3);
  });

  it('does not begin before the first snapshot', async () => {
    const { count, messages } = setUp(null);
    expect(await count()).toBeNull();
    expect(server.batches).toEqual([]);
    expect(messages).toEqual([]);
  });

  it('ends when the signal aborts', async () => {
    const { counter } = setUp();
    server.answerWith(() => {});
    const controller = new AbortController();
    const counting = counter.count(controller.signal);
    const reason = new Error('stopping');
    controller.abort(reason);
    await expect(counting).rejects.toBe(reason);
  });
});
