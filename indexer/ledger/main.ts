import '../../data/runtime/node-version.ts';
import { join } from 'node:path';
import { prepareDataDir, readConfig } from '../../data/config/read-config.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { installShutdown, runMain } from '../../data/runtime/shutdown.ts';
import { tellParent } from '../../data/runtime/supervised.ts';
import { yieldProcessor } from '../../data/runtime/yield-processor.ts';
import { startActors } from './actors.ts';
import type { LedgerChain } from './chain.ts';
import { LedgerFileError } from './ledger-store.ts';
import { openChain } from './open-chain.ts';
import { serveChain } from './serve-chain.ts';

const say = (text: string): void => {
  process.stderr.write(`ledger: ${text}\n`);
};

/** The embedded ledger as a process: Solana JSON-RPC on `LEDGER_PORT`, websocket on the port after it, loopback only. */
await runMain('ledger', async () => {
  const { solana, dataDir } = readConfig();
  if (solana.kind !== 'embedded') {
    throw new StartError(
      'SOLANA_RPC_URLS is set, so the portal follows that cluster. Unset it to use the embedded ledger.',
      EXIT.configuration,
    );
  }
  yieldProcessor();
  const file = join(await prepareDataDir(dataDir), 'ledger.db');
  const shutdown = installShutdown((message, error) => say(`${message} ${error ?? ''}`));
  const chain = open(file);
  shutdown.onStop('ledger file', () => chain.close());
  const server = await serveChain(chain, solana.ledgerPort);
  shutdown.onStop('JSON-RPC', () => server.close());
  if (solana.actors) {
    const actors = startActors(chain, { report: say });
    shutdown.onStop('demo actors', () => actors.stop());
  }
  const { port, websocketPort, url, websocketUrl } = server;
  if (process.connected) tellParent({ type: 'ready', details: { port, websocketPort, url, websocketUrl } });
  else say(`JSON-RPC at ${url}, websocket at ${websocketUrl}, demo actors ${solana.actors ? 'on' : 'off'}`);
});

function open(file: string): LedgerChain {
  try {
    return openChain({ file });
  } catch (error) {
    if (!(error instanceof LedgerFileError)) throw error;
    throw new StartError(error.message, EXIT.tryAgain, { cause: error });
  }
}
