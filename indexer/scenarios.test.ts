// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CHILD_ENV, programFile } from '../data/runtime/testing/child-programs.ts';
import {
  type ApiProcess,
  type IndexerProcess,
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
 * Runs the indexer and the API as separate processes against a simulated cluster that shares no code with the portal. Every list
 * and number that the API serves is compared with the cluster's own record of its transactions.
 */

const SETTLE = { timeout: 60_000, interval: 500 };
vi.setConfig({ testTimeout: 300_000 });
const MILLION_BD = 1_000_000_000_000n;
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

function startIndexer(settings: Settings): IndexerProcess {
  const worker = spawnIndexer(settings);
  workers.push(worker);
  return worker;
}

async function startPortal(cluster: ScriptedCluster, usedEndpoints: readonly ScriptedEndpoint[]) {
  const settings = await settingsOf(cluster, ...usedEndpoints.map(({ url }) => url));
  const worker = startIndexer(settings);
  await worker.ready;
  const api = await startApi(settings);
  apis.push(api);
  const ask: Ask = async (path) => {
    const response = await fetch(`${api.url}${path}`);
    return { status: response.status, body: (await response.json()) as never };
  };
  return { ask, worker, settings, url: api.url };
}

async function startPublishedPortal(cluster: ScriptedCluster) {
  const only = await startEndpoint(cluster);
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
  const { missing, warnings } = body as Record<'missing' | 'warnings', readonly { what: string }[]>;
  return { missing: namesOf(missing), warnings: namesOf(warnings) };
}
interface Health {
  readonly clockDifferenceSeconds: number | null;
  readonly unreadStakeEntries: number;
  readonly endpoints: readonly { state: string }[];
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

/** Like `clusterWithHistory`, but transactions sent after this call are in the current slot. */
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
  it('are all published, even while the vault is closed, and an unreadable one once an endpoint can read it', async () => {
    const cluster = clusterWithHistory('versions');
    for (const version of ['legacy', 0, 1] as const) {
      cluster.send([{ do: 'transfer', from: 'bob', to: 'vault', amount: 3n * MILLION_BD }], { version });
      cluster.send([{ do: 'stake', wallet: 'carol', amount: MILLION_BD, reserved: version === 1 ? 74 : 0 }], {
        version,
      });
      cluster.send([], { version, fails: true });
      cluster.nextSlot(2);
    }
    cluster.send([
      { do: 'transfer', from: 'vault', to: 'carol', amount: MILLION_BD },
      { do: 'stake', wallet: 'carol', amount: (MILLION_BD * 99n) / 100n },
    ]);
    cluster.send([{ do: 'transfer', from: 'bob', to: 'pool', amount: 5n }]);
    cluster.goLive();
    const portal = await startPublishedPortal(cluster);
    cluster.send([{ do: 'stake', wallet: 'bob', amount: 4n * MILLION_BD }]);
    cluster.send([{ do: 'transfer', from: 'alice', to: 'vault', amount: 7n }], { version: 'legacy' });
    await expectAllPublished(portal.ask, cluster);

    cluster.addUnreadableEntry();
    portal.only.traits.newestVersion = 0;
    cluster.send([{ do: 'stake', wallet: 'carol', amount: MILLION_BD }], { version: 1 });
    const later = cluster.send([{ do: 'transfer', from: 'alice', to: 'vault', amount: 11n }]);
    const { program: expected } = expectedFigures(cluster);
    const published = async () => {
      const { transactions, program } = await publishedFigures(portal.ask, cluster);
      return { listed: transactions.map(({ signature }) => signature).includes(later), ...program };
    };
    await expect.poll(published, SETTLE).toEqual({ listed: true, ...expected, quarantined: 1 });
    const { positions } = await publishedFigures(portal.ask, cluster);
    expect(positions.some(({ isComplete }) => isComplete)).toBe(false);
    expect((await readiness(portal.ask)).warnings).toContain('quarantine');
    portal.only.traits.newestVersion = 1;
    await expectAllPublished(portal.ask, cluster);

    await expect.poll(async () => (await healthOf(portal.ask)).unreadStakeEntries, SETTLE).toBe(1);
    expect((await readiness(portal.ask)).warnings).toContain('stakes');

    expect(await verificationDifferences(portal)).toEqual([]);

    // A closed vault affects neither other figures nor verification, even after a restart.
    const { ask } = portal;
    cluster.send([{ do: 'transfer', from: 'vault', to: 'carol', amount: cluster.balanceOf('vault') }]);
    await expectAllPublished(ask, cluster);
    cluster.closeVault();
    await expect.poll(async () => (await readiness(ask)).missing, SETTLE).toContain('vault');
    const { staked, stakers, transactions } = expectedFigures(cluster);
    const kept = pick(await publishedFigures(ask, cluster), 'staked', 'stakers', 'transactions');
    expect(kept).toEqual({ staked, stakers, transactions });
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

describe('an unusual endpoint', () => {
  it('is used if no other one is usable', async () => {
    const cluster = liveCluster('unusual', { clockDifferenceMs: HOUR_MS });
    const { ask } = await startPortal(cluster, [
      await startEndpoint(cluster, { refusesWith: 401 }),
      await startEndpoint(scriptedCluster('another')),
      await startEndpoint(cluster, { refusesWith: 502 }),
      await startEndpoint(cluster, { refusesArrays: true }),
    ]);
    await expectAllPublished(ask, cluster);
    cluster.send([{ do: 'stake', wallet: 'carol', amount: MILLION_BD }]);
    await expectAllPublished(ask, cluster);
    // The endpoints' state is reported only every few seconds.
    const active = async () =>
      (await healthOf(ask)).endpoints.filter(({ state }) => state === 'active').length;
    await expect.poll(active, SETTLE).toBe(1);

    const { clockDifferenceSeconds } = await healthOf(ask);
    expect(Math.abs((clockDifferenceSeconds ?? 0) - HOUR_MS / 1_000)).toBeLessThan(60);
    expect((await readiness(ask)).warnings).toContain('clock');
    const { asOf } = (await ask('/api/vault/live-balance')).body as { asOf: string };
    expect(Math.abs(Date.now() - HOUR_MS - Date.parse(asOf))).toBeLessThan(60_000);
  });
});
