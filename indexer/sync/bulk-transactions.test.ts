// @module-tag slow
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configuredEndpoints } from '../../data/config/endpoints.ts';
import { LEDGER, ledgerKeypair } from '../ledger/addresses.ts';
import { SLOT_MILLISECONDS } from '../ledger/chain.ts';
import { acceptedTransaction } from '../ledger/testing/test-ledger.ts';
import { depositTransactionBytes, stakeTransactionBytes } from '../ledger/transactions.ts';
import { createEndpointPool } from '../rpc/endpoint-pool.ts';
import { createHeliusHistory } from '../rpc/helius-history.ts';
import {
  type FakeServer,
  type Responder,
  respondWithReplies,
  respondWithResults,
  respondWithStatus,
  startFakeServer,
} from '../testing/fake-server.ts';
import { type HeliusPage, heliusProxy } from '../testing/helius-proxy.ts';
import {
  neverExceedsSlotRate,
  openTestIndex,
  startTestChain,
  type TestChain,
} from '../testing/test-chain.ts';
import { runChainLoop } from './chain-loop.ts';

const KEY = '01234567-89ab-cdef-0123-456789abcdef';
const BULK_METHOD = 'getTransactionsForAddress';
const REASON = 'getTransactionsForAddress is only available for paid plans';
const DEPOSIT_COUNT = 120;
const STAKE_COUNT = 40;
const HOUR_MS = 3_600_000;

let ledger: TestChain;
let helius: FakeServer;
/** The time on the bulk source's clock (ms). */
let clock: number;
let logged: string[];
let receivedKeys: Set<string | null>;
/** The result without bulk calls. */
let expected: Awaited<ReturnType<typeof backfill>>;

beforeAll(async () => {
  ledger = await startTestChain();
  const holder = ledgerKeypair('holder-1');
  for (let index = 0; index < STAKE_COUNT + DEPOSIT_COUNT; index += 1) {
    const { blockhash } = ledger.chain.latestBlockhash();
    const amount = BigInt(1_000 + index);
    const wire =
      index < STAKE_COUNT
        ? stakeTransactionBytes(holder, { nonce: index, amount }, blockhash)
        : depositTransactionBytes(holder, { amount }, blockhash);
    acceptedTransaction(ledger.chain.send(wire, { skipPreflight: true }));
    // Several transactions share a slot, even across batch boundaries.
    if (index % 3 === 0) ledger.advance(SLOT_MILLISECONDS);
  }
  ledger.advance(60 * SLOT_MILLISECONDS);
  helius = await startFakeServer(() => {});
});
afterAll(async () => {
  await helius.close();
  await ledger.close();
});
beforeEach(() => {
  clock = 0;
  logged = [];
  receivedKeys = new Set();
});
afterEach(() => {
  expect(logged.join()).not.toContain(KEY);
});

/** @returns the events, and how often each method was called */
async function backfill(answer: Responder | null, source = answer && createSource()) {
  helius.batches.length = 0;
  helius.answerWith((calls, response, request) => {
    receivedKeys.add(new URL(request.url ?? '', helius.url).searchParams.get('api-key'));
    (answer ?? heliusProxy(ledger.url))(calls, response, request);
  });
  const index = await openTestIndex(ledger.identity);
  const { pool, bulk } = source ?? createSource();
  const stop = new AbortController();
  try {
    await runChainLoop({
      pool,
      bulkSource: source ? bulk : undefined,
      writer: index.writer,
      identity: ledger.identity,
      pollMs: 5,
      log: pino({ level: 'silent' }),
      signal: stop.signal,
      onHistoryRead: () => stop.abort(),
    });
    const calls = helius.batches.flat();
    const callCount = (name: string) => calls.filter(({ method }) => method === name).length;
    return {
      events: await index.events(),
      bulk: callCount(BULK_METHOD),
      single: callCount('getTransaction'),
    };
  } finally {
    await index.close();
  }
}

function createSource() {
  const destination = new Writable({
    write(line: Buffer, _encoding, done) {
      logged.push(line.toString());
      done();
    },
  });
  const log = pino({ level: 'debug', redact: [] }, destination);
  const endpoints = configuredEndpoints({
    solana: { kind: 'cluster', rpcUrls: [] },
    helius: { apiKey: KEY, baseUrl: helius.url },
  });
  const pool = createEndpointPool({ endpoints, exceedsSlotRate: neverExceedsSlotRate });
  const bulk = createHeliusHistory({ endpoints, pool, log, now: () => clock, random: () => 1 });
  return { pool, bulk };
}

/** @returns how many pages a source requests for an address */
async function requestedPages({ bulk }: ReturnType<typeof createSource>, answer: Responder): Promise<number> {
  helius.batches.length = 0;
  helius.answerWith(answer);
  const pages = bulk?.pages(LEDGER.vault, { first: 0, last: 1 }, new AbortController().signal);
  for await (const _ of pages ?? []);
  return helius.batches.flat().length;
}

const WARN = 40;
const warnings = () => logged.map((line) => JSON.parse(line)).filter(({ level }) => level >= WARN);
const editingProxy = (edit: (page: HeliusPage) => HeliusPage) => heliusProxy(ledger.url, edit);
const withBulkAnswer = (answer: Responder): Responder => {
  const forward = heliusProxy(ledger.url);
  return (calls, response, request) =>
    (calls.some(({ method }) => method === BULK_METHOD) ? answer : forward)(calls, response, request);
};

describe('a backfill with bulk calls', () => {
  beforeAll(async () => {
    logged = [];
    receivedKeys = new Set();
    expected = await backfill(null);
  });

  it('indexes the same events with a hundredth of the calls, with the documented parameters', async () => {
    expect(expected.bulk).toBe(0);
    const { events, bulk, single } = await backfill(heliusProxy(ledger.url));
    expect(events).toEqual(expected.events);
    expect(expected.single).toBeGreaterThan(DEPOSIT_COUNT);
    expect(bulk).toBeLessThanOrEqual(Math.ceil(expected.single / 100) + 2);
    expect(single).toBeLessThan(20);
    expect(receivedKeys).toEqual(new Set([KEY]));
    expect(logged).toEqual([]);
    const [call] = helius.batches.flat().filter(({ method }) => method === BULK_METHOD);
    expect(call?.params[1]).toEqual({
      transactionDetails: 'full',
      encoding: 'base64',
      maxSupportedTransactionVersion: 1,
      commitment: 'finalized',
      sortOrder: 'asc',
      limit: 100,
      filters: { slot: { gte: expect.any(Number), lte: expect.any(Number) }, status: 'succeeded' },
    });
  });

  it.each<[string, (page: HeliusPage) => HeliusPage]>([
    ['missing', ({ data, ...page }) => ({ ...page, data: data.filter((_, index) => index % 2 === 0) })],
    ['listed in another slot', withEach((one) => ({ ...one, slot: Number(one.slot) + 1 }))],
    [
      'marked as failed',
      withEach((one) => ({ ...one, meta: { ...(one.meta as object), err: 'AccountInUse' } })),
    ],
    ['sent in another encoding', withEach((one) => ({ ...one, transaction: ['1', 'base58'] }))],
  ])('requests transactions one by one if they are %s', async (_, edit) => {
    const { events, single } = await backfill(editingProxy(edit));
    expect(events).toEqual(expected.events);
    expect(single).toBeGreaterThan(DEPOSIT_COUNT / 2 - 20);
  });

  it('ignores transactions that were not requested', async () => {
    const { events } = await backfill(editingProxy(withEach((one, data) => data[0] ?? one)));
    expect(events).toEqual(expected.events);
  });

  it('follows the pagination token while bulk calls are cheaper', async () => {
    const withShortLimit = (calls: Parameters<Responder>[0]) =>
      calls.map(({ params: [address, config], ...call }) => ({
        ...call,
        params: [address, { ...(config as object), limit: 20 }],
      }));
    const proxy = heliusProxy(ledger.url);
    const { events, bulk, single } = await backfill((calls, response, request) =>
      proxy(calls[0]?.method === BULK_METHOD ? withShortLimit(calls) : calls, response, request),
    );
    expect(events).toEqual(expected.events);
    expect(single).toBeLessThan(40);
    expect(bulk).toBeGreaterThan(5);
  });

  it('requests no page after one with nothing new, even if the pagination tokens never end', async () => {
    const firstHalf = (page: HeliusPage) => ({ data: page.data.slice(0, 50), paginationToken: '1:0' });
    const { events, bulk } = await backfill(editingProxy(firstHalf));
    expect(events).toEqual(expected.events);
    expect(bulk).toBeLessThan(12);
  });

  it.each<[string, Responder, { readonly code: number | null; readonly failure: string }]>([
    [
      '403',
      respondWithStatus(403, {}, JSON.stringify({ error: { code: -32403, message: REASON } })),
      { code: null, failure: 'refused' },
    ],
    ['-32403', rpcError(-32403), { code: -32403, failure: 'refused' }],
  ])('makes no bulk calls for an hour after a refusal with %s, and warns once', async (_, answer, cause) => {
    const source = createSource();
    const { events, single, bulk } = await backfill(withBulkAnswer(answer), source);
    expect(events).toEqual(expected.events);
    expect(single).toBe(expected.single);
    // Concurrent requests are refused together, so there may be more than one bulk call.
    expect(bulk).toBeGreaterThan(0);
    clock += 0.9 * HOUR_MS;
    expect(await requestedPages(source, answer)).toBe(0);
    clock += 0.2 * HOUR_MS;
    expect(await requestedPages(source, answer)).toBe(1);
    expect(warnings()).toMatchObject([{ ...cause, waitMs: HOUR_MS, endpoint: new URL(helius.url).host }]);
    expect(warnings()[0].reason).toContain(REASON);
    // The endpoint's other calls are not affected.
    expect(source.pool.health()).toMatchObject([{ state: 'active', errorCount: 0 }]);
    clock += HOUR_MS;
    expect(await requestedPages(source, heliusProxy(ledger.url))).toBe(1);
  });

  it.each<[string, Responder, string, number]>([
    ['429 with Retry-After', respondWithStatus(429, { 'retry-after': '30' }), 'rate-limit', 30_000],
    ['a broken connection', (_, response) => response.destroy(), 'unreachable', 1_000],
    ['an answer of the wrong shape', respondWithResults(() => ({})), 'unreadable', 1_000],
  ])('pauses the bulk calls after %s', async (_, answer, failure, waitMs) => {
    const source = createSource();
    const indexed = await backfill(withBulkAnswer(answer), source);
    expect(indexed).toMatchObject({ ...expected, bulk: expect.any(Number) });
    expect(warnings()).toMatchObject([{ failure, waitMs }]);
    clock += waitMs - 1;
    expect(await requestedPages(source, heliusProxy(ledger.url))).toBe(0);
    clock += 1;
    expect(await requestedPages(source, heliusProxy(ledger.url))).toBe(1);
  });

  it('makes no bulk calls while the pool distrusts the endpoint', async () => {
    const source = createSource();
    source.pool.distrust(new URL(helius.url).host, 'test');
    expect(await requestedPages(source, heliusProxy(ledger.url))).toBe(0);
  });

  it('is not available without a Helius key', () => {
    const endpoints = configuredEndpoints({
      solana: { kind: 'cluster', rpcUrls: [ledger.url] },
      helius: null,
    });
    expect(
      createHeliusHistory({ endpoints, pool: ledger.pool, log: pino({ level: 'silent' }) }),
    ).toBeUndefined();
  });
});

type Transaction = HeliusPage['data'][number];
function withEach(edit: (one: Transaction, data: HeliusPage['data']) => Transaction) {
  return (page: HeliusPage): HeliusPage => ({ ...page, data: page.data.map((one) => edit(one, page.data)) });
}

/** A provider may put the URL of the request, and so the API key, into its error message. */
function rpcError(code: number): Responder {
  return respondWithReplies(() => ({
    error: { code, message: `${REASON} (${helius.url}/?api-key=${KEY} or ${KEY})` },
  }));
}
