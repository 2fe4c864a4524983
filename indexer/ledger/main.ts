import '../../data/runtime/node-version.ts';
import { join } from 'node:path';
import { prepareDataDir, problemsText, readConfig } from '../../data/config/read-config.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { lowerPriority } from '../../data/runtime/lower-priority.ts';
import { installShutdown, notifyParent, runMain } from '../../data/runtime/shutdown.ts';
import { startActors } from './actors.ts';
import type { LedgerChain } from './chain.ts';
import { LedgerFileError } from './ledger-store.ts';
import { litesvmProblem } from './litesvm.ts';
import { type RpcServer, startRpcServer } from './rpc/server.ts';

const log = (text: string): void => {
  process.stderr.write(`ledger: ${text}\n`);
};

/** Runs the embedded ledger: Solana JSON-RPC on `LEDGER_PORT`, websocket on the next port, loopback only. */
await runMain('ledger', async () => {
  const { solana, dataDir } = readConfig();
  if (solana.kind !== 'embedded') {
    throw new StartError(
      'SOLANA_RPC_URLS is set, so the portal follows that cluster. Unset it to use the embedded ledger.',
      EXIT.configuration,
    );
  }
  const problem = litesvmProblem();
  if (problem) throw new StartError(problemsText([problem]), EXIT.configuration);
  const file = join(await prepareDataDir(dataDir), 'ledger.db');
  const shutdown = installShutdown((message, error) => log(`${message} ${error ?? ''}`));
  const chain = await open(file);
  shutdown.onStop('ledger file', () => chain.close());
  const server = await serve(chain, solana.ledgerPort);
  shutdown.onStop('JSON-RPC', () => server.close());
  if (solana.runsActors) {
    const actors = startActors(chain, { report: log });
    shutdown.onStop('demo actors', () => actors.stop());
  }
  const { port, websocketPort, url, websocketUrl } = server;
  lowerPriority();
  if (process.connected) notifyParent({ type: 'ready', details: { port, websocketPort, url, websocketUrl } });
  else
    log(`JSON-RPC at ${url}, websocket at ${websocketUrl}, demo actors ${solana.runsActors ? 'on' : 'off'}`);
});

async function open(file: string): Promise<LedgerChain> {
  const { openChain } = await import('./open-chain.ts');
  try {
    return openChain({ file });
  } catch (error) {
    if (!(error instanceof LedgerFileError)) throw error;
    throw new StartError(error.message, EXIT.tryAgain, { cause: error });
  }
}

/** @throws {StartError} code 75 if a port is not available */
async function serve(chain: LedgerChain, port: number): Promise<RpcServer> {
  try {
    return await startRpcServer(chain, port);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const problem = code === 'EADDRINUSE' ? 'is in use' : 'cannot be opened by this user';
    throw new StartError(
      `LEDGER_PORT ${port} or the next port, for websockets, ${problem}. Free both, or set LEDGER_PORT to a different port.`,
      EXIT.tryAgain,
      { cause: error },
    );
  }
}
