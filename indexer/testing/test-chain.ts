import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainEvent, IndexIdentity } from '../../data/store/chain-rows.ts';
import { openIndexReader } from '../../data/store/open-stores.ts';
import { openNewIndex } from '../../data/store/testing/new-stores.ts';
import { BD_DECIMALS, LEDGER } from '../ledger/addresses.ts';
import type { LedgerChain } from '../ledger/chain.ts';
import { startRpcServer } from '../ledger/rpc/server.ts';
import { openTestLedger } from '../ledger/testing/test-ledger.ts';
import type { ExceedsSlotRate } from '../rpc/endpoint-comparison.ts';
import { createEndpointPool } from '../rpc/endpoint-pool.ts';
import { endpointsAt } from './fake-server.ts';

export type TestChain = Awaited<ReturnType<typeof startTestChain>>;

/** Serves the embedded ledger on a real port, with a clock that only the test advances, and creates an endpoint pool for it. */
export async function startTestChain(options: Parameters<typeof openTestLedger>[0] = {}) {
  const { chain, advance } = openTestLedger(options);
  const server = await startRpcServer(chain, 0);
  return {
    chain,
    advance,
    url: server.url,
    pool: createEndpointPool({ endpoints: endpointsAt(server.url), exceedsSlotRate: neverExceedsSlotRate }),
    identity: identityOf(chain),
    async close(): Promise<void> {
      await server.close();
      chain.close();
    },
  };
}

/** Accepts every slot rate, because the test advances the ledger's clock by any amount. */
export const neverExceedsSlotRate: ExceedsSlotRate = () => false;

export function identityOf({ genesisHash }: LedgerChain): IndexIdentity {
  return {
    genesisHash,
    mint: LEDGER.mint,
    vault: LEDGER.vault,
    stakePool: LEDGER.stakePool,
    poolVault: LEDGER.stakeVault,
    decimals: BD_DECIMALS,
  };
}

export type TestIndex = Awaited<ReturnType<typeof openTestIndex>>;

const MAX_EVENTS = 1_000_000;

export async function openTestIndex(identity: IndexIdentity) {
  const folder = await mkdtemp(join(tmpdir(), 'bd-index-'));
  const file = join(folder, 'index.db');
  const writer = await openNewIndex(file);
  await writer.claim(identity);
  const reader = await openIndexReader(file);
  return {
    file,
    identity,
    writer,
    reader,
    /** Oldest first. */
    events: async (): Promise<readonly ChainEvent[]> =>
      (await reader.latestSnapshot(MAX_EVENTS)).recentEvents.toReversed(),
    async close(): Promise<void> {
      await reader.close();
      await writer.close();
      await rm(folder, { recursive: true });
    },
  };
}
