import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartError } from '../data/runtime/exit-codes.ts';
import { preflight } from './preflight.ts';

let folder: string;
const busyServer = createServer();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'preflight-'));
  await new Promise<void>((resolve) => busyServer.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await new Promise((resolve) => busyServer.close(resolve));
  await rm(folder, { recursive: true });
});

function busyPort(): string {
  return String((busyServer.address() as AddressInfo).port);
}

async function preflightError(env: Record<string, string>): Promise<StartError> {
  try {
    await preflight(env);
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
  throw new Error('the preflight accepted a wrong configuration');
}

describe('the preflight', () => {
  it('accepts a valid configuration', async () => {
    const config = await preflight({ PORT: '0', LEDGER_PORT: '0', DATA_DIR: join(folder, 'new') });
    expect(config.dataDir).toBe(join(folder, 'new'));
  });

  it('reports a port that two settings use, with exit code 78', async () => {
    const ports = { PORT: '0', LEDGER_PORT: '18899', METRICS_PORT: '18900', DATA_DIR: folder };
    const error = await preflightError(ports);
    expect([error.exitCode, error.message]).toEqual([78, expect.stringContaining('needs 18900')]);
  });

  it('reports wrong settings, an unwritable folder and a used port together, with exit code 78', async () => {
    await writeFile(join(folder, 'file'), '');
    const error = await preflightError({
      PORT: busyPort(),
      LEDGER_PORT: '0',
      DATA_DIR: join(folder, 'file', 'below'),
      SOLANA_RPC_URLS: 'nowhere',
      HELIUS_API_KEY: '?',
    });
    expect(error.exitCode).toBe(78);
    for (const variable of ['PORT', 'DATA_DIR', 'SOLANA_RPC_URLS', 'HELIUS_API_KEY']) {
      expect(error.message).toContain(`  ${variable} `);
    }
  });

  it('reports an API on a different site from the pages, with exit code 78', async () => {
    const origins = {
      PUBLIC_ORIGIN: 'https://portal.example.com',
      PUBLIC_API_ORIGIN: 'https://api.example.org',
    };
    const error = await preflightError({ PORT: '0', LEDGER_PORT: '0', DATA_DIR: folder, ...origins });
    expect([error.exitCode, error.message]).toEqual([78, expect.stringContaining('  PUBLIC_API_ORIGIN ')]);
  });

  it('reports a wrong master key or key file together with the other problems', async () => {
    await writeFile(join(folder, 'document.key'), 'half a k');
    const ports = { PORT: '0', LEDGER_PORT: '0', DATA_DIR: folder };
    const keyFileError = await preflightError({ ...ports, HELIUS_API_KEY: '?' });
    expect(keyFileError.exitCode).toBe(78);
    expect(keyFileError.message).toContain('  DOCUMENT_KEY is not set, and ');
    expect(keyFileError.message).toContain('  HELIUS_API_KEY ');
    const masterKeyError = await preflightError({ ...ports, DOCUMENT_KEY: 'secret-and-wrong' });
    expect(masterKeyError.message).toContain('  DOCUMENT_KEY is not 32 bytes in base64.');
    expect(masterKeyError.message).not.toMatch(/does not contain a key|secret-and-wrong/);
  });

  it('fails with exit code 75 and names the variable if only a port is in use', async () => {
    const error = await preflightError({ PORT: busyPort(), LEDGER_PORT: '0', DATA_DIR: folder });
    expect(error.exitCode).toBe(75);
    expect(error.message).toContain(`PORT ${busyPort()} is in use`);
  });

  it('writes nothing', async () => {
    const dataDir = join(folder, 'not', 'yet');
    await preflightError({ PORT: busyPort(), LEDGER_PORT: '0', DATA_DIR: dataDir });
    await preflight({ PORT: '0', LEDGER_PORT: '0', DATA_DIR: dataDir });
    expect(await readdir(folder)).toEqual([]);
  });

  it('names HOST if this machine has no such address', async () => {
    const error = await preflightError({ PORT: '0', HOST: '192.0.2.1', LEDGER_PORT: '0', DATA_DIR: folder });
    expect(error.exitCode).toBe(78);
    expect(error.message).toContain('  HOST 192.0.2.1');
  });

  it('does not check LEDGER_PORT when a cluster is configured', async () => {
    const address = 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota';
    const config = await preflight({
      PORT: '0',
      DATA_DIR: folder,
      LEDGER_PORT: busyPort(),
      SOLANA_RPC_URLS: 'https://rpc.example.com',
      BD_MINT: address,
      BD_VAULT: address,
      BD_STAKE_POOL: address,
    });
    expect(config.solana.kind).toBe('cluster');
  });
});
