/** A small ledger in memory, served on free ports, with a clock that moves only when told: the ground of the tests here. */
import { FINALITY_SLOTS, type LedgerChain, SLOT_MILLISECONDS } from '../chain.ts';
import { openChain } from '../open-chain.ts';
import { type RpcServer, startRpcServer } from '../rpc/server.ts';

export interface LedgerUnderTest {
  readonly chain: LedgerChain;
  readonly server: RpcServer;
  /** What went wrong inside methods; a test that does not expect any finds it empty. */
  readonly faults: readonly unknown[];
  /** Lets slots pass. */
  advance(slots: number): void;
  /** Lets everything that happened so far become final. */
  finalize(): void;
  close(): Promise<void>;
}

export async function startLedgerUnderTest(): Promise<LedgerUnderTest> {
  let now = Date.now();
  const faults: unknown[] = [];
  const chain = openChain({ file: ':memory:', history: false, now: () => now });
  const server = await startRpcServer(chain, {
    port: 0,
    reportFault: (method, fault) => faults.push(method, fault),
  });
  const advance = (slots: number): void => {
    now += slots * SLOT_MILLISECONDS;
  };
  return {
    chain,
    server,
    faults,
    advance,
    finalize: () => advance(FINALITY_SLOTS),
    async close() {
      await server.close();
      chain.close();
    },
  };
}

/** Posts a body as it is, and answers the HTTP status and the parsed reply. */
export async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<{ status: number; reply: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  return { status: response.status, reply: text === '' ? null : JSON.parse(text) };
}

/** Calls a method and answers the whole reply. */
export async function callRpc(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const { reply } = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return reply;
}
