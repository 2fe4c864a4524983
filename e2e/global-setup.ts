import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NEW_LEDGER } from './portal.ts';

const CREATE_LEDGER_SCRIPT =
  "import('./indexer/ledger/open-chain.ts').then(({ openChain }) => openChain({ file: process.argv[1] }).close())";

/**
 * Keeps the tests' portals from lowering the priority of their programs. At low priority, the programs would hardly run while the
 * tests are busy.
 *
 * Creates one embedded ledger, of which each portal gets a copy, because creating a ledger takes 0.7 s of processor time.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'new-ledger-'));
  const file = join(folder, 'ledger.db');
  await promisify(execFile)(process.execPath, ['--eval', CREATE_LEDGER_SCRIPT, file]);
  process.env[NEW_LEDGER] = file;
  process.env.NODE_OPTIONS = `--import=${new URL('../indexer/testing/preload.ts', import.meta.url)}`;
  return () => rm(folder, { recursive: true, force: true });
}
