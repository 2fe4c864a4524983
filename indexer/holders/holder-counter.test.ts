import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainSnapshot } from '../../data/store/chain-rows.ts';
import type { HolderCount } from '../../data/store/ports.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../chain/addresses.ts';
import { decodeTokenAccount } from '../chain/token-layout.ts';
import { createProgress } from '../reconcile/progress.ts';
import { createEndpointPool, type EndpointPool, resultOf } from '../rpc/endpoint-pool.ts';
import { getMultipleAccounts } from '../rpc/solana-calls.ts';
import { entriesOf, type SnapshotAnswers, snapshotCalls, snapshotOf } from '../sync/snapshot.ts';
import { endpointsAt } from '../testing/endpoints-at.ts';
import {
  type ArrivedCall,
  type HostileServer,
  proxyTo,
  replyWith,
  startHostileServer,
} from '../testing/hostile-server.ts';
import { movedByHand, startTestChain, type TestChain } from '../testing/test-chain.ts';
import { createHolderCounter } from './holder-counter.ts';

const never = new AbortController().signal;
const NOW = 1_000;

let ledger: TestChain;
let server: HostileServer;
let snapshot: ChainSnapshot;
beforeAll(async () => {
  ledger = await startTestChain({ history: true });
  server = await startHostileServer(proxyTo(ledger.url));
  const [accounts, entries] = await ledger.pool.batch<SnapshotAnswers>(snapshotCalls(ledger.identity), never);
  const readings = { accounts: resultOf(accounts), entries: entriesOf(resultOf(entries)) };
  snapshot = snapshotOf(readings, ledger.identity, NOW);
});
afterAll(async () => {
  await server.close();
  await ledger.close();
});

const isListing = ({ method }: ArrivedCall) => method === 'getProgramAccounts';

/** A counter over an endpoint that the test breaks, with the snapshot of the ledger as the loop would commit it. */
function world(at: ChainSnapshot | null = snapshot, changes: { readonly pool?: EndpointPool } = {}) {
  server.answerWith(proxyTo(ledger.url));
  server.batches.length = 0;
  const committed: HolderCount[] = [];
  const told: string[] = [];
  const log = pino({}, { write: (line: string) => void told.push(JSON.parse(line).msg) });
  const progress = createProgress();
  if (at) progress.snapshotCommitted(at);
  const endpoints = endpointsAt(server.url);
  const pool = changes.pool ?? createEndpointPool({ endpoints, outrunsTime: movedByHand });
  const counter = createHolderCounter({
    pool,
    writer: { commitHolders: async (holders) => void committed.push(holders) },
    identity: ledger.identity,
    progress,
    log,
    now: () => NOW,
    answerWithinMs: 200,
    patienceMs: 20,
  });
  return { counter, committed, told, progress, pool, count: () => counter.count(never) };
}

/** The wallets that hold, as the whole accounts tell it. */
function walletsOnLedger(): number {
  const { vault, poolVault, mint } = ledger.identity;
  const accounts = [...ledger.chain.programAccounts(TOKEN_PROGRAM)].flatMap(([address, account]) => {
    const decoded = decodeTokenAccount(account);
    return decoded?.mint === mint ? [{ address, ...decoded }] : [];
  });
  const ofPortal = accounts.filter(({ address }) => [vault, poolVault].includes(address));
  const held = accounts.filter(
    ({ amount, owner }) => amount > 0n && ofPortal.every((account) => account.owner !== owner),
  );
  const staking = snapshot.entries.filter(({ closedAt }) => closedAt === null);
  return new Set([...held.map(({ owner }) => owner), ...staking.map(({ wallet }) => wallet)]).size;
}

describe('counting the wallets that hold BD', () => {
  it('commits holders and stakers at the slot of the listing, and asks for owner and amount alone', async () => {
    const { count, committed } = world();
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

  it('asks for accounts of every size where the mint is one of Token-2022', async () => {
    const { pool } = world();
    const listed: unknown[] = [];
    const of2022: EndpointPool = {
      ...pool,
      batch: (async () => [
        { ok: true, by: '', value: { slot: 1, value: [{ owner: TOKEN_2022_PROGRAM }] } },
      ]) as unknown as EndpointPool['batch'],
      askBeside: async (calls, signal, withinMs) => {
        listed.push(...calls.map(({ params }) => params));
        return pool.askBeside(calls, signal, withinMs);
      },
    };
    await world(snapshot, { pool: of2022 }).count();
    const [program, config] = listed[0] as [string, { filters: unknown }];
    expect(program).toBe(TOKEN_2022_PROGRAM);
    expect(config.filters).toEqual([{ memcmp: { offset: 0, bytes: ledger.identity.mint } }]);
  });

  it.each<[string, () => void]>([
    [
      'refuses the listing',
      () => server.answerWith(proxyTo(ledger.url, () => ({ getProgramAccounts: -32_010 }))),
    ],
    [
      'fails at the listing',
      () => server.answerWith(proxyTo(ledger.url, () => ({ getProgramAccounts: -32_603 }))),
    ],
    [
      'ends such a request with HTTP 413',
      () =>
        server.answerWith((calls, response, request) => {
          if (calls.some(isListing)) response.writeHead(413).end();
          else proxyTo(ledger.url)(calls, response, request);
        }),
    ],
    [
      'does not answer it in time',
      () =>
        server.answerWith((calls, response, request) => {
          if (!calls.some(isListing)) proxyTo(ledger.url)(calls, response, request);
        }),
    ],
    [
      'lists nothing',
      () =>
        server.answerWith((calls, response, request) => {
          if (!calls.some(isListing)) return proxyTo(ledger.url)(calls, response, request);
          const result = { context: { slot: snapshot.slot }, value: [] };
          return replyWith(
            response,
            calls.map(({ id }) => ({ jsonrpc: '2.0', id, result })),
          );
        }),
    ],
  ])(
    'commits nothing where the endpoint %s, says so once, and thinks no worse of it',
    async (_case, breakIt) => {
      const { count, committed, told, pool } = world();
      breakIt();
      const before = pool.health();
      expect(await count()).toBeNull();
      expect(await count()).toBeNull();
      expect(committed).toEqual([]);
      expect(told).toEqual(['the wallets that hold BD cannot be counted']);
      const { errorCount, state, active } = pool.health()[0] ?? {};
      expect({ errorCount, state, active }).toEqual({ errorCount: 0, state: 'active', active: true });
      expect(before[0]?.state).toBe('active');
      // The loop's own calls are answered at once.
      const [accounts] = await pool.batch([getMultipleAccounts([ledger.identity.vault])], never);
      expect(resultOf(accounts).value[0]?.owner).toBeTypeOf('string');

      server.answerWith(proxyTo(ledger.url));
      expect(await count()).not.toBeNull();
      expect(told.at(-1)).toBe('the wallets that hold BD are counted again');
    },
  );

  it('waits for the snapshot of the slot that was listed, and takes no other', async () => {
    const { count, progress, committed } = world({ ...snapshot, slot: snapshot.slot - 1 });
    expect(await count()).toBeNull();
    expect(committed).toEqual([]);
    const counting = count();
    progress.snapshotCommitted(snapshot);
    expect(await counting).toMatchObject({ slot: snapshot.slot });
  });

  it('commits nothing while stakes begin between the snapshots before and after the listing', async () => {
    const { progress, count, committed } = world({ ...snapshot, slot: snapshot.slot - 1 });
    let newcomers = 0;
    const { waitUntil } = progress;
    progress.waitUntil = (isSo, withinMs, signal) => {
      newcomers += 1;
      const [entry] = snapshot.entries;
      if (!entry) throw new Error('Nobody stakes on the ledger.');
      const newcomer = { ...entry, wallet: `newcomer ${newcomers}`, closedAt: null };
      progress.snapshotCommitted({ ...snapshot, entries: [...snapshot.entries, newcomer] });
      return waitUntil(isSo, withinMs, signal);
    };
    expect(await count()).toBeNull();
    expect(committed).toEqual([]);
    expect(newcomers).toBe(3);
  });

  it('does not begin before the first snapshot', async () => {
    const { count, told } = world(null);
    expect(await count()).toBeNull();
    expect(server.batches).toEqual([]);
    expect(told).toEqual([]);
  });

  it('ends with the signal', async () => {
    const { counter } = world();
    server.answerWith(() => {});
    const controller = new AbortController();
    const counting = counter.count(controller.signal);
    const reason = new Error('stopping');
    controller.abort(reason);
    await expect(counting).rejects.toBe(reason);
  });
});
