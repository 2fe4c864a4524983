import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Registry } from '@prometheus-io/client';
import { pino } from 'pino';
import { PROXIES_TRUSTED_WHEN_LOCAL } from '../../data/config/network-variables.ts';
import { mapRateLimits, RATE_LIMITS, type RateLimits } from '../../data/config/rate-limits.ts';
import { groupStakers } from '../../data/model/stakers.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { openNewApp } from '../../data/store/testing/new-stores.ts';
import { keptFilePath } from '../backup/backups.ts';
import { createSandboxIssuer } from '../cards/sandbox-issuer.ts';
import { ChainReads } from '../chain/chain-reads.ts';
import { createReplyComposer } from '../conversation/reply-mail.ts';
import { ORGANIZATION } from '../delivery/testing/organization.ts';
import { masterKeyOf } from '../documents/master-key.ts';
import { emptyUploadFolder } from '../documents/upload-spool.ts';
import { ApiError } from '../errors.ts';
import { listen } from '../listen.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import { NO_SITE } from '../pages/serve-pages.ts';
import type { PortalDependencies } from '../portal-context.ts';
import { createPortal } from '../server.ts';
import { createTelegramContext } from '../telegram/telegram-routes.ts';
import type { WalletReaders } from '../verification/check-stake.ts';
import { FakeIndex, TEST_START } from './fake-index.ts';

export const TEST_MASTER_KEY = masterKeyOf(Buffer.alloc(32, 7).toString('base64'));

export interface TestPortal {
  readonly port: number;
  readonly metricsServer: Server | null;
  readonly index: FakeIndex;
  readonly figureInputs: () => FigureInputs;
  readonly store: AppStore;
  /** The folder of `app.db`. */
  readonly folder: string;
  readonly logLines: readonly string[];
  /** The time (Unix ms) that the test set. */
  now(): number;
  /** Sets the clock (Unix ms) and lets the portal read the index. */
  pollAt(now: number): Promise<void>;
  closeTestCards(): Promise<void>;
  checkCardStakes(signal?: AbortSignal): Promise<void>;
  openStreamCount(): number;
  /** Waits until this number of streams is open, because the server notices a closed stream with a delay. */
  waitForStreams(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Readers for a chain that has the stakes of the index. The chain's token accounts cannot be read. */
export function readersOf(index: FakeIndex, now: () => number): WalletReaders {
  return {
    staked: {
      readsInProgress: 0,
      read: async (wallet) => {
        const open = index.storedStakes.entries.filter(
          (one) => one.wallet === wallet && one.closedAt === null,
        );
        const [staker] = groupStakers(open);
        const entries = open.map(({ address }) => address);
        return {
          staked: staker?.staked ?? null,
          entries,
          slot: index.snapshot.chain?.slot ?? 0,
          readAt: now(),
        };
      },
    },
    held: { readsInProgress: 0, read: () => Promise.reject(new ApiError('chain-unreadable')) },
  };
}

/** All limits per minute are too high to reach, except those that the test sets. */
function testRates(changes: Partial<RateLimits> = {}): RateLimits {
  const liftedLimits = mapRateLimits((name) =>
    RATE_LIMITS[name].per === 'minute' ? 1_000_000_000 : RATE_LIMITS[name].limit,
  );
  return { ...liftedLimits, ...changes };
}

export type TestPortalChanges = Partial<Omit<PortalDependencies, 'rateLimits'>> & {
  /** The parent of the portal's own folder. */
  readonly parent?: string;
  readonly index?: FakeIndex;
  readonly rateLimits?: Partial<RateLimits>;
};

export function testDependencies(
  now: () => number,
): Omit<PortalDependencies, 'reader' | 'store' | 'log' | 'walletReaders' | 'uploadFolder'> {
  return {
    leases: null,
    site: NO_SITE,
    now,
    monotonicNow: now,
    chain: 'solana',
    publicOrigin: null,
    publicApiOrigin: null,
    trustedProxies: PROXIES_TRUSTED_WHEN_LOCAL,
    metrics: { token: null, listener: null },
    version: '0.0.0-test',
    issuer: createSandboxIssuer({ now }),
    fundingAddress: null,
    topUpFeed: null,
    masterKey: TEST_MASTER_KEY,
    stakeReads: new ChainReads([]),
    estimateComputeUnitPrice: null,
    minAccountAgeToVoteMs: 0,
    disk: { freeBytes: async () => Number.MAX_SAFE_INTEGER, reserveBytes: 0 },
    rateLimits: testRates(),
    securityContact: null,
    registry: new Registry(),
    setupToken: null,
    copies: {
      outboxFolder: null,
      backups: () => ({ newestAt: null, keep: 1, isScheduled: false, remote: null, leftovers: [] }),
      remoteProblem: () => null,
      recordErasure: async () => {},
    },
    telegram: createTelegramContext({ bot: null, now, teamOrigin: () => '' }),
    replies: createReplyComposer({
      organization: ORGANIZATION,
      origin: () => 'https://portal.example.com',
      inboundAddress: null,
    }),
    inboundMail: { secret: null, ownAddresses: [], onMail: () => {} },
    openChatBook: null,
    askModel: null,
    keepsTranscripts: false,
    deliveryPauses: () => new Map(),
    alertTeam: () => {},
    sendsMail: false,
    teamOrigin: () => 'http://localhost:4321',
    lostStoreCopyPath: () => '',
    runsJobs: () => true,
    isNotified: () => false,
  };
}

export async function startTestPortal(changes: TestPortalChanges = {}): Promise<TestPortal> {
  const { index = new FakeIndex(), rateLimits, parent = tmpdir(), ...dependencies } = changes;
  const folder = await mkdtemp(join(parent, 'portal-'));
  const store = await openNewApp(join(folder, 'app.db'));
  const uploadFolder = join(folder, 'uploads');
  await emptyUploadFolder(uploadFolder);
  const logLines: string[] = [];
  let now = TEST_START;
  const portal = createPortal({
    ...testDependencies(() => now),
    reader: index,
    store,
    uploadFolder,
    log: pino({ level: 'info' }, { write: (line: string) => void logLines.push(line) }),
    walletReaders: readersOf(index, () => now),
    lostStoreCopyPath: () => keptFilePath(join(folder, 'app.db'), 'lost', now),
    rateLimits: testRates(rateLimits),
    ...dependencies,
  });
  await portal.refresh();
  const port = await listen(portal.server, '127.0.0.1', 0);
  return {
    port,
    metricsServer: portal.metricsServer,
    index,
    figureInputs: portal.figureInputs,
    store,
    folder,
    logLines,
    now: () => now,
    pollAt: (moment) => {
      now = moment;
      return portal.refresh();
    },
    closeTestCards: () => portal.closeTestCards(),
    checkCardStakes: (signal) => portal.checkCardStakes(signal),
    openStreamCount: () => portal.streamCount(),
    waitForStreams: async (count) => {
      while (portal.streamCount() !== count) await setImmediate();
    },
    close: async () => {
      await portal.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
