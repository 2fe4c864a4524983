// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AuthorityType, createApproveInstruction, createSetAuthorityInstruction } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as PATHS from '../../data/contract/paths.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { CHILD_ENV, programFile } from '../../data/runtime/testing/child-programs.ts';
import { openIndexReader, openIndexWriter } from '../../data/store/open-stores.ts';
import { LEDGER, ledgerKeypair } from '../ledger/addresses.ts';
import type { LedgerChain } from '../ledger/chain.ts';
import { openChain } from '../ledger/open-chain.ts';
import { type RpcServer, startRpcServer } from '../ledger/rpc/server.ts';
import { seededRandom } from '../ledger/seeded-random.ts';
import { acceptedTransaction, newLedgerFile, sendInstructions } from '../ledger/testing/test-ledger.ts';
import { createTraffic } from '../testing/crash-traffic.ts';
import { type ApiProcess, type IndexerProcess, spawnIndexer, startApi } from '../testing/processes.ts';
import { openChainReader } from './chain-reading.ts';
import { openPortal } from './read-api.ts';

const SLOT_MS = 400;
const FINALIZATION_SLOTS = 40;
const TRANSACTIONS = 80;
const POLL = { interval: 300 };
const CHART_RANGES = ['24h', '7d', '30d', 'all'];

let dataDir: string;
let chain: LedgerChain;
let server: RpcServer;
let worker: IndexerProcess;
let api: ApiProcess;
let env: Readonly<Record<string, string>>;
let now = Date.now() - (TRANSACTIONS + FINALIZATION_SLOTS) * SLOT_MS;

/** Changes the vault in ways that do not show in its balance. */
function raiseAlarms(): void {
  const owner = ledgerKeypair('vault-owner');
  const [vault, other] = [new PublicKey(LEDGER.vault), ledgerKeypair('holder-1').publicKey];
  const approved = createApproveInstruction(vault, other, owner.publicKey, 1n);
  const closable = createSetAuthorityInstruction(vault, owner.publicKey, AuthorityType.CloseAccount, other);
  acceptedTransaction(sendInstructions(chain, [owner], [approved, closable]));
}

/** Starts the ledger, the indexer and the API. After that, the chain advances only when a test changes `now`. */
beforeAll(async () => {
  chain = openChain({ file: newLedgerFile(true), now: () => now });
  const traffic = createTraffic(chain, seededRandom(7));
  for (let sent = 0; sent < TRANSACTIONS; sent += 1) {
    traffic.send();
    now += SLOT_MS;
  }
  raiseAlarms();
  now += FINALIZATION_SLOTS * SLOT_MS;
  server = await startRpcServer(chain, 0);
  dataDir = await mkdtemp(join(tmpdir(), 'bd-verify-'));
  const addresses = { BD_MINT: LEDGER.mint, BD_VAULT: LEDGER.vault, BD_STAKE_POOL: LEDGER.stakePool };
  env = { SOLANA_RPC_URLS: server.url, DATA_DIR: dataDir, ...addresses };
  worker = spawnIndexer(env);
  await worker.ready;
  api = await startApi(env);
});
afterAll(async () => {
  await worker.end('SIGKILL');
  await api.end();
  await server.close();
  chain.close();
  await rm(dataDir, { recursive: true });
});

async function runVerify(
  ...args: readonly string[]
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [programFile('indexer/verify/main.ts'), ...args], {
    env: { ...CHILD_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, out, err };
}

const parseVerdicts = (out: string): ReadonlyMap<string, string> =>
  new Map(
    out
      .split('\n')
      .map((line) => /^ {2}(\S.*?) {2,}(agree|differs|not comparable)/.exec(line))
      .flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? ''] as const] : [])),
  );

describe('verify on the whole portal', () => {
  it('finds that every public figure agrees with the chain', async () => {
    const summary = async () => (await fetch(`${api.url}/api/staking/program-summary`)).text();
    await expect.poll(summary, POLL).toContain('"alarms":[{');
    // The portal reconciles once the history is finalized up to the slot of its accounts.
    now += FINALIZATION_SLOTS * SLOT_MS;
    await expect.poll(summary, POLL).toContain('"state":"agree"');
    const { code, out, err } = await runVerify('--api', api.url);
    const found = parseVerdicts(out);
    expect(
      [...found].filter(([, verdict]) => verdict !== 'agree'),
      out,
    ).toEqual([]);
    expect(found.size).toBeGreaterThan(70);
    expect(out).toMatch(/newest 100 alarms +agree +4 rows/);
    expect(out).toMatch(/chart of stakers, all: earlier points +agree +\d\d+ rows/);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('detects a falsified index, and shows both values', { timeout: 300_000 }, async () => {
    await worker.end('SIGTERM');
    const file = join(dataDir, 'index.db');
    const reader = await openIndexReader(file);
    const { chain: stored, holders, recentEvents, identity } = await reader.latestSnapshot(1);
    const { entries } = await reader.stakes(0);
    await reader.close();
    const stakers = await fetch(`${api.url}/api/stakers/enhanced`);
    const [largest] = (await stakers.json()) as { readonly walletAddress: string }[];
    const [newest] = recentEvents;
    if (!stored || !holders || !identity || !newest || !largest) throw new Error('the index is empty');
    const writer = await openIndexWriter(file);
    await writer.claim(identity);
    await writer.commitSnapshot({
      ...stored,
      readAt: Date.now(),
      vaultBalance: (stored.vaultBalance ?? 0n) + 1n,
      entries: entries.map((entry) => ({ ...entry, unlocksAt: entry.unlocksAt - 86_400_000 })),
    });
    await writer.commitHolders({ ...holders, slot: stored.slot, wallets: holders.wallets + 1 });
    const { account, slot } = newest;
    const signature = newest.signature.replace(/.$/, (last) => (last === '2' ? '3' : '2'));
    const made = {
      ...newest,
      signature,
      position: newest.position + 1,
      delta: 5n,
      wallet: largest.walletAddress,
      status: 'finalized' as const,
    };
    await writer.commitEvents({
      account,
      events: [made],
      cursor: { account, slot, signature },
      caughtUpAt: Date.now(),
    });
    await writer.close();

    const [reported, held] = [(stored.vaultBalance ?? 0n) + 1n, stored.vaultBalance ?? 0n].map((units) =>
      toDecimalText(units, identity.decimals),
    );
    // The portal serves each answer from its cache for a few seconds.
    const answer = async (path: string) => (await fetch(`${api.url}${path}`)).text();
    await expect.poll(() => answer(PATHS.transactions), POLL).toContain(signature);
    for (const range of CHART_RANGES) {
      const path = `${PATHS.history}?series=vault&range=${range}`;
      await expect.poll(() => answer(path), POLL).toContain(`"value":"${reported}"`);
    }

    const { code, out } = await runVerify('--api', api.url);
    const lies = [...parseVerdicts(out)]
      .filter(([, verdict]) => verdict === 'differs')
      .map(([figure]) => figure);
    expect(code, out).toBe(1);
    expect(lies).toEqual(
      expect.arrayContaining([
        'vault balance',
        'deployed',
        'wallets holding',
        'reduced supply',
        'staking transfers: amount, start, unlock',
        'stakers: amount, entries, tier, card, start, unlock',
        'newest 50 transactions',
        'newest transactions of a wallet that stakes',
        'position of a wallet that stakes',
        'vault balance (metrics)',
        ...CHART_RANGES.map((range) => `chart of vault, ${range}: last point`),
      ]),
    );
    expect(lies).not.toContain('staked');
    expect(out).toContain(`portal: ${reported} | chain: ${held}`);
  });

  it('exits with 75 and names the endpoint, without its key, if the chain cannot be read', async () => {
    const { code, err } = await runVerify('--api', api.url, '--rpc', 'http://127.0.0.1:1/a-key');
    expect(err).toMatch(/The chain cannot be read at 127\.0\.0\.1:1\./);
    expect(err).not.toMatch(/a-key| {4}at /);
    expect(code).toBe(75);
  });

  it('names what cannot be read if a URL is wrong: the portal or the chain', async () => {
    const readPortal = (url: string) => openPortal(url, async () => {}).read([PATHS.transactions]);
    await expect(readPortal('http://127.0.0.1:1')).rejects.toThrow(
      /The portal at 127\.0\.0\.1:1 does not answer.*--api/,
    );
    await expect(readPortal(server.url)).rejects.toThrow(/does not answer .* as the portal does/);
    const { mint, vault, stakePool } = LEDGER;
    const readChain = openChainReader(api.url, { mint, vault, stakePool }).read([]);
    await expect(readChain).rejects.toThrow(/The chain cannot be read at/);
  });
});
