import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'playwright/test';
import { EMBEDDED_ADDRESSES } from '../data/config/environment.ts';
import { test } from './test.ts';

function startAndFail(env: Readonly<Record<string, string>>): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, ['scripts/start.ts'], { env: { ...process.env, ...env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}

test('npm start lists all wrong settings, exits with code 78 and writes nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-wrong-'));
  const { code, text } = await startAndFail({
    PORT: 'eighty',
    SOLANA_RPC_URLS: 'nowhere',
    BD_MINT: 'no-key',
    DATA_DIR: join(folder, 'data'),
  });
  expect(code).toBe(78);
  for (const variable of ['PORT', 'SOLANA_RPC_URLS', 'BD_MINT', 'BD_VAULT', 'BD_STAKE_POOL']) {
    expect(text).toContain(`\n  ${variable} `);
  }
  expect(text).not.toMatch(/\n\s+at /);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test('npm start exits with code 78 and leaves no file if the chain has no account of the right kind at an address', async ({
  sharedPortal,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-wrong-'));
  const { code, text } = await startAndFail({
    PORT: '0',
    DATA_DIR: folder,
    SOLANA_RPC_URLS: sharedPortal.ledgerUrl,
    BD_MINT: EMBEDDED_ADDRESSES.mint,
    BD_VAULT: EMBEDDED_ADDRESSES.mint,
    BD_STAKE_POOL: EMBEDDED_ADDRESSES.vault,
  });
  expect(code).toBe(78);
  expect(text).toContain('BD_VAULT');
  expect(text).toContain('BD_STAKE_POOL');
  expect(text).not.toMatch(/\n\s+at /);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});
