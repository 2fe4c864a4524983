import { pino } from 'pino';
import { runHealthLoop } from '../indexer/health.ts';
import { ledgerKeypair } from '../indexer/ledger/addresses.ts';
import { depositTransactionBytes } from '../indexer/ledger/transactions.ts';
import { createEndpointPool } from '../indexer/rpc/endpoint-pool.ts';
import { priceOf } from '../indexer/rpc/providers.ts';
import { startScheduledWork } from '../indexer/scheduled/scheduled-work.ts';
import { runChainLoop } from '../indexer/sync/chain-loop.ts';
import { endpointsAt, proxyTo, startFakeServer } from '../indexer/testing/fake-server.ts';
import { speedUpTime } from '../indexer/testing/fast-time.ts';
import { neverExceedsSlotRate, openTestIndex, startTestChain } from '../indexer/testing/test-chain.ts';

// Counts the credits for following the chain, at rest and with movements, with and without a websocket.

/** How much faster than real time the clock of the test runs. */
const TIME_FACTOR = 12;
const POLL_MS = 1_500;
const SLOT_MS = 400;
/** Milliseconds before the calls are counted, and during the count. */
const WARM_UP_MS = 60_000;
const COUNTED_MS = 900_000;
const MOVEMENT_MS = 5_000;
const DAY_MS = 86_400_000;
const price = priceOf('https://mainnet.helius-rpc.com');

interface Mode {
  readonly name: string;
  readonly hasWebsocket: boolean;
  readonly movementMs: number | null;
  /** Maximum credits a day; null if there is no limit. */
  readonly limit: number | null;
}

const MODES: readonly Mode[] = [
  { name: 'at rest, polling', hasWebsocket: false, movementMs: null, limit: 100_000 },
  { name: 'at rest, with a websocket', hasWebsocket: true, movementMs: null, limit: 30_000 },
  { name: 'a deposit every 5 s, polling', hasWebsocket: false, movementMs: MOVEMENT_MS, limit: null },
  { name: 'a deposit every 5 s, with a websocket', hasWebsocket: true, movementMs: MOVEMENT_MS, limit: null },
];

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @returns how often each method was called */
async function countCalls({ hasWebsocket, movementMs }: Mode): Promise<ReadonlyMap<string, number>> {
  const ledger = await startTestChain({ history: true });
  const counting = await startFakeServer(proxyTo(ledger.url));
  const index = await openTestIndex(ledger.identity);
  const pool = createEndpointPool({
    endpoints: endpointsAt(counting.url),
    exceedsSlotRate: neverExceedsSlotRate,
  });
  const controller = new AbortController();
  const { signal } = controller;
  const log = pino({ level: 'silent' });
  const { identity } = ledger;
  const config = {
    solana: { kind: 'cluster', rpcUrls: [counting.url] },
    market: { feeds: ['jupiter'], baseUrl: null },
  } as const;
  const scheduled = startScheduledWork({ config, pool, writer: index.writer, identity, log, signal });
  const work = [
    runChainLoop({
      pool,
      writer: scheduled.writer,
      identity,
      websockets: hasWebsocket ? endpointsAt(ledger.url) : [],
      pollMs: POLL_MS,
      log,
      signal,
      onHistoryRead: scheduled.onHistoryRead,
      wantedSlot: scheduled.wantedSlot,
      takeMissing: scheduled.takeMissing,
    }),
    runHealthLoop({ pool, writer: index.writer, log, signal }),
    scheduled.ended,
  ];
  let advancedTo = performance.now();
  let movedAt = advancedTo;
  let amount = 0n;
  const follow = async (until: number): Promise<void> => {
    while (performance.now() < until) {
      await sleep(SLOT_MS);
      const now = performance.now();
      const slots = Math.floor((now - advancedTo) / SLOT_MS);
      if (slots > 0) ledger.advance(slots * SLOT_MS);
      advancedTo += slots * SLOT_MS;
      if (movementMs === null || now - movedAt < movementMs) continue;
      movedAt += movementMs;
      amount += 1n;
      const { blockhash } = ledger.chain.latestBlockhash();
      ledger.chain.send(depositTransactionBytes(ledgerKeypair('holder-1'), { amount }, blockhash), {
        skipPreflight: false,
      });
    }
  };
  await follow(performance.now() + WARM_UP_MS);
  counting.batches.length = 0;
  await follow(performance.now() + COUNTED_MS);
  const calls = counting.batches.flat();
  controller.abort();
  await Promise.allSettled(work);
  await Promise.all([index.close(), counting.close()]);
  await ledger.close();
  return new Map(
    [...Map.groupBy(calls, ({ method }) => method)].map(([method, made]) => [method, made.length]),
  );
}

export async function benchRestCalls(): Promise<boolean> {
  const time = speedUpTime(TIME_FACTOR);
  let areMet = true;
  for (const mode of MODES) {
    const calls = await countCalls(mode);
    const spent = [...calls].reduce((sum, [method, count]) => sum + count * price(method), 0);
    const perDay = Math.round((spent * DAY_MS) / COUNTED_MS);
    const isMet = mode.limit === null || perDay <= mode.limit;
    areMet &&= isMet;
    const verdict = mode.limit === null ? '' : `; limit ${mode.limit}: ${isMet ? 'met' : 'MISSED'}`;
    console.log(`${mode.name}: ${perDay} credits a day${verdict}`);
    for (const [method, count] of calls)
      console.log(`  ${count} ${method} in ${COUNTED_MS / 60_000} minutes`);
  }
  time.restore();
  return areMet;
}
