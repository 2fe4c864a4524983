import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexIdentity } from '../../data/store/chain-rows.ts';
import type { EndpointHealth } from '../../data/store/ports.ts';
import { fillIndex, type OpenFilledIndex, openFilledIndex } from '../growth/filled-index.ts';

/** Milliseconds between two commits: a slot of the embedded ledger. */
const COMMIT_INTERVAL_MS = 400;
const EVENT_COUNT = 1_000;

const sampleAddress = (digit: string) => digit.repeat(44);
export const IDENTITY: IndexIdentity = {
  genesisHash: sampleAddress('2'),
  mint: sampleAddress('3'),
  vault: sampleAddress('4'),
  stakePool: sampleAddress('5'),
  poolVault: sampleAddress('6'),
  decimals: 6,
};

const ENDPOINT: EndpointHealth = {
  name: 'one.example',
  active: true,
  state: 'active',
  latencyMs: 12,
  slot: 1,
  slotLag: 0,
  requestCount: 1_000,
  errorCount: 0,
  creditsPerDay: null,
  lastError: null,
};

/** An index with a hundred stakers. Each commit changes the vault and the stakes. */
export interface GrowingIndex {
  readonly env: Readonly<Record<string, string>>;
  readonly index: OpenFilledIndex;
  /** Commits as often as the indexer does, until `stop` is called. */
  grow(): { stop(): Promise<void> };
  close(): Promise<void>;
}

export async function openGrowingIndex(folder: string): Promise<GrowingIndex> {
  const filledFile = await fillIndex({
    folder,
    events: EVENT_COUNT,
    identity: IDENTITY,
    newestSlot: 300_000_000,
    lastSignatureOf: (account) => account.repeat(2),
    report: () => {},
  });
  const index = await openFilledIndex(filledFile);
  const commit = async () => {
    await index.commitNext();
    await index.writer.reportEndpoints([ENDPOINT], Date.now());
  };
  await commit();
  return {
    env: {
      DATA_DIR: join(folder),
      SOLANA_RPC_URLS: 'http://127.0.0.1:9',
      BD_MINT: IDENTITY.mint,
      BD_VAULT: IDENTITY.vault,
      BD_STAKE_POOL: IDENTITY.stakePool,
    },
    index,
    grow() {
      const stop = new AbortController();
      const growing = (async () => {
        while (!stop.signal.aborted) {
          await commit();
          await sleep(COMMIT_INTERVAL_MS, undefined, { signal: stop.signal }).catch(() => {});
        }
      })();
      return {
        stop: () => {
          stop.abort();
          return growing;
        },
      };
    },
    close: () => index.close(),
  };
}
