import { mkdtemp, rm, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainEvent } from '../data/store/ports.ts';
import { openIndexReader } from '../data/store/sqlite/index-reader.ts';
import { LEDGER } from './ledger/addresses.ts';
import { SLOT_MILLISECONDS } from './ledger/chain.ts';
import { type SeededRandom, seededRandom } from './ledger/seeded-random.ts';
import { createTraffic } from './testing/crash-traffic.ts';
import { startTestChain, type TestChain } from './testing/test-chain.ts';
import { startWorker, type WorkerProcess } from './testing/worker-process.ts';

/** Another run of the same traffic and kills: CRASH_SEED=<the seed printed>. */
const SEED = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
const KILLS = Number(process.env.CRASH_KILLS ?? 20);
const TRANSACTIONS = 500;
const WATCHED = [LEDGER.vault, LEDGER.stakeVault];
const LOCK_AND_A_DAY_MS = 181 * 86_400_000;

let ledger: TestChain;
let dataDir: string;
let worker: WorkerProcess | undefined;
beforeAll(async () => {
  ledger = await startTestChain({ history: true });
  dataDir = await mkdtemp(join(tmpdir(), 'bd-crash-'));
});
afterAll(async () => {
  await worker?.end('SIGKILL');
  await ledger.close();
  await rm(dataDir, { recursive: true });
});

function start(): WorkerProcess {
  worker = startWorker({
    SOLANA_RPC_URLS: ledger.url,
    DATA_DIR: dataDir,
    BD_MINT: LEDGER.mint,
    BD_VAULT: LEDGER.vault,
    BD_STAKE_POOL: LEDGER.stakePool,
    INDEXER_POLL_MS: '100',
  });
  return worker;
}

async function rpc<T>(method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch(ledger.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const body = (await response.json()) as { result: T };
  return body.result;
}

interface Listed {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
}
interface TokenBalance {
  readonly accountIndex: number;
  readonly uiTokenAmount: { readonly amount: string };
}
interface Told {
  readonly blockTime: number;
  readonly meta: { readonly preTokenBalances: TokenBalance[]; readonly postTokenBalances: TokenBalance[] };
  readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
}

/**
 * The movements of an account as the ledger itself tells them, oldest first. Shares no code with the indexer.
 */
async function movementsToldByLedger(account: string) {
  const listed: Listed[] = [];
  for (;;) {
    const before = listed.at(-1)?.signature;
    const page = await rpc<Listed[]>('getSignaturesForAddress', account, {
      limit: 1_000,
      ...(before && { before }),
    });
    if (page.length === 0) break;
    listed.push(...page);
  }
  listed.reverse();
  const movements = [];
  for (const [index, { signature, slot, err }] of listed.entries()) {
    if (err !== null) continue;
    const told = await rpc<Told>('getTransaction', signature, { encoding: 'json' });
    const at = told.transaction.message.accountKeys.indexOf(account);
    const held = (side: TokenBalance[]) =>
      BigInt(side.find((one) => one.accountIndex === at)?.uiTokenAmount.amount ?? 0);
    const delta = held(told.meta.postTokenBalances) - held(told.meta.preTokenBalances);
    if (delta === 0n) continue;
    const position = listed.slice(0, index).filter((earlier) => earlier.slot === slot).length;
    movements.push({ account, signature, slot, position, delta, blockTime: told.blockTime * 1_000 });
  }
  return movements;
}

/** Waits until the index was written to a number of times, or a moment has passed without. */
async function writes(count: number): Promise<void> {
  const signal = AbortSignal.timeout(3_000);
  let left = count;
  try {
    for await (const { filename } of watch(dataDir, { signal })) {
      if (filename === 'index.db-wal') left -= 1;
      if (left <= 0) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * Kills the worker without warning: right after one of its first writes, when it works off what it missed;
 * after one of those that follow; or at any moment.
 */
async function killSometime(random: SeededRandom, running: WorkerProcess): Promise<void> {
  const moment = random.pick(['catching up', 'following', 'following', 'anytime'] as const);
  const share = random.next();
  if (moment === 'catching up') await writes(1 + Math.floor(share * 10));
  if (moment === 'following') {
    await running.ready;
    await writes(1 + Math.floor(share * 12));
  }
  if (moment === 'anytime') await sleep(share * 1_200);
  await running.end('SIGKILL');
}

async function indexedEvents(): Promise<readonly ChainEvent[]> {
  const reader = openIndexReader(join(dataDir, 'index.db'));
  const { recentEvents } = await reader.latestSnapshot(1_000_000);
  await reader.close();
  return recentEvents.toReversed();
}

describe('an indexer that is killed again and again', () => {
  it(`misses nothing and doubles nothing (seed ${SEED})`, { timeout: 120_000 }, async () => {
    console.log(`crash test: seed ${SEED}, ${KILLS} kills; replay with CRASH_SEED=${SEED}`);
    const random = seededRandom(SEED);
    const traffic = createTraffic(ledger.chain, seededRandom(SEED + 1));
    let sent = 0;
    const send = (): void => {
      // Several in one slot, then some slots apart.
      if (random.next() < 0.4) ledger.advance(random.between(1, 3) * SLOT_MILLISECONDS);
      traffic.send();
      sent += 1;
    };
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const share = Math.round((TRANSACTIONS * kill) / KILLS);
      while (sent < share - (TRANSACTIONS / KILLS) * 0.7) send();
      const running = start();
      let hasBegun = false;
      let isKilled = false;
      void running.ready.then(
        () => {
          hasBegun = true;
        },
        () => {},
      );
      const killing = killSometime(random, running).finally(() => {
        isKilled = true;
      });
      while (!isKilled) {
        if (hasBegun && sent < share) send();
        await sleep(random.next() * 30);
      }
      while (sent < share) send();
      await killing;
      if (kill === Math.ceil(KILLS / 2)) ledger.advance(LOCK_AND_A_DAY_MS);
    }

    ledger.advance(100 * SLOT_MILLISECONDS);
    const told = (await Promise.all(WATCHED.map(movementsToldByLedger))).flat();
    const survivor = start();
    await survivor.ready;
    const isFinal = (events: readonly ChainEvent[]) =>
      events.length >= told.length && events.every(({ status }) => status === 'finalized');
    await expect
      .poll(async () => isFinal(await indexedEvents()), { timeout: 20_000, interval: 200 })
      .toBe(true);
    expect(await survivor.end('SIGTERM')).toMatchObject({ code: 0 });

    const events = await indexedEvents();
    const ofAccount = (account: string) => events.filter((event) => event.account === account);
    const indexed = WATCHED.flatMap(ofAccount).map(
      ({ account, signature, slot, position, delta, blockTime }) => ({
        account,
        signature,
        slot,
        position,
        delta,
        blockTime,
      }),
    );
    expect(indexed).toEqual(told);

    // And each is what its sender meant it to be.
    const meant = [...traffic.intended].flatMap(([signature, movements]) =>
      movements.map((one) => ({ signature, ...one })),
    );
    const understood = events
      .filter(({ signature }) => traffic.intended.has(signature))
      .map(({ signature, account, kind, wallet, delta }) => ({ signature, account, kind, wallet, delta }));
    const bySignature = (a: { signature: string; account: string }, b: typeof a) =>
      `${a.signature}${a.account}` < `${b.signature}${b.account}` ? -1 : 1;
    expect(understood.toSorted(bySignature)).toEqual(meant.toSorted(bySignature));
    expect(sent).toBe(TRANSACTIONS);
  });
});
