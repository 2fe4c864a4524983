// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { CHILD_ENV, programFile } from '../data/runtime/testing/child-programs.ts';
import {
  type ApiProcess,
  type IndexerProcess,
  type IndexerProcessOptions,
  spawnIndexer,
  startApi,
  TEST_PRELOAD,
} from './testing/processes.ts';
import { type Ask, expectedFigures, pick, publishedFigures } from './testing/scenario-figures.ts';
import { type ScriptedCluster, scriptedCluster } from './testing/scripted-cluster.ts';
import {
  type EndpointTraits,
  type ScriptedEndpoint,
  startScriptedEndpoint,
} from './testing/scripted-endpoint.ts';

/*
 * Runs the indexer and the API as processes on a simulated cluster that shares no code with the portal. Each list and number
 * that the API serves is compared with the cluster's own record of its transactions.
 */

const SETTLE = { timeout: 60_000, interval: 300 };
vi.setConfig({ testTimeout: 300_000 });
const MILLION_BD = 1_000_000_000_000n;
const REFUSAL = { code: -32601, message: 'Method not found' };
const HOUR_MS = 3_600_000;

const endpoints: ScriptedEndpoint[] = [];
const workers: IndexerProcess[] = [];
const apis: ApiProcess[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL')));
  await Promise.all(apis.splice(0).map((api) => api.end()));
  await Promise.all(endpoints.splice(0).map((endpoint) => endpoint.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

async function startEndpoint(
  cluster: ScriptedCluster,
  traits: EndpointTraits = {},
): Promise<ScriptedEndpoint> {
  const started = await startScriptedEndpoint(cluster, traits);
  endpoints.push(started);
  return started;
}

type Settings = Readonly<Record<string, string>>;

async function settingsOf(cluster: ScriptedCluster, ...urls: readonly string[]): Promise<Settings> {
  const folder = await mkdtemp(join(tmpdir(), 'bd-scenario-'));
  folders.push(folder);
  const addresses = { BD_MINT: cluster.mint, BD_VAULT: cluster.vault, BD_STAKE_POOL: cluster.pool };
  const settings = { SOLANA_RPC_URLS: urls.join(','), DATA_DIR: folder, INDEXER_POLL_MS: '400' };
  return { ...settings, RATE_LIMITS: 'calls=100000', ...addresses };
}

/** Speeds up time, so that retries come sooner. */
const FAST = { timeFactor: 10 };

function startIndexer(settings: Settings, options: IndexerProcessOptions = {}): IndexerProcess {
  const worker = spawnIndexer(settings, [], options);
  workers.push(worker);
  return worker;
}

async function startPortal(
  cluster: ScriptedCluster,
  usedEndpoints: readonly ScriptedEndpoint[],
  options: IndexerProcessOptions = {},
) {
  const settings = await settingsOf(cluster, ...usedEndpoints.map(({ url }) => url));
  const worker = startIndexer(settings, options);
  await worker.ready;
  const api = await startApi(settings);
  apis.push(api);
  const ask: Ask = async (path) => {
    const response = await fetch(`${api.url}${path}`);
    return { status: response.status, body: (await response.json()) as never };
  };
  return { ask, worker, settings, url: api.url };
}

async function startPublishedPortal(cluster: ScriptedCluster, traits: EndpointTraits = {}) {
  const only = await startEndpoint(cluster, traits);
  const portal = await startPortal(cluster, [only]);
  await expectAllPublished(portal.ask, cluster);
  return { ...portal, only };
}

async function expectAllPublished(ask: Ask, cluster: ScriptedCluster): Promise<void> {
  await expect.poll(() => publishedFigures(ask, cluster), SETTLE).toEqual(expectedFigures(cluster));
}

const namesOf = (list: readonly { what: string }[]) => list.map(({ what }) => what);
async function readiness(ask: Ask) {
  const { body } = await ask('/readyz');
  const { missing, warnings } = body as Record<
    'missing' | 'warnings',
    readonly { what: string; why: string }[]
  >;
  return {
    missing: namesOf(missing),
    warnings: namesOf(warnings),
    reasons: missing.map(({ why }) => why).join(' '),
  };
}
interface Health {
  readonly clockDifferenceSeconds: number | null;
  readonly stakesProblem: string | null;
  readonly vaultProblem: string | null;
  readonly unreadStakeEntries: number;
  readonly endpoints: readonly { state: string; slotLag: number; lastError: string | null }[];
}
const healthOf = async (ask: Ask): Promise<Health> => (await ask('/api/network/health')).body;

/** A cluster with some stakes, deposits and withdrawals from an hour ago. */
function clusterWithHistory(name: string, options?: Parameters<typeof scriptedCluster>[1]): ScriptedCluster {
  const cluster = scriptedCluster(name, options);
  for (const wallet of ['alice', 'bob', 'carol']) cluster.mintTo(wallet, 50n * MILLION_BD);
  cluster.send([{ do: 'transfer', from: 'alice', to: 'vault', amount: 9n * MILLION_BD }]);
  cluster.nextSlot(3);
  cluster.send([{ do: 'stake', wallet: 'alice', amount: 6n * MILLION_BD }]);
  cluster.send([{ do: 'stake', wallet: 'bob', amount: 2n * MILLION_BD + 1n }]);
  cluster.nextSlot(40);
  cluster.send([{ do: 'transfer', from: 'vault', to: 'carol', amount: MILLION_BD / 3n }]);
  cluster.send([{ do: 'unstake', wallet: 'bob', nonce: 0 }]);
  cluster.nextSlot(10);
  return cluster;
}

/** Like `clusterWithHistory`, but transactions that are sent later are in the current slot. */
function liveCluster(...args: Parameters<typeof clusterWithHistory>): ScriptedCluster {
  const cluster = clusterWithHistory(...args);
  cluster.goLive();
  return cluster;
}

async function verificationDifferences(portal: { readonly settings: Settings; readonly url: string }) {
  const args = ['--import', TEST_PRELOAD, programFile('indexer/verify/main.ts'), '--api', portal.url];
  const env = { ...CHILD_ENV, ...portal.settings, TEST_TIME_FACTOR: '10' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [out] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return out.split('\n').filter((line) => /^ {2}\S.* {2,}differs /.test(line));
}

describe('the transactions of a real cluster', () => {
  it('are all published, including all versions, longer entries, and payments staked in the same transaction', async () => {
    const cluster = clusterWithHistory('versions');
    for (const version of ['legacy', 0, 1] as const) {
      cluster.send([{ do: 'transfer', from: 'bob', to: 'vault', amount: 3n * MILLION_BD }], { version });
      cluster.send([{ do: 'stake', wallet: 'carol', amount: MILLION_BD, reserved: version === 1 ? 74 : 0 }], {
        version,
      });
      cluster.nextSlot(2);
    }
    cluster.send([
      { do: 'transfer', from: 'vault', to: 'carol', amount: MILLION_BD },
      { do: 'stake', wallet: 'carol', amount: (MILLION_BD * 99n) / 100n },
    ]);
    cluster.send([{ do: 'transfer', from: 'bob', to: 'pool', amount: 5n }]);
    cluster.goLive();
    const portal = await startPublishedPortal(cluster);
    cluster.send([{ do: 'stake', wallet: 'bob', amount: 4n * MILLION_BD }], { version: 1 });
    cluster.send([{ do: 'transfer', from: 'alice', to: 'vault', amount: 7n }], { version: 'legacy' });
    await expectAllPublished(portal.ask, cluster);
    cluster.addUnreadableEntry();
    await expect.poll(async () => (await healthOf(portal.ask)).unreadStakeEntries, SETTLE).toBe(1);
    expect((await readiness(portal.ask)).warnings).toContain('stakes');
    expect(await verificationDifferences(portal)).toEqual([]);
  });

  it('are published except an unreadable one, and the gap is shown until an endpoint can read it', async () => {
    const cluster = clusterWithHistory('unreadable');
    cluster.send([{ do: 'stake', wallet: 'carol', amount: MILLION_BD }], { version: 1 });
    cluster.goLive();
    const only = await startEndpoint(cluster, { newestVersion: 0 });
    const { ask } = await startPortal(cluster, [only], FAST);
    const later = cluster.send([{ do: 'transfer', from: 'alice', to: 'vault', amount: 11n }]);
    const { program: expected } = expectedFigures(cluster);
    const published = async () => {
      const { transactions, program } = await publishedFigures(ask, cluster);
      return { listed: transactions.map(({ signature }) => signature).includes(later), ...program };
    };
    await expect.poll(published, SETTLE).toEqual({ listed: true, ...expected, quarantined: 1 });
    expect((await publishedFigures(ask, cluster)).positions.some(({ isComplete }) => isComplete)).toBe(false);
    expect((await readiness(ask)).warnings).toContain('quarantine');
    only.traits.newestVersion = 1;
    await expectAllPublished(ask, cluster);
  });

  it('are each listed once, even if a node reorders a slot that spans two pages', async () => {
    const cluster = clusterWithHistory('order');
    for (let count = 0; count < 960; count += 1) {
      cluster.send([], { fails: true });
      if (count % 20 === 0) cluster.nextSlot();
    }
    cluster.nextSlot();
    for (let count = 0; count < 20; count += 1) {
      cluster.send([{ do: 'transfer', from: 'alice', to: 'vault', amount: BigInt(100 + count) }]);
    }
    cluster.nextSlot();
    for (let count = 0; count < 990; count += 1) cluster.send([], { fails: true });
    cluster.goLive();
    await startPublishedPortal(cluster, { flipsOrder: true });
  });
});

describe('a node without the whole history', () => {
  it('never makes the history appear complete, and is not preferred to a slower node that has it', async () => {
    const cluster = liveCluster('pruned');
    const borderSlot = cluster.movements.at(-2)?.slot ?? 0;
    const pruned = await startEndpoint(cluster, { prunedBefore: borderSlot });
    const { ask, settings, worker } = await startPortal(cluster, [pruned]);
    const publishedState = async () => {
      const { positions, metrics } = await publishedFigures(ask, cluster);
      return { isComplete: positions.some(({ isComplete }) => isComplete), sum: metrics.deposits24h };
    };
    await expect.poll(publishedState, SETTLE).toEqual({ isComplete: false, sum: null });
    await worker.end('SIGTERM');
    const whole = await startEndpoint(cluster, { delayMs: 60 });
    await startIndexer({ ...settings, SOLANA_RPC_URLS: `${pruned.url},${whole.url}` }, FAST).ready;
    await expectAllPublished(ask, cluster);
  });
});

describe('a missing source of figures', () => {
  // snapshot-keeper.test.ts covers each way in which endpoints refuse to list the stake entries.
  it('does not affect other figures while no endpoint lists stake entries', async () => {
    const cluster = liveCluster('all refuse');
    const only = await startEndpoint(cluster, {
      refuse: (method) => (method === 'getProgramAccounts' ? 410 : null),
    });
    const { ask } = await startPortal(cluster, [only], FAST);
    const { transactions, vault, metrics } = expectedFigures(cluster);
    const others = async () => {
      const published = pick(await publishedFigures(ask, cluster), 'transactions', 'vault', 'metrics');
      return { ...published, missing: (await readiness(ask)).missing.includes('stakes') };
    };
    await expect.poll(others, SETTLE).toEqual({ transactions, vault, metrics, missing: true });
    expect((await ask('/api/staking/total')).status).toBe(503);
    expect((await healthOf(ask)).stakesProblem).toEqual(expect.any(String));
    delete only.traits.refuse;
    await expectAllPublished(ask, cluster);
  });

  it('affects neither other figures nor verification while the vault is closed', async () => {
    const cluster = liveCluster('closed');
    const portal = await startPublishedPortal(cluster);
    const { ask } = portal;
    cluster.send([{ do: 'transfer', from: 'vault', to: 'carol', amount: cluster.balanceOf('vault') }]);
    await expectAllPublished(ask, cluster);
    cluster.closeVault();
    await expect.poll(async () => (await readiness(ask)).missing, SETTLE).toContain('vault');
    const { staked, stakers, transactions } = expectedFigures(cluster);
    const published = pick(await publishedFigures(ask, cluster), 'staked', 'stakers', 'transactions');
    expect(published).toEqual({ staked, stakers, transactions });
    expect((await ask('/api/vault/live-balance')).status).toBe(503);
    await portal.worker.end('SIGTERM');
    await startIndexer(portal.settings).ready;
    cluster.send([{ do: 'stake', wallet: 'carol', amount: MILLION_BD }]);
    await expect
      .poll(async () => (await publishedFigures(ask, cluster)).stakers, SETTLE)
      .toEqual(expectedFigures(cluster).stakers);
    expect(await verificationDifferences(portal)).toEqual([]);
    cluster.openVault();
    await expectAllPublished(ask, cluster);
  });
});

describe('unusual endpoints', () => {
  it('are used, without extra calls, if they list stake entries a slot late and are an hour behind the host’s clock', async () => {
    const cluster = liveCluster('skewed', { clockDifferenceMs: HOUR_MS });
    const started = Date.now();
    const { ask, only } = await startPublishedPortal(cluster, { entriesBehind: 1 });
    cluster.send([{ do: 'stake', wallet: 'carol', amount: MILLION_BD }]);
    await expectAllPublished(ask, cluster);
    const minutes = (Date.now() - started) / 60_000;
    // Stake entries are listed at most once per poll, plus a few times after a change.
    expect(only.callCounts.get('getProgramAccounts') ?? 0).toBeLessThan(20 + 60 * minutes);

    const { clockDifferenceSeconds } = await healthOf(ask);
    expect(Math.abs((clockDifferenceSeconds ?? 0) - HOUR_MS / 1_000)).toBeLessThan(60);
    expect((await readiness(ask)).warnings).toContain('clock');
    const { asOf } = (await ask('/api/vault/live-balance')).body as { asOf: string };
    expect(Math.abs(Date.now() - HOUR_MS - Date.parse(asOf))).toBeLessThan(60_000);
  });

  it('do not prevent the start while one of them works, even if that one refuses arrays', async () => {
    const cluster = liveCluster('unlike');
    const { ask } = await startPortal(cluster, [
      await startEndpoint(cluster, { refuse: () => 401 }),
      await startEndpoint(cluster, { genesisHash: scriptedCluster('another').genesisHash }),
      await startEndpoint(cluster, { refuse: () => 502 }),
      await startEndpoint(cluster, { refusesArrays: true }),
    ]);
    await expectAllPublished(ask, cluster);
    // The next report on the endpoints may be some seconds away.
    const active = async () =>
      (await healthOf(ask)).endpoints.filter(({ state }) => state === 'active').length;
    await expect.poll(active, SETTLE).toBe(1);
  });

  it('make the start fail with code 78 only if all of them are unusable', async () => {
    const cluster = liveCluster('all wrong');
    const keyless = await startEndpoint(cluster, { refuse: () => 401 });
    const elsewhere = await startEndpoint(liveCluster('yet another'));
    const settings = await settingsOf(cluster, keyless.url, elsewhere.url);
    expect((await startIndexer(settings, FAST).ended).code).toBe(EXIT.configuration);
  });

  it('are used after they stood still or fell behind, if there is no other endpoint', async () => {
    const cluster = liveCluster('asleep');
    const { ask, only } = await startPublishedPortal(cluster);
    const { slot, ...stateWithoutSlot } = cluster.state();
    for (const behind of [0, 250]) {
      only.traits.state = { ...stateWithoutSlot, slot: slot - behind };
      const calls = () => only.callCounts.get('getMultipleAccounts') ?? 0;
      const enough = calls() + 4;
      await expect.poll(calls, SETTLE).toBeGreaterThan(enough);
      only.traits.state = null;
      cluster.send([{ do: 'stake', wallet: 'carol', amount: MILLION_BD }]);
      await expectAllPublished(ask, cluster);
    }
  });

  it('are replaced by another endpoint if they are behind (which is reported) or refuse to list stake entries', async () => {
    const cluster = liveCluster('behind');
    const { slot, ...stateWithoutSlot } = cluster.state();
    const refuse = (method: string) => (method === 'getProgramAccounts' ? REFUSAL : null);
    const { ask } = await startPortal(cluster, [
      await startEndpoint(cluster, { state: { ...stateWithoutSlot, slot: slot - 600 } }),
      await startEndpoint(cluster, { refuse }),
      await startEndpoint(cluster),
    ]);
    await expectAllPublished(ask, cluster);
    const lags = async () => (await healthOf(ask)).endpoints.map(({ slotLag }) => slotLag >= 600);
    await expect.poll(lags, SETTLE).toEqual([true, false, false]);
    const { missing, warnings } = await readiness(ask);
    expect(warnings).toContain('endpoints');
    expect(missing).not.toContain('stakes');
  });
});
