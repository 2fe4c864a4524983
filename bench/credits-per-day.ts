import { pino } from 'pino';
import { runHealthLoop } from '../indexer/health.ts';
import { ledgerKeypair } from '../indexer/ledger/addresses.ts';
import { depositTransactionBytes } from '../indexer/ledger/transactions.ts';
import { createEndpointPool } from '../indexer/rpc/endpoint-pool.ts';
import { createCreditLookup } from '../indexer/rpc/providers.ts';
import { startScheduledWork } from '../indexer/scheduled/scheduled-work.ts';
import { runChainLoop } from '../indexer/sync/chain-loop.ts';
import { endpointsAt, proxyTo, startFakeServer } from '../indexer/testing/fake-server.ts';
import { speedUpTime } from '../indexer/testing/fast-time.ts';
import { neverExceedsSlotRate, openTestIndex, startTestChain } from '../indexer/testing/test-chain.ts';

// Counts the RPC credits that it takes to follow the chain, with and without movements, and with and without a websocket.

/** How much faster than real time the benchmark's clock runs. */
const TIME_FACTOR = 12;
const POLL_MS = 1_500;
const SLOT_MS = 400;
/** How long the indexer runs before its calls are counted, and how long they are counted: ms on the faster clock. */
const WARM_UP_MS = 60_000;
const COUNTING_MS = 900_000;
const MOVEMENT_INTERVAL_MS = 5_000;
const DAY_MS = 86_400_000;
const price = createCreditLookup('https://mainnet.helius-rpc.com');

interface Mode {
  readonly name: string;
  readonly hasWebsocket: boolean;
  readonly movementIntervalMs: number | null;
  /** Maximum credits a day; null if there is no limit. */
  readonly maxCreditsPerDay: number | null;
}

const MODES: readonly Mode[] = [
  { name: 'at rest, polling', hasWebsocket: false, movementIntervalMs: null, maxCreditsPerDay: 100_000 },
  {
    name: 'at rest, with a websocket',
    hasWebsocket: true,
    movementIntervalMs: null,
    maxCreditsPerDay: 30_000,
  },
  {
    name: 'a deposit every 5 s, polling',
    hasWebsocket: false,
    movementIntervalMs: MOVEMENT_INTERVAL_MS,
    maxCreditsPerDay: null,
  },
  {
    name: 'a deposit every 5 s, with a websocket',
    hasWebsocket: true,
    movementIntervalMs: MOVEMENT_INTERVAL_MS,
    maxCreditsPerDay: null,
  },
];

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

async function countCalls({ hasWebsocket, movementIntervalMs }: Mode): Promise<ReadonlyMap<string, number>> {
  const ledger = await startTestChain({ history: true });
  const countingProxy = await startFakeServer(proxyTo(ledger.url));
  const index = await openTestIndex(ledger.identity);
  const pool = createEndpointPool({
    endpoints: endpointsAt(countingProxy.url),
    exceedsSlotRate: neverExceedsSlotRate,
  });
  const controller = new AbortController();
  const { signal } = controller;
  const log = pino({ level: 'silent' });
  const { identity } = ledger;
  const config = {
    solana: { kind: 'cluster', rpcUrls: [countingProxy.url] },
    market: { feeds: ['jupiter'], baseUrl: null },
  } as const;
  const scheduled = startScheduledWork({ config, pool, writer: index.writer, identity, log, signal });
  const work = [
    runChainLoop({
      pool,
      writer: scheduled.writer,
      identity,
      websocketEndpoints: hasWebsocket ? endpointsAt(ledger.url) : [],
      pollMs: POLL_MS,
      log,
      signal,
      onHistoryRead: scheduled.onHistoryRead,
      wantedSlot: scheduled.wantedSlot,
      takeUnexplainedFigures: scheduled.takeUnexplainedFigures,
    }),
    runHealthLoop({ pool, writer: index.writer, log, signal }),
    scheduled.ended,
  ];
  let advancedTo = performance.now();
  let movedAt = advancedTo;
  let amount = 0n;
  const runLedger = async (until: number): Promise<void> => {
    while (performance.now() < until) {
      await sleep(SLOT_MS);
      const now = performance.now();
      const slots = Math.floor((now - advancedTo) / SLOT_MS);
      if (slots > 0) ledger.advance(slots * SLOT_MS);
      advancedTo += slots * SLOT_MS;
      if (movementIntervalMs === null || now - movedAt < movementIntervalMs) continue;
      movedAt += movementIntervalMs;
      amount += 1n;
      const { blockhash } = ledger.chain.latestBlockhash();
      ledger.chain.send(depositTransactionBytes(ledgerKeypair('holder-1'), { amount }, blockhash), {
        skipPreflight: false,
      });
    }
  };
  await runLedger(performance.now() + WARM_UP_MS);
  countingProxy.batches.length = 0;
  await runLedger(performance.now() + COUNTING_MS);
  const calls = countingProxy.batches.flat();
  controller.abort();
  await Promise.allSettled(work);
  await Promise.all([index.close(), countingProxy.close()]);
  await ledger.close();
  return new Map(
    [...Map.groupBy(calls, ({ method }) => method)].map(([method, made]) => [method, made.length]),
  );
}

export async function benchCreditsPerDay(): Promise<boolean> {
  const time = speedUpTime(TIME_FACTOR);
  let areMet = true;
  for (const mode of MODES) {
    const calls = await countCalls(mode);
    const spent = [...calls].reduce((sum, [method, count]) => sum + count * price(method), 0);
    const perDay = Math.round((spent * DAY_MS) / COUNTING_MS);
    const isMet = mode.maxCreditsPerDay === null || perDay <= mode.maxCreditsPerDay;
    areMet &&= isMet;
    const verdict =
      mode.maxCreditsPerDay === null ? '' : `; limit ${mode.maxCreditsPerDay}: ${isMet ? 'met' : 'MISSED'}`;
    console.log(`${mode.name}: ${perDay} credits a day${verdict}`);
    for (const [method, count] of calls)
      console.log(`  ${count} ${method} in ${COUNTING_MS / 60_000} minutes`);
  }
  time.restore();
  return areMet;
}
