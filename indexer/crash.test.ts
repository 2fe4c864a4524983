// @module-tag slow
import { mkdtemp, rm, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ChainEvent } from '../data/store/chain-rows.ts';
import { openIndexReader } from '../data/store/open-stores.ts';
import type { IndexSnapshot } from '../data/store/ports.ts';
import { indexDifferences, indexDigest } from '../data/store/testing/index-digest.ts';
import { LEDGER } from './ledger/addresses.ts';
import { SLOT_MILLISECONDS } from './ledger/chain.ts';
import { seededRandom } from './ledger/seeded-random.ts';
import { createTraffic } from './testing/crash-traffic.ts';
import { type FaultProxy, startFaultProxy } from './testing/fault-proxy.ts';
import { FAULT_KINDS, faultSchedule, randomEpisodes } from './testing/fault-schedule.ts';
import { type LedgerNode, startLedgerNode } from './testing/ledger-cluster.ts';
import { type LedgerRecord, netMovements, recordLedger } from './testing/ledger-record.ts';
import { type IndexerProcess, LEDGER_ADDRESS_ENV, spawnIndexer } from './testing/processes.ts';
import { startTestChain, type TestChain } from './testing/test-chain.ts';

/** Set CRASH_SEED to the printed seed to repeat the same traffic, faults and kills. */
const SEED = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
const KILL_COUNT = Number(process.env.CRASH_KILLS ?? 3);
const TRANSACTION_COUNT = Math.max(120, KILL_COUNT * 10);
const MOMENTS = ['following', 'catching up', 'anytime', 'following'] as const;
const ENDPOINT_COUNT = 2;
const WATCHED_ACCOUNTS = [LEDGER.vault, LEDGER.stakeVault];
const LOCK_AND_A_DAY_MS = 181 * 86_400_000;
/** How much faster than real time the timers run, in a worker that will be killed and in one that has to catch up. */
const TIME_FACTOR = { killed: 10, settling: 4 } as const;
const READY_WAIT_MS = 1_500;
const WRITES_WAIT_MS = 1_000;
const SETTLE_WAIT_MS = 240_000;

let ledger: TestChain;
let record: LedgerRecord;
let healthyNode: LedgerNode;
const nodes: LedgerNode[] = [];
const proxies: FaultProxy[] = [];
const folders: string[] = [];
const workers: IndexerProcess[] = [];
beforeAll(async () => {
  ledger = await startTestChain({ history: true });
  record = recordLedger(ledger.chain);
  healthyNode = await startLedgerNode(() => record);
  for (let endpoint = 0; endpoint < ENDPOINT_COUNT; endpoint += 1) {
    const node = await startLedgerNode(() => record);
    const faults = randomEpisodes(seededRandom(SEED + 2 + endpoint), FAULT_KINDS);
    nodes.push(node);
    proxies.push(await startFaultProxy(node, faultSchedule(faults)));
  }
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
  await Promise.all([...proxies, ...nodes, healthyNode, ledger].map((part) => part.close()));
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

async function createFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'bd-crash-'));
  folders.push(path);
  return path;
}

function start(dataDir: string, urls: readonly string[], timeFactor: number): IndexerProcess {
  const settings = { SOLANA_RPC_URLS: urls.join(','), DATA_DIR: dataDir, INDEXER_POLL_MS: '400' };
  const worker = spawnIndexer({ ...settings, ...LEDGER_ADDRESS_ENV }, [], { timeFactor });
  workers.push(worker);
  return worker;
}

async function waitForWrites(dataDir: string, count: number): Promise<void> {
  const signal = AbortSignal.timeout(WRITES_WAIT_MS);
  let remaining = count;
  try {
    for await (const { filename } of watch(dataDir, { signal })) {
      if (filename === 'index.db-wal') remaining -= 1;
      if (remaining <= 0) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function killAt(
  moment: (typeof MOMENTS)[number] | undefined,
  share: number,
  running: IndexerProcess,
  dataDir: string,
) {
  if (moment === 'catching up') await waitForWrites(dataDir, 1 + Math.floor(share * 10));
  if (moment === 'following') {
    await Promise.race([running.ready, sleep(READY_WAIT_MS)]);
    await waitForWrites(dataDir, 1 + Math.floor(share * 12));
  }
  if (moment === 'anytime') await sleep(share * 1_200);
  return running.end('SIGKILL');
}

async function readSnapshot(dataDir: string): Promise<IndexSnapshot> {
  const reader = await openIndexReader(join(dataDir, 'index.db'));
  const snapshot = await reader.latestSnapshot(1_000_000);
  await reader.close();
  return snapshot;
}

async function waitUntilAllFinal(dataDir: string, count: number): Promise<void> {
  const isFinal = (events: readonly ChainEvent[]) =>
    events.length >= count && events.every(({ status }) => status === 'finalized');
  const areFinal = async () => isFinal((await readSnapshot(dataDir)).recentEvents);
  // Checked only once a second, because each check reads the whole index, and this process also runs the ledger and its nodes.
  await expect.poll(areFinal, { timeout: SETTLE_WAIT_MS, interval: 1_000 }).toBe(true);
}

describe('an indexer that is killed repeatedly, with faulty endpoints', () => {
  it(`misses and duplicates nothing (seed ${SEED})`, { timeout: 600_000 + KILL_COUNT * 5_000 }, async () => {
    console.log(
      `crash test: seed ${SEED}, ${KILL_COUNT} kills; replay with CRASH_SEED=${SEED} CRASH_KILLS=${KILL_COUNT}`,
    );
    const dataDir = await createFolder();
    const urls = proxies.map(({ url }) => url);
    const random = seededRandom(SEED);
    const traffic = createTraffic(ledger.chain, seededRandom(SEED + 1));
    let sent = 0;
    const send = (): void => {
      if (random.next() < 0.4) ledger.advance(random.between(1, 3) * SLOT_MILLISECONDS);
      traffic.send();
      sent += 1;
    };
    for (let kill = 1; kill <= KILL_COUNT; kill += 1) {
      const targetCount = Math.round((TRANSACTION_COUNT * kill) / KILL_COUNT);
      while (sent < targetCount - (TRANSACTION_COUNT / KILL_COUNT) * 0.7) send();
      const running = start(dataDir, urls, TIME_FACTOR.killed);
      let hasBegun = false;
      let isKilled = false;
      void running.ready.then(
        () => {
          hasBegun = true;
        },
        () => {},
      );
      const killing = killAt(MOMENTS[kill % MOMENTS.length], random.next(), running, dataDir).finally(() => {
        isKilled = true;
      });
      while (!isKilled) {
        if (hasBegun && sent < targetCount) send();
        await sleep(random.next() * 30);
      }
      while (sent < targetCount) send();
      // Only the kill may end the worker. An endpoint's faults must not end it.
      const { signal, stderr } = await killing;
      expect(signal, stderr).toBe('SIGKILL');
      if (kill === Math.ceil(KILL_COUNT / 2)) ledger.advance(LOCK_AND_A_DAY_MS);
    }

    ledger.advance(100 * SLOT_MILLISECONDS);
    for (const proxy of proxies) proxy.heal();
    const movements = WATCHED_ACCOUNTS.flatMap((address) =>
      record.movements.filter(({ account }) => account === address),
    );
    // Time passes more slowly in these workers than in the killed ones, because on a busy machine the nodes answer late.
    const [survivor, freshDir] = [start(dataDir, urls, TIME_FACTOR.settling), await createFolder()];
    const fresh = start(freshDir, [healthyNode.url], TIME_FACTOR.settling);
    await Promise.all([survivor.ready, fresh.ready]);
    await Promise.all([
      waitUntilAllFinal(dataDir, movements.length),
      waitUntilAllFinal(freshDir, movements.length),
    ]);

    const { recentEvents } = await readSnapshot(dataDir);
    const events = recentEvents.toReversed();
    const ofAccount = (account: string) => events.filter((event) => event.account === account);
    expect(netMovements(WATCHED_ACCOUNTS.flatMap(ofAccount))).toEqual(movements);

    // Comparing the lists also checks the order of a transaction's events.
    const intended = [...traffic.intentionsBySignature].flatMap(([signature, intentions]) =>
      intentions.map((one) => ({ signature, ...one })),
    );
    const indexedAs = events
      .filter(({ signature }) => traffic.intentionsBySignature.has(signature))
      .map(({ signature, account, kind, wallet, delta }) => ({ signature, account, kind, wallet, delta }));
    const bySignature = (a: { signature: string; account: string }, b: typeof a) =>
      `${a.signature}${a.account}`.localeCompare(`${b.signature}${b.account}`, 'en');
    expect(indexedAs.toSorted(bySignature)).toEqual(intended.toSorted(bySignature));
    expect(sent).toBe(TRANSACTION_COUNT);
    // Stakes and unstakes add up to the pool's total, which does not count tokens sent directly to its vault.
    const stakes = events.filter(({ kind }) => kind === 'stake' || kind === 'unstake');
    const staked = stakes.reduce((sum, { delta }) => sum + delta, 0n);
    // Polled, because the indexer stores the total independently of the events.
    const readTotal = async () => (await readSnapshot(dataDir)).chain?.totalStaked;
    await expect.poll(readTotal, { timeout: SETTLE_WAIT_MS, interval: 200 }).toBe(staked);

    const [file, freshFile] = [join(dataDir, 'index.db'), join(freshDir, 'index.db')];
    const isTheSame = () => indexDigest(file) === indexDigest(freshFile);
    // On a timeout, the comparison below shows the difference.
    await vi.waitUntil(isTheSame, { timeout: SETTLE_WAIT_MS, interval: 200 }).catch(() => {});
    for (const worker of [survivor, fresh]) expect(await worker.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(indexDifferences(file, freshFile)).toEqual([]);
  });
});
