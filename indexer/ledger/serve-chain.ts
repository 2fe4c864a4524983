import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import type { LedgerChain } from './chain.ts';
import { type RpcServer, startRpcServer } from './rpc/server.ts';

const HIGHEST_PORT = 65_535;

/**
 * Serves a ledger on `port` and the one after it.
 * @throws {StartError} code 78 where there is no port after it, 75 where one of the two cannot be had now
 */
export async function serveChain(chain: LedgerChain, port: number): Promise<RpcServer> {
  if (port >= HIGHEST_PORT) {
    throw new StartError(
      `LEDGER_PORT ${port} leaves no port after it, for websockets. Set it to ${HIGHEST_PORT - 1} or less.`,
      EXIT.configuration,
    );
  }
  try {
    return await startRpcServer(chain, { port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const fault = code === 'EADDRINUSE' ? 'is in use' : 'may not be used by this user';
    throw new StartError(
      `LEDGER_PORT ${port} or the port after it, for websockets, ${fault}. Free both, or set LEDGER_PORT to another.`,
      EXIT.tryAgain,
      { cause: error },
    );
  }
}
