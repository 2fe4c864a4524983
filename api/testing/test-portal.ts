import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { groupStakers } from '../../data/model/stakers.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { openAppStore } from '../../data/store/sqlite/app-store.ts';
import { createSandboxIssuer } from '../cards/sandbox-issuer.ts';
import { ChainReads } from '../chain/chain-reads.ts';
import { masterKeyOf } from '../documents/master-key.ts';
import { ChainUnreadableError } from '../errors.ts';
import { listen } from '../listen.ts';
import { NO_SITE } from '../pages/site-files.ts';
import type { PortalDependencies } from '../portal-dependencies.ts';
import { createPortal } from '../server.ts';
import type { WalletReaders } from '../verification/verify-route.ts';
import { FakeIndex, TEST_START } from './fake-index.ts';

/** What documents are encrypted under in tests. */
export const TEST_MASTER_KEY = masterKeyOf(Buffer.alloc(32, 7).toString('base64'));

export interface TestPortal {
  readonly port: number;
  readonly index: FakeIndex;
  readonly store: AppStore;
  /** The folder of `app.db`. */
  readonly folder: string;
  /** Lines that were logged. */
  readonly logged: readonly string[];
  /** Sets the clock (Unix ms) and lets the portal look at the index. */
  lookAt(now: number): Promise<void>;
  /** What the portal does at its start about cards. */
  resumeCards(): Promise<void>;
  /** How many event streams are open. */
  streams(): number;
  /** Waits until so many streams are open: the server learns of a closed one in its own time. */
  streamsBecome(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A chain that stands where the index says, on which no token account can be read. */
export function readersOf(index: FakeIndex, now: () => number): WalletReaders {
  return {
    staked: {
      underWay: 0,
      read: async (wallet) => {
        const staker = groupStakers(index.held.entries).find((one) => one.wallet === wallet);
        return { staked: staker?.staked ?? null, slot: index.index.chain?.slot ?? 0, readAt: now() };
      },
    },
    held: { underWay: 0, read: () => Promise.reject(new ChainUnreadableError()) },
  };
}

/** A portal on a free loopback port, with an index in memory and a clock that stands still until it is set. */
export async function startTestPortal(
  changes: Partial<PortalDependencies> & { readonly index?: FakeIndex } = {},
): Promise<TestPortal> {
  const { index = new FakeIndex(), ...dependencies } = changes;
  const folder = await mkdtemp(join(tmpdir(), 'portal-'));
  const store = await openAppStore(join(folder, 'app.db'));
  const logged: string[] = [];
  let now = TEST_START;
  const portal = createPortal({
    reader: index,
    store,
    site: NO_SITE,
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }),
    clock: () => now,
    steadyClock: () => now,
    chain: 'solana',
    publicOrigin: null,
    version: '0.0.0-test',
    walletReaders: readersOf(index, () => now),
    issuer: createSandboxIssuer({ now: () => now }),
    fundingAddress: null,
    masterKey: TEST_MASTER_KEY,
    stakeReads: new ChainReads([]),
    ...dependencies,
  });
  await portal.refresh();
  const port = await listen(portal.server, '127.0.0.1', 0);
  return {
    port,
    index,
    store,
    folder,
    logged,
    lookAt: (moment) => {
      now = moment;
      return portal.refresh();
    },
    resumeCards: () => portal.resumeCards(),
    streams: () => portal.streams(),
    streamsBecome: async (count) => {
      while (portal.streams() !== count) await setImmediate();
    },
    close: async () => {
      await portal.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
