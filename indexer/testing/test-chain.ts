import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainEvent, IndexIdentity } from '../../data/store/chain-rows.ts';
import type { IndexReader, IndexWriter } from '../../data/store/ports.ts';
import { openIndexReader } from '../../data/store/sqlite/index-reader.ts';
import { openIndexWriter } from '../../data/store/sqlite/index-writer.ts';
import { BD_DECIMALS, LEDGER } from '../ledger/addresses.ts';
import type { LedgerChain } from '../ledger/chain.ts';
import { startRpcServer } from '../ledger/rpc/server.ts';
import { openTestLedger } from '../ledger/testing/test-ledger.ts';
import { createEndpointPool, type EndpointPool } from '../rpc/endpoint-pool.ts';
import type { OutrunsTime } from '../rpc/slot-plausibility.ts';
import { endpointsAt } from './endpoints-at.ts';

/**
 * For tests: the embedded ledger behind a real port, a clock that only the test moves, and an endpoint pool
 * on it.
 */
export interface TestChain {
  readonly chain: LedgerChain;
  readonly advance: (milliseconds: number) => void;
  readonly url: string;
  readonly pool: EndpointPool;
  readonly identity: IndexIdentity;
  close(): Promise<void>;
}

export async function startTestChain(options: { readonly history?: boolean } = {}): Promise<TestChain> {
  const { chain, advance } = openTestLedger(options);
  const server = await startRpcServer(chain, { port: 0, websocketPort: 0 });
  return {
    chain,
    advance,
    url: server.url,
    pool: createEndpointPool({ endpoints: endpointsAt(server.url), outrunsTime: movedByHand }),
    identity: identityOf(chain),
    async close() {
      await server.close();
      chain.close();
    },
  };
}

/** For tests: the clock of a ledger jumps as the test says. */
export const movedByHand: OutrunsTime = () => false;

/** For tests: what an index of the embedded ledger is an index of. */
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

/** For tests: an empty index in a folder of its own, claimed for an identity. */
export interface TestIndex {
  readonly file: string;
  readonly identity: IndexIdentity;
  readonly writer: IndexWriter;
  readonly reader: IndexReader;
  /** Every event, oldest first. */
  events(): Promise<readonly ChainEvent[]>;
  close(): Promise<void>;
}

const ALL_EVENTS = 1_000_000;

export async function openTestIndex(identity: IndexIdentity): Promise<TestIndex> {
  const folder = await mkdtemp(join(tmpdir(), 'bd-index-'));
  const file = join(folder, 'index.db');
  const writer = await openIndexWriter(file);
  await writer.claim(identity);
  const reader = openIndexReader(file);
  return {
    file,
    identity,
    writer,
    reader,
    events: async () => (await reader.latestSnapshot(ALL_EVENTS)).recentEvents.toReversed(),
    async close() {
      await reader.close();
      await writer.close();
      await rm(folder, { recursive: true });
    },
  };
}
