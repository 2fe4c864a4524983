import { pino } from 'pino';
import type { IndexReader, IndexWriter } from '../../data/store/ports.ts';
import { indexDifferences, indexDigest } from '../../data/store/testing/index-digest.ts';
import { SLOT_MILLISECONDS } from '../ledger/chain.ts';
import { seededRandom } from '../ledger/seeded-random.ts';
import { createEndpointPool } from '../rpc/endpoint-pool.ts';
import { type LoopSizes, runChainLoop } from '../sync/chain-loop.ts';
import { createTraffic, type Traffic } from './crash-traffic.ts';
import { endpointsAt } from './fake-server.ts';
import type { RealTime } from './fast-time.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type Episode, faultSchedule } from './fault-schedule.ts';
import { watchFigures } from './figure-watcher.ts';
import { type ForkingLedger, type LedgerNode, openForkingLedger, startLedgerNode } from './ledger-cluster.ts';
import { identityOf, neverExceedsSlotRate, openTestIndex, type TestIndex } from './test-chain.ts';

/** A chain's transactions and the faults of its endpoints. The same scenario always produces the same chain and faults. */
export interface Scenario {
  /** Determines the transactions. */
  readonly seed: number;
  readonly pastTransactionCount: number;
  readonly endpoints: readonly (readonly Episode[])[];
  readonly steps: readonly {
    readonly transactions: number;
    readonly slots: number;
    /** The number of requests to wait for at the beginning of the step. */
    readonly requests: number;
  }[];
  /** A fork that begins with the step `from` and lasts for `steps` steps. */
  readonly fork: { readonly from: number; readonly steps: number } | null;
  /** The step at which the locks of earlier stakes have ended. */
  readonly lockEndStep: number | null;
  readonly sizes: Omit<LoopSizes, 'budgetMs'>;
}

/** Empty lists mean success. */
export interface Outcome {
  /** Rows in which the index differs from a fresh index of the same chain. */
  readonly differences: readonly { readonly onlyIn: string; readonly row: string }[];
  /** Values that a reader saw but that were never true. */
  readonly wrongFigures: readonly string[];
  readonly wrongPastBalances: readonly string[];
  readonly checkCount: number;
  readonly faultCounts: ReadonlyMap<string, number>;
}

const LOCK_AND_A_DAY_MS = 181 * 86_400_000;
const SLOTS_TO_SETTLE = 100;
const POLL_MS = 400;
const TIMEOUT_MS = 4_000;
/** This timeout is long, because even a node without faults may be slow on a busy machine. */
const HEALTHY_TIMEOUT_MS = 100_000;
/** How long to wait for requests, and for an index to become complete (real milliseconds). */
const REQUESTS_WAIT_MS = 150;
const CONVERGE_WAIT_MS = 60_000;

/** Set FAULT_LOG=debug to see the indexer's log. */
const log = pino({ level: process.env.FAULT_LOG ?? 'silent' }, pino.destination(2));

/** Indexes a scenario's chain with faults while the chain advances, then again without faults, and compares the two indexes. */
export async function runScenario(scenario: Scenario, real: RealTime): Promise<Outcome> {
  const random = seededRandom(scenario.seed);
  const ledger = openForkingLedger(random, { forks: scenario.fork !== null });
  const traffic = createTraffic(ledger.chainToSendTo, random);
  const send = (): void => {
    if (random.next() < 0.4) ledger.advance(random.between(1, 3) * SLOT_MILLISECONDS);
    traffic.send();
  };
  for (let sent = 0; sent < scenario.pastTransactionCount; sent += 1) send();

  const nodes: LedgerNode[] = [];
  const proxies: FaultProxy[] = [];
  for (const episodes of scenario.endpoints) {
    const node = await startLedgerNode(() => ledger.current());
    nodes.push(node);
    proxies.push(await startFaultProxy(node, faultSchedule(episodes)));
  }
  const healthyNode = await startLedgerNode(() => ledger.main);
  const identity = identityOf(ledger.main.chain);
  const [faulty, fresh] = [await openTestIndex(identity), await openTestIndex(identity)];
  const ledgers = ledger.fork ? [ledger.main, ledger.fork] : [ledger.main];
  const figures = watchFigures(faulty.reader, ledgers);
  const controller = new AbortController();
  let indexing = Promise.resolve();
  try {
    const commits = createCounter();
    indexing = runIndexer(
      observeWriter(faulty.writer, async () => {
        await figures.check();
        commits.notify();
      }),
      proxies.map(({ url }) => url),
      { scenario, identity, signal: controller.signal, timeoutMs: TIMEOUT_MS },
    );
    // A failure is handled where `indexing` is awaited.
    indexing.catch(() => commits.notify());
    const requests = createCounter();
    for (const proxy of proxies) proxy.onRequest(requests.notify);
    await playSteps(scenario, ledger, traffic, (count) =>
      requests.waitForEvents(count, REQUESTS_WAIT_MS, real),
    );
    for (const proxy of proxies) proxy.heal();
    ledger.advance(SLOTS_TO_SETTLE * SLOT_MILLISECONDS);

    await indexAfresh(fresh, healthyNode.url, ledger, real, scenario);
    const expected = indexDigest(fresh.file);
    const deadline = real.now() + CONVERGE_WAIT_MS;
    while (indexDigest(faulty.file) !== expected && real.now() < deadline) {
      await commits.waitForEvents(1, REQUESTS_WAIT_MS, real);
    }
    controller.abort();
    await indexing;
    return {
      differences: indexDifferences(faulty.file, fresh.file).map(({ onlyIn, row }) => ({
        onlyIn: onlyIn === fresh.file ? 'fresh index' : 'index under faults',
        row,
      })),
      wrongFigures: [...figures.wrong],
      wrongPastBalances: [...figures.wrongPast],
      checkCount: figures.checkCount,
      faultCounts: totalFaultCounts(proxies),
    };
  } finally {
    controller.abort();
    await indexing.catch(() => {});
    await Promise.all([...proxies, ...nodes, healthyNode, faulty, fresh].map((part) => part.close()));
    ledger.close();
  }
}

/** Advances the chain in steps. Each step first waits for a number of requests from the indexer. */
async function playSteps(
  { steps, fork, lockEndStep }: Scenario,
  ledger: ForkingLedger,
  traffic: Traffic,
  waitForRequests: (count: number) => Promise<void>,
): Promise<void> {
  const forkEnd = fork ? fork.from + fork.steps : -1;
  for (const [index, step] of steps.entries()) {
    await waitForRequests(step.requests);
    if (index === lockEndStep) ledger.advance(LOCK_AND_A_DAY_MS);
    if (index === fork?.from) ledger.beginFork();
    if (index === forkEnd) ledger.dropFork();
    for (let sent = 0; sent < step.transactions; sent += 1) traffic.send();
    ledger.advance(step.slots * SLOT_MILLISECONDS);
  }
  ledger.dropFork();
}

function runIndexer(
  writer: IndexWriter,
  urls: readonly string[],
  options: {
    readonly scenario: Scenario;
    readonly identity: TestIndex['identity'];
    readonly signal: AbortSignal;
    readonly timeoutMs: number;
  },
): Promise<void> {
  const { scenario, identity, signal, timeoutMs } = options;
  const pool = createEndpointPool({
    endpoints: endpointsAt(...urls),
    timeoutMs,
    exceedsSlotRate: neverExceedsSlotRate,
  });
  pool.pinChain(identity.genesisHash);
  const { sizes } = scenario;
  return runChainLoop({ pool, writer, identity, pollMs: POLL_MS, log, signal, sizes });
}

async function indexAfresh(
  index: TestIndex,
  url: string,
  ledger: ForkingLedger,
  real: RealTime,
  scenario: Scenario,
): Promise<void> {
  const { chain, movements } = ledger.main;
  const controller = new AbortController();
  const commits = createCounter();
  const writer = observeWriter(index.writer, async () => commits.notify());
  const { identity } = index;
  const { signal } = controller;
  const indexing = runIndexer(writer, [url], { scenario, identity, signal, timeoutMs: HEALTHY_TIMEOUT_MS });
  indexing.catch(() => commits.notify());
  const deadline = real.now() + CONVERGE_WAIT_MS;
  try {
    while (!(await isComplete(index.reader, chain.clock().slot - 1, movements.length))) {
      if (real.now() > deadline) throw new Error('a fresh index is still incomplete');
      await commits.waitForEvents(1, REQUESTS_WAIT_MS, real);
    }
  } finally {
    controller.abort();
    await indexing;
  }
}

async function isComplete(reader: IndexReader, slot: number, movements: number): Promise<boolean> {
  const { chain, recentEvents, isHistoryCaughtUp } = await reader.latestSnapshot(movements + 1);
  return (
    chain?.slot === slot &&
    isHistoryCaughtUp &&
    recentEvents.length >= movements &&
    recentEvents.every(({ status }) => status === 'finalized')
  );
}

function observeWriter(writer: IndexWriter, onCallDone: () => Promise<void>): IndexWriter {
  return new Proxy(writer, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        const result: unknown = await Reflect.apply(member, target, args);
        await onCallDone();
        return result;
      };
    },
  });
}

function createCounter() {
  let eventCount = 0;
  let wake = () => {};
  return {
    notify(): void {
      eventCount += 1;
      wake();
    },
    async waitForEvents(count: number, maxMs: number, real: RealTime): Promise<void> {
      const targetCount = eventCount + count;
      const deadline = real.now() + maxMs;
      while (eventCount < targetCount && real.now() < deadline) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          real.setTimeout(resolve, Math.max(1, deadline - real.now()));
        });
      }
    },
  };
}

function totalFaultCounts(proxies: readonly FaultProxy[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { faultCounts } of proxies)
    for (const [kind, count] of faultCounts) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return sums;
}
