import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NEW_LEDGER } from './portal.ts';

const CREATE_LEDGER_SCRIPT =
  "import('./indexer/ledger/open-chain.ts').then(({ openChain }) => openChain({ file: process.argv[1] }).close())";

/** Creates the embedded ledger with which the portal of every test begins, because creating one takes 0.7 s of processor time. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'new-ledger-'));
  const file = join(folder, 'ledger.db');
  await promisify(execFile)(process.execPath, ['--eval', CREATE_LEDGER_SCRIPT, file]);
  process.env[NEW_LEDGER] = file;
  return () => rm(folder, { recursive: true, force: true });
}
