// @module-tag slow
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { SETUP_TOKEN_HEADER } from '../data/contract/paths.ts';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { API_PROGRAM, CHILD_ENV } from '../data/runtime/testing/child-programs.ts';
import { openAppStore, openIndexWriter } from '../data/store/open-stores.ts';
import { sampleApplication, sampleOptions } from '../data/store/testing/sample-submissions.ts';
import { askAs, PASSWORD } from './admin/testing/team.ts';
import { listen } from './listen.ts';
import { healthyEndpoint, SAMPLE_INDEX, vaultEvent } from './testing/fake-index.ts';
import { ask, openStream } from './testing/portal-client.ts';
import { openedStake, signatureOf, walletOf } from './testing/sample-stakes.ts';

const METRICS_TOKEN = 'a-token-of-at-least-32-characters';
const HELIUS_KEY = '01234567-89ab-cdef-0123-456789abcdef';

const children: ChildProcess[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-'));
  folders.push(folder);
  return folder;
}

function start(folder: string, env: Record<string, string> = {}) {
  const child = fork(API_PROGRAM, ['--api-only'], {
    // The folder has no .env file, so there are no other settings.
    cwd: folder,
    env: { ...CHILD_ENV, PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.push(child);
  const [output, errors] = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ''));
  const exited = once(child, 'exit').then(async ([code]) => ({ code, errors: await errors }));
  const firstOutput = () => (child.stdout ? once(child.stdout, 'data').then(String) : Promise.resolve(''));
  const message = once(child, 'message').then(([sent]) => sent);
  const portWhenReady = message.then(({ details }) => Number(details.port));
  return { child, ended: exited, message, ready: portWhenReady, output, firstOutput };
}

async function writeSampleSnapshot(folder: string, vaultBalance: bigint, slot: number): Promise<void> {
  const { identity, chain } = SAMPLE_INDEX;
  if (!identity || !chain) throw new Error('the sample has no chain');
  const writer = await openIndexWriter(join(folder, 'index.db'));
  await writer.claim(identity);
  await writer.commitSnapshot({ ...chain, slot, readAt: Date.now(), vaultBalance, entries: [] });
  await writer.close();
}

/** An index with a complete history: one wallet staked 2,000,000 BD ten days ago. */
async function writeStakes(folder: string): Promise<void> {
  const { identity, chain, quote } = SAMPLE_INDEX;
  if (!identity || !chain || !quote) throw new Error('the sample has no chain or quote');
  const now = Date.now();
  const entry = openedStake(1, { createdAt: now - 10 * 86_400_000, unlocksAt: now + 170 * 86_400_000 });
  const signature = signatureOf(1);
  const event = vaultEvent(1, {
    signature,
    account: identity.poolVault,
    kind: 'stake',
    wallet: entry.wallet,
    delta: entry.amount,
    stakeEntry: entry.address,
    blockTime: entry.createdAt,
    status: 'finalized',
  });
  const writer = await openIndexWriter(join(folder, 'index.db'));
  await writer.claim(identity);
  for (const [account, events] of [
    [identity.vault, []],
    [identity.poolVault, [event]],
  ] as const) {
    const cursor = { account, signature, slot: event.slot, position: event.position };
    await writer.commitEvents({ account, events, cursor, caughtUpAt: now });
  }
  await writer.commitSnapshot({
    ...chain,
    readAt: now,
    totalStaked: entry.amount,
    poolVaultBalance: entry.amount,
    entries: [entry],
  });
  await writer.commitQuote({ ...quote, readAt: now });
  await writer.commitReconciliation({ slot: chain.slot, at: now, differences: [] });
  await writer.reportEndpoints([healthyEndpoint('one.example')], now);
  await writer.close();
}

describe('the program', () => {
  it('serves stakes, charts and readiness from the index, and metrics on a separate port if one is set', async () => {
    const folder = await newFolder();
    await writeStakes(folder);
    const { child, message, ended } = start(folder, { HOST: '0.0.0.0', METRICS_PORT: '0' });
    const { port, url, metricsUrl } = (await message).details;
    expect(new URL(url)).toMatchObject({ hostname: 'localhost', port: String(port) });
    const readBody = async (path: string) => JSON.parse((await ask(port, path)).body);
    expect(await readBody('/api/staking/transfers')).toMatchObject({
      totalStakers: 1,
      totalStaked: '2000000',
      stakers: [{ wallet: walletOf(1), signature: signatureOf(1) }],
      ended: [],
    });
    expect(await readBody('/api/stakers/enhanced')).toMatchObject([
      { walletAddress: walletOf(1), stakingDuration: 10, transactionCount: 1, tier: 'Silver', entries: 1 },
    ]);
    expect(await readBody('/api/staking/program-summary')).toMatchObject({
      isActive: true,
      totalAccounts: 1,
      lastVerified: expect.any(String),
      verification: { state: 'agree' },
    });
    expect(await readBody('/api/history?series=staked&range=24h')).toMatchObject({
      source: ['embedded-ledger'],
      points: [{ value: '2000000' }],
    });
    // The warnings are not compared, because they depend on how long the start took.
    expect(await readBody('/readyz')).toMatchObject({ ready: true, missing: [] });
    expect((await ask(port, '/metrics')).status).toBe(404);
    const { body: metrics } = await ask(Number(new URL(metricsUrl).port), '/metrics');
    expect(metrics).toContain('\nportal_events{account="stake-pool"} 1\n');
    expect(metrics).toContain('\nportal_reconciliation_agrees 1\n');
    expect(metrics).toMatch(/\nprocess_cpu_seconds_total \d/);
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: EXIT.ok, errors: '' });
  });

  it('serves data that the indexer writes later, asks Helius if no other endpoint answers, and ends cleanly on SIGTERM even with open streams', async () => {
    const keys: (string | null)[] = [];
    const helius = createServer(async (request, response) => {
      keys.push(new URL(request.url ?? '', 'http://helius').searchParams.get('api-key'));
      const { id } = JSON.parse(await text(request));
      const result = { context: { slot: Number.MAX_SAFE_INTEGER }, value: [] };
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    const heliusPort = await listen(helius, '127.0.0.1', 0);
    onTestFinished(() => void helius.close());
    const { mint = '', vault = '', stakePool = '' } = SAMPLE_INDEX.identity ?? {};
    const folder = await newFolder();
    const { child, ready, ended } = start(folder, {
      ...{ BD_MINT: mint, BD_VAULT: vault, BD_STAKE_POOL: stakePool },
      SOLANA_RPC_URLS: 'http://127.0.0.1:1',
      HELIUS_API_KEY: HELIUS_KEY,
      HELIUS_BASE_URL: `http://127.0.0.1:${heliusPort}`,
    });
    const port = await ready;
    expect((await ask(port, '/api/vault/live-balance')).status).toBe(503);
    const stream = await openStream(port, '/api/live');
    await stream.nextOf('change');
    const awaitChange = async (part: string) => {
      while (!JSON.stringify((await stream.nextOf('change')).data).includes(part));
    };
    await writeSampleSnapshot(folder, 5_000_000n, 10);
    await awaitChange('"vaultBalance":"5"');
    await writeSampleSnapshot(folder, 6_000_000n, 11);
    await awaitChange('"vaultBalance":"6"');
    const balance = JSON.parse((await ask(port, '/api/vault/live-balance')).body);
    expect(balance).toMatchObject({ vaultBalance: '6', slot: 11 });
    const { status, body } = await ask(port, `/api/verify-bd-tokens?walletAddress=${walletOf(2)}`);
    expect({ status, ...JSON.parse(body) }).toMatchObject({ status: 200, isStaking: false, heldAmount: '0' });
    expect(new Set(keys)).toEqual(new Set([HELIUS_KEY]));
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: EXIT.ok, errors: '' });
    expect(await stream.next()).not.toBeUndefined();
    const store = await openAppStore(join(folder, 'app.db'));
    const records = await store.auditTrail(10);
    await store.close();
    expect(records).toMatchObject([
      { actor: 'system', action: 'portal.stopped', details: { port } },
      { actor: 'system', action: 'portal.started', details: { port } },
    ]);
  });

  it('without a mail server, a bot or an admin, writes messages to the outbox, prints a one-time link for another machine, and logs neither personal data nor the link', async () => {
    const folder = await newFolder();
    const store = await openAppStore(join(folder, 'app.db'));
    await store.submissions.submit('card-application', sampleApplication(), sampleOptions());
    await store.close();
    const first = start(folder, {
      LOG_LEVEL: 'trace',
      PUBLIC_ORIGIN: 'https://portal.example.com',
      METRICS_TOKEN,
    });
    const linkPattern = /^No admin exists yet\..*\/admin\/setup#token=([\w-]{43})$/m;
    const token = linkPattern.exec(await first.firstOutput())?.[1] ?? 'no token';
    const port = await first.ready;
    const setUp = async (sentToken: string) => {
      const remoteHeaders = { 'X-Forwarded-For': '203.0.113.7', Host: 'portal.example.com' };
      const headers = { ...remoteHeaders, [SETUP_TOKEN_HEADER]: sentToken };
      const body = { username: 'Ada', password: PASSWORD };
      return (await askAs({ port }, null, '/api/admin/setup', body, headers)).status;
    };
    expect([await setUp(`${token}x`), await setUp(token)]).toEqual([403, 200]);
    const listOutbox = async (kind: string) => readdir(join(folder, 'outbox', kind)).catch(() => []);
    await expect
      .poll(async () => [...(await listOutbox('mail')), ...(await listOutbox('telegram'))])
      .toHaveLength(3);
    await expect
      .poll(
        async () =>
          (await ask(port, '/metrics', { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } })).body,
      )
      .toContain('portal_delivery_attempts_total{channel="mail",outcome="sent"} 2');
    first.child.kill('SIGTERM');
    const { code, errors } = await first.ended;
    expect(code).toBe(EXIT.ok);
    expect(errors).toContain('delivery attempt');
    expect(errors).not.toContain(token);
    expect(errors).not.toMatch(/ada@example|Lovelace/);
    expect(errors).not.toContain(METRICS_TOKEN);
    expect(errors).toContain('TRUSTED_PROXIES is not set');
    const [notice = ''] = await listOutbox('telegram');
    const message = JSON.parse(await readFile(join(folder, 'outbox', 'telegram', notice), 'utf8'));
    expect(message.text).toMatch(
      /(BD-20260102-\d{6})\nhttps:\/\/portal\.example\.com\/admin\/dashboard#\w+\?record=\1$/,
    );
    const second = start(folder, { HOST: '::1' });
    const { port: secondPort, url } = (await second.message).details;
    expect(url).toBe(`http://[::1]:${secondPort}`);
    second.child.kill('SIGTERM');
    expect(await second.output).toBe('');
  });

  it.each([
    ['a wrong setting', { PORT: 'many' }, 'PORT'],
    [
      'a metrics host of another machine',
      { METRICS_PORT: '0', METRICS_HOST: '192.0.2.1' },
      'METRICS_HOST 192.0.2.1',
    ],
  ])('exits with a code and a message for %s', async (_case, env, message) => {
    const outcome = await start(await newFolder(), env).ended;
    expect(outcome).toEqual({ code: EXIT.configuration, errors: expect.stringContaining(message) });
    expect(outcome.errors).not.toContain('    at ');
  });
});

describe('listen', () => {
  it('fails with the exit code and the variable for a host of another machine and for a port in use', async () => {
    const other = createServer();
    const port = await listen(other, '127.0.0.1', 0);
    onTestFinished(() => void other.close());
    await expect(listen(createServer(), '192.0.2.1', 0)).rejects.toMatchObject({
      exitCode: EXIT.configuration,
      message: expect.stringContaining('HOST 192.0.2.1'),
    });
    await expect(listen(createServer(), '127.0.0.1', port)).rejects.toMatchObject({
      exitCode: EXIT.tryAgain,
      message: expect.stringContaining(`PORT ${port} is in use`),
    });
  });
});
