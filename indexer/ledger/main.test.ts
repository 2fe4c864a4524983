import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Connection, PublicKey } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EQUAL_PRIORITY } from '../testing/worker-process.ts';
import { LEDGER } from './addresses.ts';
import { decodeStakePool } from './stake-program/layout.ts';

const run = promisify(execFile);
/** Milliseconds of a clean stop, also on a machine at work; one that hangs is ended by force after ten seconds. */
const STOPS_WITHIN_MS = 8_000;

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

function start(env: Record<string, string>): { child: ChildProcess; output: () => string } {
  const child = fork('indexer/ledger/main.ts', {
    env: {
      ...process.env,
      DATA_DIR: folder,
      LEDGER_PORT: '0',
      LEDGER_ACTORS: 'off',
      SOLANA_RPC_URLS: '',
      ...env,
    },
    execArgv: ['--import', EQUAL_PRIORITY],
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

async function command(
  url: string,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  return commandIn('.', {}, ...args, '--url', url);
}

/** Runs the command in a folder, with nothing of ours in its environment but what is given. */
async function commandIn(
  cwd: string,
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { LEDGER_PORT: _, ...rest } = process.env;
  try {
    const { stdout, stderr } = await run(process.execPath, [resolve('indexer/ledger/command.ts'), ...args], {
      cwd,
      env: { ...rest, ...env },
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    if (!(error instanceof Error && 'stdout' in error && 'stderr' in error && 'code' in error)) throw error;
    return { code: Number(error.code), stdout: String(error.stdout), stderr: String(error.stderr) };
  }
}

async function totalStake(url: string): Promise<bigint> {
  const account = await new Connection(url).getAccountInfo(new PublicKey(LEDGER.stakePool));
  return decodeStakePool(account?.data ?? new Uint8Array())?.totalStake ?? 0n;
}

describe('the ledger as a process', () => {
  it('takes a stake from the command line, and has it after a restart', async () => {
    const first = await startReady();
    const before = await totalStake(first.url);
    const staked = await command(first.url, 'stake', '--wallet', 'newcomer', '--amount', '1500000.25');
    expect(staked).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Staked 1,500,000.25 BD for 180 days'),
    });
    expect(await totalStake(first.url)).toBe(before + 1_500_000_250_000n);
    const stoppedAt = Date.now();
    first.child.kill('SIGTERM');
    expect(await once(first.child, 'exit')).toEqual([0, null]);
    expect(Date.now() - stoppedAt).toBeLessThan(STOPS_WITHIN_MS);

    const second = await startReady();
    expect(await totalStake(second.url)).toBe(before + 1_500_000_250_000n);
    const early = await command(second.url, 'unstake', '--wallet', 'newcomer');
    expect(early).toMatchObject({ code: 75, stderr: expect.stringContaining('is locked until') });
    const moved = await command(second.url, 'deposit', '--wallet', 'holder-3', '--amount', '12.5');
    expect(moved).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Deposited 12\.50 BD.*\n\w{80,90}\n$/),
    });
    const list = await command(second.url, 'wallets');
    expect(list.stdout).toMatch(/^holder-24 /m);
  });

  it('ends when the process that started it is gone', async () => {
    const { child } = await startReady();
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('says which port is taken and ends with 75', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { child, output } = start({ LEDGER_PORT: String(port) });
    expect(await once(child, 'close')).toEqual([75, null]);
    expect(output()).toMatch(new RegExp(`^ledger: LEDGER_PORT ${port} .* is in use\\.`));
    other.close();
  });

  it('ends with 78 where the settings are wrong, naming each', async () => {
    const { child, output } = start({ LEDGER_PORT: 'high', LEDGER_ACTORS: 'maybe' });
    expect(await once(child, 'close')).toEqual([78, null]);
    expect(output()).toMatch(/LEDGER_PORT is not a port[\s\S]*LEDGER_ACTORS is neither on nor off/);
  });
});

describe('the command line', () => {
  it.each([
    [[], 64, /Which command\?/],
    [['mint'], 64, /There is no command "mint"/],
    [['stake', '--wallet', 'holder-1'], 64, /needs --amount/],
    [['stake', '--wallet', 'holder-1', '--amount', '-5'], 64, /--amount/],
    [['stake', '--wallet', 'holder-1', '--amount', '1,5'], 64, /--amount 1,5 has a comma/],
    [['stake', '--wallet', 'holder-1', '--amount', '1,500,000'], 64, /Write digits and a point only/],
    [['stake', '--wallet', 'holder-1', '--amount', '1.1234567'], 64, /is no amount of BD/],
    [['deposit', '--amount', '1'], 64, /needs --wallet/],
    [['deposit', '--wallet', LEDGER.mint, '--amount', '1'], 64, /whose key the ledger does not have/],
    [['deposit', '--wallet', 'holder-1', '--amount', '1'], 75, /No ledger answers at/],
  ])(
    'answers %j in plain words',
    async (args, code, text) => {
      const { stderr, ...rest } = await command('http://127.0.0.1:1', ...args);
      expect(rest.code).toBe(code);
      expect(stderr).toMatch(text);
      expect(stderr).not.toMatch(/\n\s+at /);
    },
    30_000,
  );

  it('looks for the ledger at LEDGER_PORT: of the environment, else of .env, else 8899', async () => {
    const cwd = await mkdtemp(join(folder, 'cwd-'));
    await writeFile(join(cwd, '.env'), 'LEDGER_PORT=2\n');
    const deposit = ['deposit', '--wallet', 'holder-1', '--amount', '1'];
    const fromFile = await commandIn(cwd, {}, ...deposit);
    expect(fromFile).toMatchObject({ code: 75, stderr: expect.stringContaining('http://127.0.0.1:2/') });
    const fromEnvironment = await commandIn(cwd, { LEDGER_PORT: '1' }, ...deposit);
    expect(fromEnvironment.stderr).toContain('http://127.0.0.1:1/');
    const named = await commandIn(cwd, {}, ...deposit, '--url', 'http://127.0.0.1:3');
    expect(named.stderr).toContain('http://127.0.0.1:3/');
    const anyPort = await commandIn(cwd, { LEDGER_PORT: '0' }, ...deposit);
    expect(anyPort).toMatchObject({ code: 64, stderr: expect.stringContaining('Name it with --url') });
    expect((await commandIn(cwd, {}, '--help')).stdout).toContain('(8899)');
  });
});
