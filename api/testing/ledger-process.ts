import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';

/** The embedded ledger as it runs beside the portal, without actors, in a folder and on a port of its own. */
export interface LedgerProcess {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startLedger(): Promise<LedgerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  const ledger: ChildProcess = fork('indexer/ledger/main.ts', {
    env: { PATH: process.env.PATH, DATA_DIR: folder, LEDGER_PORT: '0', LEDGER_ACTORS: 'off' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const [message] = await once(ledger, 'message');
  return {
    url: String(message.details.url),
    stop: async () => {
      ledger.kill('SIGKILL');
      await once(ledger, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A named wallet of the embedded ledger, whose key anyone can derive: `treasury` has BD, `faucet` has SOL. */
export function ledgerKeypair(name: string): Keypair {
  return Keypair.fromSeed(createHash('sha256').update(`blackduck-ledger:${name}`).digest());
}
