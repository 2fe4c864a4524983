// @module-tag slow
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection, PublicKey, SYSVAR_CLOCK_PUBKEY } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { STAKE_POOL } from '../../data/model/stake-layout.ts';
import { programFile } from '../../data/runtime/testing/child-programs.ts';
import { TEST_PRELOAD } from '../testing/processes.ts';
import { LEDGER } from './addresses.ts';
import { runCommand } from './command-line.ts';

let folder: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledger-main-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
});
afterAll(() => rm(folder, { recursive: true }));

/** Hides litesvm from a process, as if npm had not installed it. */
const WITHOUT_LITESVM = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.startsWith('litesvm')) return next(specifier, context);
      throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });`)}`;

/** Prints whether a process has a lower priority than its parent when it starts to serve. */
const PRIORITY_REPORT = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:http';
  import { getPriority } from 'node:os';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    const isLower = getPriority() > getPriority(process.ppid);
    process.stderr.write('priority ' + (isLower ? 'lowered' : 'unchanged') + '\\n');
    return listen.apply(this, args);
  };`)}`;

function start(
  env: Record<string, string>,
  { program = programFile('indexer/ledger/main.ts'), hook = TEST_PRELOAD } = {},
): { child: ChildProcess; output: () => string } {
  const child = fork(program, {
    env: {
      ...process.env,
      DATA_DIR: folder,
      LEDGER_PORT: '0',
      LEDGER_ACTORS: 'off',
      SOLANA_RPC_URLS: '',
      ...env,
    },
    execArgv: ['--import', hook],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  children.push(child);
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { child, output: () => text };
}

async function startReady(env: Record<string, string> = {}): Promise<{ child: ChildProcess; url: string }> {
  const { child } = start(env);
  const [message] = await once(child, 'message');
  expect(message).toMatchObject({
    type: 'ready',
    details: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) },
  });
  return { child, url: String(message.details.url) };
}

async function totalStake(url: string): Promise<bigint> {
  const account = await new Connection(url).getAccountInfo(new PublicKey(LEDGER.stakePool));
  return STAKE_POOL.decode(account?.data ?? new Uint8Array())?.totalStake ?? 0n;
}

describe('the ledger as a process', () => {
  it('stores what the command line sends, including the advanced clock, and keeps it after being killed', async () => {
    const first = await startReady();
    const runOn = (node: string, ...args: readonly string[]) => runCommand([...args, '--url', node]);
    const before = await totalStake(first.url);
    const stake = ['stake', '--wallet', 'newcomer', '--amount', '1500000.25', '--url', first.url];
    const { stdout } = await promisify(execFile)(process.execPath, [
      programFile('indexer/ledger/command.ts'),
      ...stake,
    ]);
    expect(stdout).toContain('1,500,000.25 BD');
    expect(await totalStake(first.url)).toBe(before + 1_500_000_250_000n);
    const early = runOn(first.url, 'unstake', '--wallet', 'newcomer');
    await expect(early).rejects.toMatchObject({ exitCode: 75 });
    expect(await runOn(first.url, 'advance', '181d')).toMatch(/\d{4}-\d\d-\d\dT/);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');

    const second = await startReady();
    expect(await totalStake(second.url)).toBe(before + 1_500_000_250_000n);
    const deposit = runOn(second.url, 'deposit', '--wallet', 'holder-3', '--amount', '12.5');
    expect(await deposit).toMatch(/12\.50 BD.*\n\w{80,90}$/);
    expect(await runOn(second.url, 'wallets')).toMatch(/^holder-24 /m);
    await runOn(second.url, 'unstake', '--wallet', 'newcomer');
    // Advancing the programs' clock must not change the reported times. Otherwise the portal would treat the ledger's data
    // as outdated.
    const connection = new Connection(second.url);
    const clock = await connection.getAccountInfo(SYSVAR_CLOCK_PUBKEY);
    const reported = [
      await connection.getBlockTime(await connection.getSlot()),
      Number(clock?.data.readBigInt64LE(32)),
    ];
    for (const time of reported) expect(time).toBeLessThan(Date.now() / 1_000 + 3_600);
    expect(await totalStake(second.url)).toBe(before);
    for (const time of ['', '0d', '3s', '-1d', '99999d'])
      await expect(runOn(second.url, 'advance', time)).rejects.toMatchObject({ exitCode: 64 });
    second.child.kill('SIGTERM');
    expect(await once(second.child, 'exit')).toEqual([0, null]);
  });

  it('lowers its priority only once it is ready, and stops when its parent process has ended', async () => {
    const { child, output } = start({}, { hook: PRIORITY_REPORT });
    await once(child, 'message');
    const reports = () => output().match(/priority \S+/g) ?? [];
    // The ledger listens twice, for JSON-RPC and for websockets, and twice more if one of the two ports is in use.
    await expect.poll(() => reports().length).toBeGreaterThanOrEqual(2);
    expect(new Set(reports())).toEqual(new Set(['priority unchanged']));
    expect(getPriority(child.pid)).toBeGreaterThan(Math.min(18, getPriority()));
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('exits with 75 and names the variable if a port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { child, output } = start({ LEDGER_PORT: String(port) });
    expect(await once(child, 'close')).toEqual([75, null]);
    expect(output()).toContain(`LEDGER_PORT ${port}`);
    other.close();
  });

  it('exits with 78 and names the variable if the settings name a cluster', async () => {
    const { child, output } = start({ SOLANA_RPC_URLS: 'https://rpc.example.com' });
    expect(await once(child, 'close')).toEqual([78, null]);
    expect(output()).toContain('SOLANA_RPC_URLS');
  });
});

describe('without litesvm', () => {
  it.each(['indexer/ledger/main.ts', 'scripts/start.ts'])(
    '%s exits with 78 and names what to set',
    async (program) => {
      const { child, output } = start({ PORT: '0' }, { program, hook: WITHOUT_LITESVM });
      expect(await once(child, 'close')).toEqual([78, null]);
      expect(output()).toMatch(/^\w+: One setting is wrong[\s\S]*SOLANA_RPC_URLS [\s\S]*litesvm/);
    },
  );
});

describe('the command line', () => {
  it.each([
    [[], 64],
    [['mint'], 64],
    [['stake', 'now'], 64],
    [['stake', '--wallet', 'holder-1'], 64],
    [['stake', '--wallet', 'holder-1', '--amount', '-5'], 64],
    [['stake', '--wallet', 'holder-1', '--amount', '1,5'], 64],
    [['stake', '--wallet', 'holder-1', '--amount', '1.1234567'], 64],
    [['unstake', '--wallet', 'holder-1', '--nonce', 'first'], 64],
    [['transfer', '--wallet', 'holder-1', '--amount', '1'], 64],
    [['deposit', '--amount', '1'], 64],
    [['deposit', '--wallet', LEDGER.mint, '--amount', '1'], 64],
    [['deposit', '--wallet', 'holder-1', '--amount', '1'], 75],
  ])('given %j exits with %d', async (args, exitCode) => {
    const run = runCommand([...args, '--url', 'http://127.0.0.1:1']);
    await expect(run).rejects.toMatchObject({ name: 'StartError', exitCode });
  });

  it('finds the ledger at LEDGER_PORT from the environment, else from .env, else at 8899', async () => {
    const cwd = await mkdtemp(join(folder, 'cwd-'));
    await writeFile(join(cwd, '.env'), 'LEDGER_PORT=2\n');
    const deposit = ['deposit', '--wallet', 'holder-1', '--amount', '1'];
    const here = process.cwd();
    vi.stubEnv('LEDGER_PORT', undefined);
    try {
      process.chdir(cwd);
      await expect(runCommand(deposit)).rejects.toThrow('http://127.0.0.1:2/');
      vi.stubEnv('LEDGER_PORT', '1');
      await expect(runCommand(deposit)).rejects.toThrow('http://127.0.0.1:1/');
      const runWithUrl = runCommand([...deposit, '--url', 'http://127.0.0.1:3']);
      await expect(runWithUrl).rejects.toThrow('http://127.0.0.1:3/');
      vi.stubEnv('LEDGER_PORT', '0');
      await expect(runCommand(deposit)).rejects.toMatchObject({ exitCode: 64 });
    } finally {
      process.chdir(here);
      vi.unstubAllEnvs();
    }
    expect(await runCommand(['--help'])).toContain('(8899)');
  });
});
